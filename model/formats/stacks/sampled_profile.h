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

/// The output of a sampling profiler: stacks as a tree, and samples by thread. Converted to slices as
/// our own recorder does (TrackKind::kStacks): a frame that consecutive samples find at the same
/// depth, on the same frames, is one slice. Memory: 32 bytes per sample. One thread.
class SampledProfile {
 public:
  using Stack = std::uint32_t;
  static constexpr Stack kNoFrames = 0;
  static constexpr std::uint32_t kMostFrames = 1000;  ///< per stack; deeper stacks keep their outermost frames

  struct Frame {
    std::string name;
    std::string file = {};
    std::int64_t line = 0;  ///< 0: unknown
  };
  struct Sample {
    Nanos time = 0;
    Nanos duration = 0;  ///< 0: lasts until the next sample, if that comes soon
    std::uint64_t offset = 0;
    Stack stack = kNoFrames;
  };
  struct Thread {
    std::int64_t pid = 0, tid = 0;
    std::string name = {};
    std::vector<Sample> samples = {};
    Nanos period = 0;  ///< time between samples; 0: unknown, the median distance is used
  };
  /// A frame found by `samples` consecutive samples.
  struct Slice {
    const Thread& thread;
    const Frame& frame;
    std::string_view category;
    Nanos start, end;
    std::uint64_t samples;
    std::uint64_t offset;  ///< offset of the first sample
  };

  std::uint32_t add_frame(Frame frame);
  const Frame& frame(std::uint32_t number) const { return frames_[number]; }
  std::size_t frame_count() const { return frames_.size(); }
  /// Returns the stack with one more frame inside `parent`.
  Stack add_stack(Stack parent, std::uint32_t frame);
  /// Threads are kept in the order of their first use.
  Thread& thread(std::int64_t pid, std::int64_t tid);
  const std::vector<Thread>& threads() const { return threads_; }
  /// For samples with durations but no times: puts one after the other, grouped by their outer frames, like
  /// a flame graph.
  void lay_out(Thread& thread) const;
  /// Number of samples with frames that are not shown.
  std::uint64_t cut_samples() const { return cut_samples_; }

  /// Sorts the samples of each thread by time and calls visit for every slice, an outer slice before inner ones that
  /// end with it; stops if visit returns false.
  void for_each_slice(const std::function<bool(const Slice&)>& visit);
  /// Returns the tid of the track beside a thread that holds its slices.
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

/// Writes the names, periods and slices of `profile`; counts what is left out. Errors: kNotATrace without samples;
/// those of the sink.
Result<void> write_profile(SampledProfile& profile, const FormatInput& input, TraceSource& facts, TraceSink& sink);

}  // namespace lacuna
