#pragma once

#include <exception>
#include <new>
#include <string_view>
#include <utility>

namespace lacuna {

inline constexpr std::string_view kNotEnoughMemory = "there is not enough memory";

/// Runs `work()`, and gives what it throws to `tell(std::string_view)` as words: for threads, where nobody else catches
/// it and the program would end. False: it threw. `tell` may run out of memory as well; then there is no message.
template <class Work, class Tell>
bool run_guarded(Work&& work, Tell&& tell) noexcept {
  const auto say = [&](std::string_view words) {
    try {
      tell(words);
    } catch (...) {  // the caller still knows by the answer
    }
  };
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const std::bad_alloc&) {
    say(kNotEnoughMemory);
  } catch (const std::exception& error) {
    say(error.what());
  } catch (...) {
    say("an error without a name");
  }
  return false;
}

}  // namespace lacuna
