#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/base/seeded_hash.h"
#include "model/formats/stacks/sampled_profile.h"
#include "model/input/byte_window.h"

namespace lacuna {

/// The lines of a text, one at a time. Lines are cut to kLongest; the rest of a longer line is skipped.
class TextLines {
 public:
  static constexpr std::size_t kLongest = 256 * 1024;

  explicit TextLines(const ByteSource& bytes) : window_(bytes), rest_(bytes) {}

  /// Gives the next line without its end; valid until the next call. Returns false at the end.
  bool next(std::string_view& line);
  std::uint64_t offset() const { return begin_; }  ///< of the current line

 private:
  ByteWindow window_, rest_;  // `rest_` is for skipped bytes: the line stays valid
  std::uint64_t begin_ = 0, at_ = 0;
};

/// Frames identified by their names only.
class NamedFrames {
 public:
  explicit NamedFrames(SampledProfile& profile) : profile_(profile) {}
  std::uint32_t find(std::string_view name, std::string_view file = {});

 private:
  SampledProfile& profile_;
  std::unordered_map<std::string, std::uint32_t, SeededHash> numbers_;
};

}  // namespace lacuna
