#pragma once

#include <string_view>

namespace lacuna {

/// Whether the name of a Python frame says that a thread waits there for another one, for time to pass or for input:
/// "threading.py(359): wait", "<built-in method acquire of _thread.lock object at 0x7f>", "<built-in function sleep>".
bool is_waiting_frame(std::string_view name);
/// The same of a sampled frame, which may also be a call as the source names it, or a native function:
/// "waiter.acquire", "gomp_barrier_wait_end", "__futex_abstimed_wait_cancelable64".
bool is_waiting_sample(std::string_view name);

}  // namespace lacuna
