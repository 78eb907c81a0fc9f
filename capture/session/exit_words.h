#pragma once

#include <string>
#include <string_view>

#include "capture/session/launcher.h"

namespace lacuna {

/// Says how a program ended (launcher.cpp). `asked`: the last signal that was sent to
/// stop it ("SIGINT"); empty when none was. "was stopped", "was stopped (SIGKILL)", "was stopped; it exited with code
/// 3"; without being asked, and for other signals, Launcher::Exit::in_words().
std::string exit_in_words(const Launcher::Exit& exit, std::string_view asked);

}  // namespace lacuna
