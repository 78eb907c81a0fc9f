#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/result.h"
#include "model/base/seeded_hash.h"
#include "model/base/time.h"
#include "model/formats/trace_sink.h"

namespace lacuna {

/// What a sampling profiler wrote: stacks as a tree, and by thread which of them was seen when. Written out it is what
/// our own recorder makes of samples (TrackKind::kStacks): a frame that one sample after the other finds at the same
/// depth, on the same frames, is one slice. Memory: 32 bytes a sample. One thread.
class SampledProfile {
 public:
  using Stack = std::uint32_t;
  static constexpr Stack kNoFrames = 0;
  static constexpr std::uint32_t kMostFrames = 1000;  ///< of a stack; deeper ones keep the outermost

  struct Frame {
    std::string name;
    std::string file = {};
    std::int64_t line = 0;  ///< 0: not known
  };
  struct Sample {
    Nanos time = 0;
    Nanos duration = 0;  ///< 0: until the next one, if that comes soon
    std::uint64_t offset = 0;
    Stack stack = kNoFrames;
  };
  struct Thread {
    std::int64_t pid = 0, tid = 0;
    std::string name = {};
    std::vector<Sample> samples = {};
    Nanos period = 0;  ///< between two samples; 0: the median of what lies between these
  };
  /// A frame that `samples` samples in a row found.
  struct Slice {
    const Thread& thread;
    const Frame& frame;
    std::string_view category;
    Nanos start, end;
    std::uint64_t samples;
    std::uint64_t offset;  ///< of the first of them
  };

  std::uint32_t add_frame(Frame frame);
  const Frame& frame(std::uint32_t number) const { return frames_[number]; }
  std::size_t frame_count() const { return frames_.size(); }
  /// The stack with one more frame inside `parent`.
  Stack add_stack(Stack parent, std::uint32_t frame);
  /// In the order in which they were first named.
  Thread& thread(std::int64_t pid, std::int64_t tid);
  const std::vector<Thread>& threads() const { return threads_; }
  /// For samples that have durations and no times: one after the other, those with the same outer frames together, as a
  /// flame graph has them.
  void lay_out(Thread& thread) const;
  /// Samples of which some frames are not shown.
  std::uint64_t cut_samples() const { return cut_samples_; }

  /// Sorts the samples of each thread by time and calls visit for every slice, the outer before those in it that end
  /// with it; false ends it.
  void for_each_slice(const std::function<bool(const Slice&)>& visit);
  /// The tid of the track beside a thread that its slices go to.
  static std::int64_t track_of(std::int64_t tid);
  std::uint64_t sample_count() const;

 private:
  struct Node {
    Stack parent = kNoFrames;
    std::uint32_t frame = 0;
    std::uint32_t depth = 0;
    bool is_cut = false;
  };
  bool write_thread(Thread& thread, const std::function<bool(const Slice&)>& visit);

  std::vector<Frame> frames_;
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::unordered_map<std::uint64_t, Stack, SeededHash> children_;  // by parent and frame
  std::vector<Thread> threads_;
  std::unordered_map<std::uint64_t, std::size_t, SeededHash> by_id_;
  std::uint64_t cut_samples_ = 0;
};

/// Names, periods and slices of `profile`; what is left out is counted. Errors: kNotATrace where there is no sample;
/// those of the sink.
Result<void> write_profile(SampledProfile& profile, const FormatInput& input, TraceSource& facts, TraceSink& sink);

}  // namespace lacuna
