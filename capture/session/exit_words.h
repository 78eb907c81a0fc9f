#pragma once

#include <string>
#include <string_view>

#include "capture/session/launcher.h"

namespace lacuna {

/// Returns how a program ended, as text. `asked`: the last signal sent to
/// stop it ("SIGINT"); empty when none was. "was stopped", "was stopped (SIGKILL)", "was stopped; it exited with code
/// 3"; Launcher::Exit::in_words() when it was not asked, or ended by another signal.
std::string exit_in_words(const Launcher::Exit& exit, std::string_view asked);

}  // namespace lacuna
