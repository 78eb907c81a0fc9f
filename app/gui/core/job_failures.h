#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/base/guarded.h"

namespace lacuna {

/// What background work threw is kept here until the window shows it as a message: an answer that does not come is
/// no reason to end. Any thread.
void note_job_failure(std::string_view what);
/// The oldest that was not taken yet. Equal ones count once.
std::optional<std::string> take_job_failure();

/// Notes it as what ended work that the user asked for.
void note_failed_work(std::string_view what);

/// Runs `work` and notes what it throws. False: it threw.
template <class Work>
bool guarded(Work&& work) {
  return run_guarded(work, note_failed_work);
}

}  // namespace lacuna
