#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/base/guarded.h"

namespace lacuna {

/// Stores the message of an exception thrown by background work until the window shows it: one missing answer is no
/// reason to exit. Any thread.
void note_job_failure(std::string_view what);
/// Returns the oldest failure not taken yet. Equal failures are stored once.
std::optional<std::string> take_job_failure();

/// Stores the failure as one that ended work which the user asked for.
void note_failed_work(std::string_view what);

/// Runs `work` and stores what it throws. Returns false if it threw.
template <class Work>
bool guarded(Work&& work) {
  return run_guarded(work, note_failed_work);
}

}  // namespace lacuna
