// What a page sends to lacuna web: messages, and the words of a request.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "app/web/server/access.h"
#include "app/web/wire/page_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto events = lacuna::read_page_message(bytes)) {
    for (const lacuna::PageEvent& event : *events) {
      const bool is_sane = event.key >= 0 && event.key <= 348 && event.character < 127 && event.x == event.x &&
                           event.y == event.y && event.scale >= 0.25f && event.scale <= 8;
      if (!is_sane || event.text.size() > lacuna::kLongestPaste) std::abort();
    }
  }
  const std::string name = lacuna::safe_file_name(lacuna::percent_decoded(bytes));
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos || name.size() > 120) std::abort();
  if (lacuna::query_value(bytes, "name").size() > size) std::abort();
  const std::size_t half = size / 2;
  (void)lacuna::is_own_origin(bytes.substr(half), bytes.substr(0, half), {});
  if (lacuna::is_own_host(bytes, {}) && bytes.find("evil") != std::string_view::npos) std::abort();
  return 0;
}
