#include "app/gui/core/waiting_names.h"

#include <algorithm>
#include <array>

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 13> kWaiting = {"wait",      "_wait", "acquire", "sleep",
                                                       "select",    "poll",  "accept",  "_accept",
                                                       "join",      "recv",  "_recv",   "_wait_for_tstate_lock",
                                                       "epoll_wait"};
constexpr std::array<std::string_view, 6> kWaitingNative = {"futex",      "cond_wait",    "cond_timedwait",
                                                            "epoll_wait", "barrier_wait", "nanosleep"};
constexpr std::string_view kBuiltIn = "<built-in ";

bool is_waiting_function(std::string_view function) {
  return std::ranges::find(kWaiting, function.substr(function.rfind('.') + 1)) != kWaiting.end();
}

}  // namespace

bool is_waiting_frame(std::string_view name) {
  std::string_view function;
  if (name.starts_with(kBuiltIn)) {
    name.remove_prefix(kBuiltIn.size());
    for (const std::string_view kind : {"method ", "function "})
      if (name.starts_with(kind)) name.remove_prefix(kind.size());
    function = name.substr(0, name.find_first_of(" >"));
  } else if (const std::size_t at = name.rfind("): "); at != std::string_view::npos) {
    function = name.substr(at + 3);
  } else {
    return false;
  }
  return is_waiting_function(function);
}

bool is_waiting_sample(std::string_view name) {
  return is_waiting_frame(name) || is_waiting_function(name) ||
         std::ranges::any_of(kWaitingNative, [&](std::string_view part) { return name.find(part) != name.npos; });
}

}  // namespace lacuna
