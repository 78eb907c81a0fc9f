#pragma once

namespace lacuna::cupti {

struct Library;

/// Starts GPU capture in this process, once: subscribes to CUPTI, enables the activity kinds, starts
/// the thread that fetches records every 50 ms. Called from the driver's cuInit. What stands in the way
/// is shown to the user; the target is never disturbed by it.
void start_capture();

/// A dormant process woke: GPU capture starts where the driver is in use. Before it sleeps: what CUPTI holds is
/// fetched, and it is left. Both on the sleeper's thread.
void wake();
void sleep();

/// Another profiler of this process (torch.profiler) is about to take CUPTI, or has given it back: from
/// the Python hook. Without the hook the takeover is noticed by its effect (see cupti_capture.cpp).
void pause_capture(const char* holder);
void resume_capture();

/// CUPTI, when GPU recording runs or waits in this process; else null.
const Library* library_in_use();

}  // namespace lacuna::cupti
