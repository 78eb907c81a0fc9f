// CPU time of a frame's layout: 12 zoom levels x 20 positions over a trace, in random order, so
// that no view profits from the one before.
//
//   bench_layout [--width PX] [--height PX] [--rounds N] [--zoom K] [--json] [--no-folds] (FILE | --synthetic
//   SLICES)...
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "model/build/trace_builder.h"
#include "model/import/importer.h"
#include "model/index/moment_folds.h"
#include "render/timeline_layout.h"
#include "tests/bench/zoom_walk.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace lacuna;

namespace {

/// CPU time of this thread: what other programs do on the machine does not count.
struct Clock {
  using time_point = double;  // us
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
  }
};

struct Options {
  float width = 1920;
  float height = 1080;
  int rounds = 5;
  int only_zoom = -1;  // < 0: all
  bool json = false;
  bool has_folds = true;
};

double micros_since(Clock::time_point start) {
  return Clock::now() - start;
}

/// Slices like those of a training loop: two threads with nested calls, four streams of kernels.
class SyntheticTrace {
 public:
  explicit SyntheticTrace(std::uint64_t slices) : left_(static_cast<std::int64_t>(slices)) {}

  Trace make() {
    for (int i = 0; i < 200; ++i)
      names_.push_back(batch_.strings.intern("op_" + std::string(1, static_cast<char>('a' + i % 26)) +
                                             std::to_string(i) + "_kernel_with_a_long_name<float, 128>"));
    for (int t = 0; t < 2; ++t) {
      threads_[t] = batch_.track({id("1"), id(std::to_string(10 + t)), kEmptyString, kEmptyString, TrackKind::kThread});
      cpu_ = batch_.category(id("cpu_op"));
    }
    for (int s = 0; s < 4; ++s) {
      const StringId stream = id(std::to_string(7 + s));
      streams_[s] = batch_.track({id("0"), stream, id("0"), stream, TrackKind::kGpuStream});
      kernel_ = batch_.category(id("kernel"));
    }
    while (left_ > 0) {
      for (const std::uint32_t thread : threads_) now_[thread] = call(thread, now_[thread], 0);
      for (const std::uint32_t stream : streams_) {
        for (int k = 0; k < 4; ++k) {
          const Nanos duration = 1'000 + static_cast<Nanos>(random_() % 40'000);
          add(stream, now_[stream], duration, kernel_);
          now_[stream] += duration + static_cast<Nanos>(random_() % 4'000);
        }
      }
    }
    TraceBuilder builder;
    builder.add(builder.add_source({}), std::move(batch_));
    return builder.finish(2);
  }

 private:
  StringId id(const std::string& text) { return batch_.strings.intern(text); }

  /// A call with up to three calls inside, up to ten deep. Returns its end.
  Nanos call(std::uint32_t track, Nanos start, int depth) {
    Nanos end = start + 500 + static_cast<Nanos>(random_() % 2'000);
    if (depth < 10)
      for (std::uint64_t k = random_() % 3 + (depth < 3 ? 1 : 0); k > 0; --k) end = call(track, end, depth + 1);
    end += static_cast<Nanos>(random_() % 1'000);
    add(track, start, end - start, cpu_);
    return end + static_cast<Nanos>(random_() % 500);
  }

  void add(std::uint32_t track, Nanos start, Nanos duration, std::uint16_t category) {
    SliceRecord slice;
    slice.start = start;
    slice.duration = duration;
    slice.name = names_[random_() % names_.size()];
    slice.category = category;
    slice.file_offset = ++offset_;
    batch_.tracks[track].slices.push_back(slice);
    --left_;
  }

  std::int64_t left_;
  EventBatch batch_;
  std::mt19937_64 random_{1};
  std::vector<StringId> names_;
  std::uint32_t threads_[2] = {};
  std::uint32_t streams_[4] = {};
  Nanos now_[6] = {};
  std::uint16_t cpu_ = 0;
  std::uint16_t kernel_ = 0;
  std::uint64_t offset_ = 0;
};

void measure(const std::string& label, const Trace& trace, const Options& options) {
  const auto prepare = Clock::now();
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  const std::vector<StreamBusyIndex> busy = StreamBusyIndex::build(streams);
  const NameHues hues(trace.strings());
  const std::vector<FoldIndex> folds = FoldIndex::build(trace.lanes());
  std::size_t fold_bytes = 0;
  for (const FoldIndex& index : folds) fold_bytes += index.memory_bytes();
  const TrackFolds track_folds = TrackFolds::build(trace);
  fold_bytes += track_folds.memory_bytes();
  const double prepare_us = micros_since(prepare);
  const Palette palette(true);
  TimelineInput input;
  input.data.trace = &trace;
  input.data.streams = &streams;
  input.data.busy = &busy;
  input.palette = &palette;
  input.data.hues = &hues;
  input.data.folds = options.has_folds ? &folds : nullptr;
  input.data.track_folds = options.has_folds ? &track_folds : nullptr;
  input.view.width_px = options.width;
  input.view.height_px = options.height;
  const auto vertical_start = Clock::now();
  const VerticalLayout vertical = layout_vertically(input);
  const double vertical_us = micros_since(vertical_start);

  ZoomWalk walk(trace, options.width, options.height, vertical.height, options.only_zoom);
  std::size_t most_slices = 0;
  std::uint64_t allocated = 0;  // in frames after the warm-up
  std::uint64_t allocated_before = allocations;
  walk.run(input, vertical, options.rounds, false, Clock::now, [&](const TimelineDrawList& list, bool counts) {
    most_slices = std::max(most_slices, list.slices.size());
    if (counts) allocated += allocations - allocated_before;
    allocated_before = allocations;
  });
  const char* format =
      options.json
          ? "{\"trace\":\"%s\",\"slices\":%llu,\"lanes\":%zu,\"p50Us\":%.1f,\"p99Us\":%.1f,\"maxUs\":%.1f,"
            "\"verticalUs\":%.1f,\"prepareUs\":%.0f,\"foldBytes\":%zu,\"mostRectangles\":%zu,\"allocations\":%llu}\n"
          : "%s: %llu slices in %zu lanes: frame p50 %.1f us, p99 %.1f us, max %.1f us; vertical layout %.1f us, "
            "preparation %.0f us, folds %zu bytes; at most %zu rectangles; %llu allocations after warm-up\n";
  std::printf(format, label.c_str(), static_cast<unsigned long long>(trace.slice_count()), trace.lanes().size(),
              walk.at(50), walk.at(99), walk.at(100), vertical_us, prepare_us, fold_bytes, most_slices,
              static_cast<unsigned long long>(allocated));
  if (options.json) return;
  std::printf("  p50 by zoom, whole trace first:");
  for (int zoom = 0; zoom < ZoomWalk::kZooms; ++zoom) std::printf(" %.0f", walk.at(zoom, 50));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int measured = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : "0"; };
    if (argument == "--json") {
      options.json = true;
    } else if (argument == "--no-folds") {
      options.has_folds = false;
    } else if (argument == "--width") {
      options.width = static_cast<float>(std::atof(value()));
    } else if (argument == "--height") {
      options.height = static_cast<float>(std::atof(value()));
    } else if (argument == "--rounds") {
      options.rounds = std::atoi(value());
    } else if (argument == "--zoom") {
      options.only_zoom = std::atoi(value());
    } else if (argument == "--synthetic") {
      const std::uint64_t slices = std::strtoull(value(), nullptr, 10);
      measure("synthetic", SyntheticTrace(slices).make(), options);
      ++measured;
    } else {
      const std::string paths[] = {argument};
      const Result<Trace> trace = import_files(paths);
      if (!trace) {
        std::fprintf(stderr, "bench_layout: %s\n", trace.error().message().c_str());
        return 1;
      }
      measure(argument, *trace, options);
      ++measured;
    }
  }
  if (measured == 0) {
    std::fprintf(stderr,
                 "usage: bench_layout [--width PX] [--height PX] [--rounds N] [--zoom K] [--json] [--no-folds] (FILE | "
                 "--synthetic SLICES)...\n");
    return 2;
  }
  return 0;
}
