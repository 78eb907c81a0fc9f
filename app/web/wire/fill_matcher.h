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
/// sideways by as much, as panning does. Both their edges may be off by one part for rounding. A sample is asked first:
/// where nearly nothing stayed or was shifted, as after zooming, all are new without a search. Takes time in proportion
/// to their number. One thread.
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
  /// How many rectangles of `before` the last match() looked at, each time counted.
  std::size_t looks() const { return looks_; }

 private:
  /// Numbers by hash, those of a hash from the last added on.
  class Chains {
   public:
    static constexpr std::uint32_t kEnd = ~0u;
    void reset(std::size_t count);
    void add(std::uint64_t hash, std::uint32_t number);
    std::uint32_t first(std::uint64_t hash) const { return heads_[hash >> shift_]; }
    std::uint32_t next(std::uint32_t number) const { return next_[number]; }

   private:
    std::vector<std::uint32_t> heads_, next_;
    int shift_ = 63;
  };
  /// One of the rectangles that are asked where they came from.
  struct Sample {
    WireFill fill;
    std::uint32_t alike;  ///< of `before` that differ in nothing but their place in the row
    bool stayed;
    std::int32_t shifts[4];  ///< to there from the first of them
  };

  /// Fills samples_. Returns whether enough of them are found in `before` for a search of all; sets shift_.
  bool ask_sample(const std::vector<WireFill>& before, const std::vector<WireFill>& now);
  void index(const std::vector<WireFill>& before);
  /// The place in `before` of one like it, moved by `shift`; its size where there is none.
  std::size_t find(const std::vector<WireFill>& before, const WireFill& fill, std::int32_t shift, int tolerance);

  std::vector<Sample> samples_;
  Chains of_samples_;  // by all but their place in the row
  Chains of_before_;   // by all but their width
  std::vector<Run> runs_;
  std::int32_t shift_ = 0;
  std::size_t looks_ = 0;
};

}  // namespace lacuna
