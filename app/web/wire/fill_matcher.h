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

/// Finds the rectangles of a draw list among those of the same list one frame before: unmoved, or all shifted
/// sideways by the same amount, as by panning. Both edges may differ by one unit due to rounding. Tests a sample first:
/// if almost none of it is unmoved or shifted, as after zooming, all are new without a search. O(number of
/// rectangles). One thread.
class FillMatcher {
 public:
  enum class Source : std::uint8_t { kNew, kShifted, kSame };
  /// `count` consecutive rectangles; for kShifted and kSame: equal to those of the last frame from `first` on.
  struct Run {
    Source source;
    std::size_t count;
    std::size_t first;
  };

  /// `before` may be empty; both must outlive the use of the result.
  void match(const std::vector<WireFill>& before, const std::vector<WireFill>& now);
  const std::vector<Run>& runs() const { return runs_; }
  /// Returns how far the kShifted rectangles moved to the right.
  std::int32_t shift() const { return shift_; }
  /// The number of comparisons with rectangles of `before` in the last match().
  std::size_t looks() const { return looks_; }

 private:
  /// A hash table of numbers; those with the same hash come in reverse order of insertion.
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
  /// A rectangle of the sample.
  struct Sample {
    WireFill fill;
    std::uint32_t alike;  ///< the number of rectangles of `before` that differ only in x position
    bool stayed;
    std::int32_t shifts[4];  ///< x distance to the first of these
  };

  /// Fills samples_. Returns whether enough of them are found in `before` for a full search; sets shift_.
  bool ask_sample(const std::vector<WireFill>& before, const std::vector<WireFill>& now);
  void index(const std::vector<WireFill>& before);
  /// Returns the index in `before` of an equal rectangle, moved by `shift`; the size of `before` if there is none.
  std::size_t find(const std::vector<WireFill>& before, const WireFill& fill, std::int32_t shift, int tolerance);

  std::vector<Sample> samples_;
  Chains of_samples_;  // keyed by everything but x position
  Chains of_before_;   // keyed by everything but width
  std::vector<Run> runs_;
  std::int32_t shift_ = 0;
  std::size_t looks_ = 0;
};

}  // namespace lacuna
