#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "model/build/trace_builder.h"

namespace lacuna {

/// Makes a trace from a few lines of a test, through TraceBuilder like every reader:
///
///   TraceMaker make;
///   make.thread("aten::mm", 0, 100).launch("cudaLaunchKernel", 10, 20, 7).kernel("gemm", 30, 90, 7);
///   const Trace trace = make.build();
///
/// Times are [start, end) in ns. Events get ascending file offsets in the order of the calls.
class TraceMaker {
 public:
  /// Adds a CPU slice on thread `tid` of process 1.
  TraceMaker& thread(std::string_view name, Nanos start, Nanos end, std::string_view category = "cpu_op",
                     std::string_view tid = "1") {
    return add(key("1", tid), name, category, start, end, 0);
  }
  /// Adds a frame to the sampled stacks of a thread of process 1.
  TraceMaker& sampled(std::string_view name, Nanos start, Nanos end, std::string_view tid = "2000000001") {
    TrackKey stacks = key("1", tid);
    stacks.kind = TrackKind::kStacks;
    return add(stacks, name, "python_sample", start, end, 0);
  }
  /// Adds a state of a thread of process 1, as seen from outside ("running"), or a frame of its sampled stacks.
  TraceMaker& state(std::string_view name, Nanos start, Nanos end, std::string_view thread) {
    TrackKey states = key("1", beside(thread, 1'000'000'000));
    states.kind = TrackKind::kThreadStates;
    return add(states, name, "thread_state", start, end, 0);
  }
  TraceMaker& sample(std::string_view name, Nanos start, Nanos end, std::string_view thread) {
    return sampled(name, start, end, beside(thread, 2'000'000'000));
  }
  TraceMaker& launch(std::string_view name, Nanos start, Nanos end, std::uint64_t correlation,
                     std::string_view tid = "1") {
    return add(key("1", tid), name, "cuda_runtime", start, end, correlation);
  }
  /// Adds a GPU activity; the category may also be gpu_memcpy or gpu_memset.
  TraceMaker& kernel(std::string_view name, Nanos start, Nanos end, std::uint64_t correlation = 0,
                     std::string_view stream = "7", std::string_view device = "0",
                     std::string_view category = "kernel") {
    return add(gpu_key(device, stream, TrackKind::kGpuStream), name, category, start, end, correlation);
  }
  TraceMaker& copy(std::string_view name, Nanos start, Nanos end, std::string_view stream = "7",
                   std::string_view device = "0") {
    return kernel(name, start, end, 0, stream, device, "gpu_memcpy");
  }
  TraceMaker& gpu_annotation(std::string_view name, Nanos start, Nanos end, std::string_view stream = "7") {
    return add(gpu_key("0", stream, TrackKind::kGpuAnnotation), name, "gpu_user_annotation", start, end, 0);
  }
  /// Adds a slice to an async track.
  TraceMaker& async(std::string_view name, Nanos start, Nanos end) {
    TrackKey track = key("1", name);
    track.kind = TrackKind::kAsync;
    return add(track, name, "async", start, end, 0);
  }
  /// What is added from now on belongs to another file.
  TraceMaker& next_file() {
    flush();
    return *this;
  }
  Trace build() {
    flush();
    return builder_.finish();
  }

 private:
  TrackKey key(std::string_view pid, std::string_view tid) {
    TrackKey result;
    result.pid = batch_.strings.intern(pid);
    result.tid = batch_.strings.intern(tid);
    return result;
  }
  TrackKey gpu_key(std::string_view device, std::string_view stream, TrackKind kind) {
    TrackKey result = key(device, stream);
    result.device = result.pid;
    result.stream = result.tid;
    result.kind = kind;
    return result;
  }
  TraceMaker& add(const TrackKey& key, std::string_view name, std::string_view category, Nanos start, Nanos end,
                  std::uint64_t correlation) {
    SliceRecord slice;
    slice.start = start;
    slice.duration = end - start;
    slice.name = batch_.strings.intern(name);
    slice.category = batch_.category(batch_.strings.intern(category));
    slice.correlation = correlation;
    slice.file_offset = ++offset_;
    batch_.tracks[batch_.track(key)].slices.push_back(slice);
    ++batch_.category_counts[slice.category];
    ++batch_.phase_counts['X'];
    return *this;
  }
  /// Returns the tid that files give to such a track of this thread (model/trace/sampled_tracks.h).
  static std::string beside(std::string_view thread, std::uint64_t first) {
    return std::to_string(first + std::stoull(std::string(thread)));
  }
  void flush() { builder_.add(builder_.add_source({}), std::exchange(batch_, EventBatch{})); }

  TraceBuilder builder_;
  EventBatch batch_;
  std::uint64_t offset_ = 0;
};

}  // namespace lacuna
