#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace lacuna {

/// What background work threw is kept here until the window shows it as a message: an answer that does not come is
/// no reason to end. Any thread.
void note_job_failure(std::string_view what);
/// The oldest that was not taken yet. Equal ones count once.
std::optional<std::string> take_job_failure();

/// Runs `work` and notes what it throws. False: it threw.
bool run_guarded(void (*run)(void*), void* work);

template <class Work>
bool guarded(Work&& work) {
  return run_guarded([](void* w) { (*static_cast<std::remove_reference_t<Work>*>(w))(); }, &work);
}

}  // namespace lacuna
