#include "app/gui/core/waiting_names.h"

#include <algorithm>
#include <array>

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 12> kWaiting = {"wait",
                                                       "_wait",
                                                       "acquire",
                                                       "sleep",
                                                       "select",
                                                       "poll",
                                                       "accept",
                                                       "join",
                                                       "recv",
                                                       "_recv",
                                                       "_wait_for_tstate_lock",
                                                       "epoll_wait"};
constexpr std::string_view kBuiltIn = "<built-in ";

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
  return std::ranges::find(kWaiting, function) != kWaiting.end();
}

}  // namespace lacuna
