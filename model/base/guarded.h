#pragma once

#include <exception>
#include <new>
#include <string_view>
#include <utility>

namespace lacuna {

inline constexpr std::string_view kNotEnoughMemory = "there is not enough memory";

/// Runs `work()` and passes the text of an exception to `tell(std::string_view)`: for threads, where an uncaught one
/// would end the program. Returns false after an exception. If `tell` runs out of memory too, there is no message.
template <class Work, class Tell>
bool run_guarded(Work&& work, Tell&& tell) noexcept {
  const auto say = [&](std::string_view words) {
    try {
      tell(words);
    } catch (...) {  // the caller still gets the result
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
