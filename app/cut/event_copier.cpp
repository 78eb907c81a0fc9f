#include "app/cut/event_copier.h"

#include <algorithm>

#include "app/cut/json_text.h"

namespace lacuna {

std::string_view EventCopier::complete(std::size_t from) const {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = from; i < block_.size(); ++i) {
    const char c = block_[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return {block_.data() + from, i + 1 - from};
    }
  }
  return {};
}

void EventCopier::read(std::uint64_t offset, std::size_t size) {
  block_.resize(size);
  block_.resize(bytes_.read_at(offset, block_));
  block_offset_ = offset;
}

std::string_view EventCopier::at(std::uint64_t offset) {
  const bool is_inside = offset >= block_offset_ && offset - block_offset_ < block_.size();
  std::string_view text = is_inside ? complete(static_cast<std::size_t>(offset - block_offset_)) : std::string_view{};
  for (std::size_t size = kBlock; text.empty() && size <= kMost; size *= 4) {
    read(offset, size);
    text = complete(0);
    if (block_.size() < size) break;  // the end of the data
  }
  // What does not read as JSON was mended by the import: it must not go into a new file as it is.
  return text.starts_with('{') && is_json(text) ? text : std::string_view{};
}

}  // namespace lacuna
