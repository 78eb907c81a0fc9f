#pragma once

namespace lacuna::cupti {

struct Library;

/// Starts GPU capture in this process, once: subscribes to CUPTI, enables the activity kinds, starts
/// the thread that fetches records every 50 ms. Called from the driver's cuInit. Failures are
/// shown to the user; they never disturb the target.
void start_capture();

/// For dormant processes. wake() starts GPU capture if the driver is in use; sleep() fetches CUPTI's remaining records
/// and stops using it. Both on the sleeper's thread.
void wake();
void sleep();

/// Called by the Python hook: another profiler of this process (torch.profiler) is about to take CUPTI, or has
/// released it. Without the hook the takeover is detected by its effect (see cupti_capture.cpp).
void pause_capture(const char* holder);
void resume_capture();

/// Returns CUPTI while GPU recording runs or waits in this process; else null.
const Library* library_in_use();

}  // namespace lacuna::cupti
