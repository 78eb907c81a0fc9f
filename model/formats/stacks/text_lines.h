#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/base/seeded_hash.h"
#include "model/formats/stacks/sampled_profile.h"
#include "model/input/byte_window.h"

namespace lacuna {

/// The lines of a text, one at a time. Of a line longer than kLongest that much is given, the rest is passed over.
class TextLines {
 public:
  static constexpr std::size_t kLongest = 256 * 1024;

  explicit TextLines(const ByteSource& bytes) : window_(bytes), rest_(bytes) {}

  /// Without what ends it; valid until the next call. False at the end.
  bool next(std::string_view& line);
  std::uint64_t offset() const { return begin_; }  ///< of the line given last

 private:
  ByteWindow window_, rest_;  // the latter for what is passed over: the line stays valid
  std::uint64_t begin_ = 0, at_ = 0;
};

/// Frames that differ by their names alone.
class NamedFrames {
 public:
  explicit NamedFrames(SampledProfile& profile) : profile_(profile) {}
  std::uint32_t find(std::string_view name, std::string_view file = {});

 private:
  SampledProfile& profile_;
  std::unordered_map<std::string, std::uint32_t, SeededHash> numbers_;
};

}  // namespace lacuna
