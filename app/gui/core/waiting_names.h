#pragma once

#include <string_view>

namespace lacuna {

/// Whether a Python frame's name says that the thread waits for another thread, for a timeout or for input:
/// "threading.py(359): wait", "<built-in method acquire of _thread.lock object at 0x7f>", "<built-in function sleep>".
bool is_waiting_frame(std::string_view name);
/// Whether a sampled frame waits. It may also be a call as the source code names it, or a native function:
/// "waiter.acquire", "gomp_barrier_wait_end", "__futex_abstimed_wait_cancelable64".
bool is_waiting_sample(std::string_view name);

}  // namespace lacuna
