#include "model/formats/stacks/text_lines.h"

#include <algorithm>

namespace lacuna {

bool TextLines::next(std::string_view& line) {
  begin_ = at_;
  std::string_view ahead = window_.ahead(at_, 1, kLongest);
  std::size_t end = ahead.find('\n');
  if (end == ahead.npos) {
    ahead = window_.at(at_, kLongest);
    end = ahead.find('\n');
  }
  if (ahead.empty()) return false;
  line = ahead.substr(0, end);
  at_ += end == ahead.npos ? ahead.size() : end + 1;
  if (end == ahead.npos && ahead.size() >= kLongest) {
    for (std::string_view more = rest_.at(at_, kLongest); !more.empty(); more = rest_.at(at_, kLongest)) {
      const std::size_t stop = more.find('\n');
      at_ += stop == more.npos ? more.size() : stop + 1;
      if (stop != more.npos) break;
    }
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

std::uint32_t NamedFrames::find(std::string_view name, std::string_view file) {
  std::string key(name);
  (key += '\0') += file;
  const auto [known, is_new] = numbers_.try_emplace(std::move(key));
  if (is_new) known->second = profile_.add_frame({.name = std::string(name), .file = std::string(file)});
  return known->second;
}

}  // namespace lacuna
