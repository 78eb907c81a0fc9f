#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "capture/sampling/sampled_slice.h"

namespace lacuna {

/// A frame of a sampled stack. Texts must live as long as the sampler; two frames are equal when the addresses of
/// their names are.
struct SampledFrame {
  std::string_view name;      ///< "train.py(12): step", "deflate"
  std::string_view category;  ///< kPythonSampleCategory, kPythonLibraryCategory or kNativeSampleCategory
  std::string_view file;      ///< a Python file, or the library
  std::uint32_t line = 0;     ///< current line; 0 = not known
};

/// Turns the samples of one thread's stack into slices, as in a flame chart: a frame that successive samples
/// find at the same depth, above the same frames, is one slice, from its first sample to the first without it.
///
/// What happens between samples is unknown: ends are off by up to a period, and what is shorter than a
/// period may be missing. When no sample comes for kMostPeriods, slices end a period after the last one.
class StackLane {
 public:
  static constexpr std::uint64_t kMostPeriods = 3;

  StackLane(StreamedTrack track, std::uint64_t period_ns) : track_(track), period_(period_ns) {}

  /// Adds a sample. `frames`: outermost first. Times must ascend.
  void sample(std::uint64_t time, std::span<const SampledFrame> frames, std::vector<SampledSlice>& out);
  /// Ends the open slices once no sample has come for long enough.
  void settle(std::uint64_t now, std::vector<SampledSlice>& out);
  void end(std::uint64_t time, std::vector<SampledSlice>& out) { close(0, std::min(time, last_ + period_), out); }
  void add_open(std::uint64_t now, std::vector<SampledSlice>& out) const;

 private:
  struct OpenFrame {
    SampledFrame frame;
    std::uint64_t start = 0;
    std::uint64_t samples = 0;
    std::uint64_t on_line = 0;  // samples of these at frame.line, which is the line of most of the latest samples
  };
  void close(std::size_t keep, std::uint64_t time, std::vector<SampledSlice>& out);
  SampledSlice slice(const OpenFrame& open, std::uint64_t end) const;

  StreamedTrack track_;
  std::uint64_t period_;
  std::uint64_t last_ = 0;
  std::vector<OpenFrame> open_;
};

}  // namespace lacuna
