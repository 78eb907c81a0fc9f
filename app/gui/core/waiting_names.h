#pragma once

#include <string_view>

namespace lacuna {

/// Whether the name of a Python frame says that a thread waits there for another one, for time to pass or for input:
/// "threading.py(359): wait", "<built-in method acquire of _thread.lock object at 0x7f>", "<built-in function sleep>".
bool is_waiting_frame(std::string_view name);

}  // namespace lacuna
