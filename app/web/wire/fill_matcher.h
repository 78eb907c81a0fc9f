#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lacuna {

/// A rectangle of one colour; lengths in 1/64 device pixels.
struct WireFill {
  std::int32_t x, y, width, height;
  std::uint32_t colour;
};

/// Finds the rectangles of a draw list in what the same list showed a frame before: where they were, or all shifted
/// sideways by as much, as panning does. Both their edges may be off by one part for rounding. One thread.
class FillMatcher {
 public:
  enum class Source : std::uint8_t { kNew, kShifted, kSame };
  /// So many of them in a row; of kShifted and kSame: from `first` of those before on.
  struct Run {
    Source source;
    std::size_t count;
    std::size_t first;
  };

  /// `before` may be empty; both must outlive the answers' use.
  void match(const std::vector<WireFill>& before, const std::vector<WireFill>& now);
  const std::vector<Run>& runs() const { return runs_; }
  /// How far those of kShifted moved to the right.
  std::int32_t shift() const { return shift_; }

 private:
  void sort(const std::vector<WireFill>& before);
  std::int32_t most_frequent_shift(const std::vector<WireFill>& before, const std::vector<WireFill>& now) const;
  /// The place in `before` of one like it, moved by `shift`; its size where there is none.
  std::size_t find(const std::vector<WireFill>& before, const WireFill& fill, std::int32_t shift, int tolerance) const;

  std::vector<std::uint32_t> order_;  // of those before: by row, height, colour and left edge
  std::vector<Run> runs_;
  std::int32_t shift_ = 0;
};

}  // namespace lacuna
