// What a live recording costs: pictures of 0.1, 1 and 4 M events, how long after its end a range of a running program
// is in the model, how old statistics get before newer ones come, and memory at the peak.
//   bench_live [PROGRAM ARGUMENTS...]   (default: pictures, and the demo)
//   bench_live gpu [M LAUNCHES...]      (documents of a made-up recording of a GPU, of so many million launches)
//   bench_live stages [gpu] [RANGES PER S [MS OF NEWS [S [MS UNTIL SETTLED]]]]
//                                       (what each stage of a document costs in CPU time, of a made-up recording of two
//                                        threads that is S seconds long)
//   bench_live zoom [M RANGES [PER S]]  (frames of a made-up recording while it grows, at all zoom levels; 180 million
//                                        ranges are an hour of 50,000 a second)
// Of recordings with a GPU also how old causes of gaps get: from the moment up to which all gaps of the document shown
// have theirs to the one when a newer document comes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/gui/core/document_upkeep.h"
#include "app/gui/core/resident_limit.h"
#include "app/gui/models/gaps/gap_causes.h"
#include "app/gui/models/live/live_recording.h"
#include "app/gui/workspace/workspace.h"
#include "capture/session/batch_sink.h"
#include "capture/session/installation.h"
#include "capture/session/recording_spool.h"
#include "model/causes/growing_causes.h"
#include "render/timeline_layout.h"
#include "tests/bench/zoom_walk.h"

namespace {

using namespace lacuna;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A number of /proc/self/status, in bytes.
double memory_of_process(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return std::stod(line.substr(key.size() + 1)) * 1024;
  return 0;
}
/// What this process had in memory at most.
double peak_bytes() {
  return memory_of_process("VmHWM");
}

/// What it has, by kind, and where a recording's slices lie.
void print_memory(const char* when, const LiveRecording& recording) {
  const GrowingMemory::Usage usage = recording.memory();
  std::printf(
      "%s: resident %.2f GB (own pages %.2f, of tables that grow %.2f, of files %.2f); settled slices: %.2f GB in "
      "memory, %.2f on disk%s%s\n",
      when, memory_of_process("VmRSS") / 1e9, memory_of_process("RssAnon") / 1e9, memory_of_process("RssShmem") / 1e9,
      memory_of_process("RssFile") / 1e9, static_cast<double>(usage.sealed_bytes) / 1e9,
      static_cast<double>(usage.disk_bytes) / 1e9, usage.failure.empty() ? "" : ", no more: ", usage.failure.c_str());
}

/// `count` ranges of four threads, nested in tens, a batch per 10,000.
void add_events(TraceBuilder& builder, SourceId source, std::uint64_t count) {
  BatchSink sink;
  static const char* const kNames[] = {"step", "forward", "backward", "aten::mm", "aten::add", "loss", "copy", "wait"};
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t group = i / 10 * 10;
    const bool is_parent = i % 10 == 9;  // ends last, as in a capture
    StreamedSlice slice;
    slice.track = {100, static_cast<std::uint32_t>(101 + group / 10 % 4), TrackKind::kThread, 0};
    slice.name = kNames[is_parent ? 0 : 1 + i % 7];
    slice.category = "user_annotation";
    slice.start = static_cast<Nanos>((is_parent ? group : i) * 1000 + (is_parent ? 0 : 10));
    slice.duration = is_parent ? 9990 : 900;
    sink.set_offset(i * 100);
    sink.add(slice);
    if (i % 10'000 == 9'999) builder.add(source, sink.take());
  }
  builder.add(source, sink.take());
}

void measure_pictures(std::uint64_t events) {
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  add_events(builder, source, events);
  TraceBuilder tail_builder;
  (void)tail_builder.add_source({});
  add_events(tail_builder, source, 5'000);

  auto begin = std::chrono::steady_clock::now();
  auto copy = builder.copy();
  const double copied_s = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  DocumentPtr first = make_document(copy->finish(1), {}, true);
  const double document_s = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  const Trace tail = tail_builder.copy()->finish();
  const auto folds = FoldIndex::build(tail.lanes(), 1);
  const double tail_s = seconds_since(begin);
  DocumentPtr second = make_document(builder.copy()->finish(1), {}, true);
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.view().resize(1600, 500, 1);
  workspace.open(first);
  begin = std::chrono::steady_clock::now();
  workspace.refresh(second);
  const double refresh_s = seconds_since(begin);
  std::printf(
      "%8.1f M events: document %7.1f ms (%3.0f ns an event, copy %.2f ms), tail of 5,000 %.2f ms, "
      "taking over on the UI thread %.2f ms, %.0f bytes an event in the document\n",
      static_cast<double>(events) / 1e6, document_s * 1e3, document_s * 1e9 / static_cast<double>(events),
      copied_s * 1e3, tail_s * 1e3, refresh_s * 1e3,
      static_cast<double>(second->trace.memory_bytes()) / static_cast<double>(events));
}

/// How many ranges were how late. A list of all of them would grow by copies that hold up what is measured.
class LatenessCounts {
 public:
  void add(Nanos late_ns) {
    const auto step = static_cast<std::size_t>(std::max<Nanos>(late_ns, 0) / kStepNs);
    ++counts_[std::min(step, counts_.size() - 1)];
    ++total_;
    most_ns_ = std::max(most_ns_, late_ns);
  }
  std::uint64_t total() const { return total_; }
  double most_ms() const { return static_cast<double>(most_ns_) / 1e6; }
  /// So late, to kStepNs, was that part of all ranges at most.
  double at_ms(double part) const {
    auto left = static_cast<std::uint64_t>(part * static_cast<double>(total_));
    std::size_t step = 0;
    while (step + 1 < counts_.size() && left >= counts_[step]) left -= counts_[step++];
    return static_cast<double>(step + 1) * static_cast<double>(kStepNs) / 1e6;
  }

 private:
  static constexpr Nanos kStepNs = 100'000;
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(600'000);  // up to a minute
  std::uint64_t total_ = 0;
  Nanos most_ns_ = 0;
};

/// From the end of each range to the moment when a picture has it.
void measure_latency(const std::vector<std::string>& arguments) {
  LivePlan plan;
  plan.arguments = arguments;
  auto recording = LiveRecording::start(plan, [] {});
  if (!recording) {
    std::printf("%s\n", recording.error().message().c_str());
    return;
  }
  LatenessCounts late;
  std::vector<double> ages_s;
  std::vector<double> cause_ages_s;
  double cause_wait_s = 0;
  std::uint64_t seen = 0;
  auto told = std::chrono::steady_clock::now();
  LiveTailPtr last;
  DocumentPtr shown;
  while (!(*recording)->is_complete()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (seconds_since(told) > 15) {
      print_memory("  under way", **recording);
      told = std::chrono::steady_clock::now();
    }
    DocumentPtr document = (*recording)->take_document();
    const LiveTailPtr tail = (*recording)->tail();
    const bool is_new_tail = tail != nullptr && tail != last;
    if (document == nullptr && !is_new_tail) continue;
    const Nanos now = (*recording)->capture().now();
    std::uint64_t newest = seen;
    const auto look = [&](const Trace& trace) {
      for (const Lane& lane : trace.lanes())
        for (std::uint32_t i = lane.size(); i-- > 0 && lane.end(i) > now - 2'000'000'000;) {
          const std::uint64_t offset = lane.file_offset(i);
          // A thread's ranges are told in the order of their ends, as they lie in a row.
          if (offset <= seen && trace.track(lane.track).kind == TrackKind::kThread) break;
          if (offset <= seen || offset >= RecordingSpool::kRunning || trace.track(lane.track).kind == TrackKind::kAsync)
            continue;
          late.add(now - lane.end(i));
          newest = std::max(newest, offset);
        }
    };
    if (document) look(document->trace);
    if (is_new_tail)
      for (const LiveLayerPtr& layer : tail->layers)
        if (last == nullptr || layer == tail->layers.back() ||
            std::ranges::find(last->layers, layer) == last->layers.end())
          look(layer->trace);
    seen = newest;
    last = tail;
    if (!document) continue;
    // Until now the numbers were those of the document before, which knew what was up to its end.
    if (shown && shown->trace.slice_count() > 0)
      ages_s.push_back(static_cast<double>(now - shown->trace.span().end) / 1e9);
    if (shown && shown->idle && !shown->idle->streams.empty() && shown->is_partial) {
      cause_ages_s.push_back(static_cast<double>(now - shown->idle->known_until) / 1e9);
      cause_wait_s = static_cast<double>(shown->trace.span().end - shown->idle->known_until) / 1e9;
    }
    if (shown) (*recording)->retire(std::move(shown));
    shown = std::move(document);
  }
  if (late.total() == 0) return;
  const auto costs = (*recording)->costs();
  std::printf(
      "latency from a range's end to the picture that has it: %llu ranges, p50 %.1f ms, p90 %.1f, p99 %.1f, most %.1f; "
      "%llu documents, %llu tails, %llu dropped\n",
      static_cast<unsigned long long>(late.total()), late.at_ms(0.5), late.at_ms(0.9), late.at_ms(0.99), late.most_ms(),
      static_cast<unsigned long long>(costs.documents), static_cast<unsigned long long>(costs.tails),
      static_cast<unsigned long long>((*recording)->capture().status().capture.dropped));
  std::ranges::sort(ages_s);
  if (!ages_s.empty())
    std::printf(
        "age of statistics when newer ones come: median %.2f s, most %.2f s; last document %.0f ms, the others %.0f ms "
        "of CPU at most\n",
        ages_s[ages_s.size() / 2], ages_s.back(), costs.document_seconds * 1e3, costs.most_document_cpu * 1e3);
  std::ranges::sort(cause_ages_s);
  if (!cause_ages_s.empty())
    std::printf(
        "age of causes when newer ones come: median %.2f s, most %.2f s, of which %.2f s waited for what is late\n",
        cause_ages_s[cause_ages_s.size() / 2], cause_ages_s.back(), cause_wait_s);
  if (shown && shown->trace.slice_count() > 0) {
    const double most = peak_bytes();
    const auto slices = static_cast<double>(shown->trace.slice_count());
    print_memory("at the end", **recording);
    std::printf("memory at the peak %.2f GB, %.0f bytes for each of %.1f M slices\n", most / 1e9, most / slices,
                slices / 1e6);
  }
}

/// The i-th launch of one thread that makes one each `step`, in operators of ten launches, to four streams.
void add_launch(BatchSink& sink, std::uint64_t i, Nanos step) {
  static const char* const kKernels[] = {"gemm", "softmax", "layer_norm", "add", "copy"};
  const Nanos at = static_cast<Nanos>(i) * step;
  const StreamedTrack thread{100, 101, TrackKind::kThread, 0};
  const StreamedTrack stream{0, static_cast<std::uint32_t>(7 + i % 4), TrackKind::kGpuStream, 0};
  const bool waits = i % 500 == 499;
  sink.add(StreamedSlice{thread,
                         waits ? "cudaStreamSynchronize" : "cudaLaunchKernel",
                         "cuda_runtime",
                         at + step / 10,
                         waits ? step * 8 / 10 : step * 3 / 10,
                         i + 1,
                         {},
                         false});
  if (i % 10 == 9)
    sink.add(StreamedSlice{thread, "aten::mm", "cpu_op", at - 9 * step, 10 * step - step / 20, 0, {}, false});
  if (waits) return;
  const Nanos start = at + step * 12 / 10 + static_cast<Nanos>(i * 7919 % 5'000) * step / 10'000;
  sink.add(StreamedSlice{stream, kKernels[i % 5], "kernel", start, step * 15 / 10, i + 1, {}, false});
  sink.add(StreamedFlow{thread, at + step / 10, stream, start, i + 1});
}

/// A launch each 10 us, in the order of time, which goes on from call to call.
class GpuRecording {
 public:
  GpuRecording() : source_(builder_.add_source({})) {}

  void add(std::uint64_t launches) {
    for (const std::uint64_t end = launched_ + launches; launched_ < end;) {
      sink_.set_offset(launched_ * 100);
      add_launch(sink_, launched_++, kStepNs);
      if (launched_ % 10'000 == 0) deliver();
    }
    deliver();
  }
  std::unique_ptr<TraceBuilder> copy() const { return builder_.copy(); }

 private:
  static constexpr Nanos kStepNs = 10'000;

  void deliver() {
    builder_.add(source_, sink_.take());
    builder_.seal(source_, {}, static_cast<Nanos>(launched_) * kStepNs, 150'000'000);
  }

  TraceBuilder builder_;
  SourceId source_;
  BatchSink sink_;
  std::uint64_t launched_ = 0;
};

void measure_gpu(std::uint64_t launches) {
  GpuRecording recording;
  DocumentUpkeep upkeep;
  recording.add(launches);
  DocumentPtr document = make_document(recording.copy()->finish(1, nullptr, &upkeep.links()), upkeep, true);
  recording.add(20'000);
  const auto timed = [](auto&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return seconds_since(begin) * 1e3;
  };
  std::unique_ptr<TraceBuilder> copy;
  Trace trace;
  const double copied_ms = timed([&] { copy = recording.copy(); });
  const double finished_ms = timed([&] { trace = copy->finish(1, nullptr, &upkeep.links()); });
  const DocumentPtr old = std::move(document);  // freed elsewhere
  const double document_ms = timed([&] { document = make_document(std::move(trace), upkeep, true); });
  // What frames of the window pay: for the newer document, and for the answers that come about it.
  double taken_ms = 0;
  double frame_ms = 0;
  {
    BackgroundJobs jobs;
    Workspace workspace{jobs};
    workspace.view().resize(1600, 500, 1);
    workspace.open(old);
    workspace.settle();
    taken_ms = timed([&] { workspace.refresh(document); });
    for (bool is_over = false; !is_over;) {
      is_over = !workspace.is_computing();
      frame_ms = std::max(frame_ms, timed([&] {
                            workspace.update();
                            workspace.update_gaps();
                          }));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::size_t known = 0;
  std::size_t gaps = 0;
  for (std::size_t s = 0; s < document->streams.size(); ++s) {
    known += document->idle->by_stream[s].size();
    gaps += document->streams[s].gaps.size();
  }
  const double afresh_ms = timed([&] { (void)recording.copy()->finish(1); });
  std::vector<StreamActivity> streams;
  const double gaps_ms = timed([&] { streams = analyze_streams(document->trace); });
  const double busy_ms = timed([&] { (void)StreamBusyIndex::build(streams); });
  CauseAnalysisPtr causes;
  const double causes_ms = timed([&] { causes = analyze_causes(document); });
  std::printf(
      "%6.1f M launches: a document 20,000 launches later: copy %.0f ms, trace with links %.0f ms, the rest %.0f ms, "
      "with causes of %zu of %zu gaps; of the UI thread %.1f ms, then %.1f ms a frame at most; afresh: links %.0f ms, "
      "gaps %.0f ms, busy %.0f ms, causes %.0f ms; %.1f GB at "
      "the "
      "peak\n",
      static_cast<double>(launches) / 1e6, copied_ms, finished_ms, document_ms, known, gaps, taken_ms, frame_ms,
      afresh_ms, gaps_ms, busy_ms, causes_ms, peak_bytes() / 1e9);
}

/// Us of the time that passes: a frame waits for the disk, too.
double wall_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// … of which this thread had so much: what other programs do on the machine does not count.
double cpu_us() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

void measure_frames(const Document& document, double built_s, const ResidentLimit& resident) {
  const Palette palette(true);
  TimelineInput input;
  input.data.trace = &document.trace;
  input.data.streams = &document.streams;
  input.data.busy = &document.busy;
  input.data.hues = &document.hues;
  input.data.folds = &document.folds;
  input.palette = &palette;
  input.view.width_px = 1920;
  input.view.height_px = 1080;
  const VerticalLayout vertical = layout_vertically(input);
  ZoomWalk walk(document.trace, input.view.width_px, input.view.height_px, vertical.height);
  std::size_t most_slices = 0;
  std::vector<double> cpu;
  double before = cpu_us();
  // The first round counts: what it shows may have to come from the disk.
  walk.run(input, vertical, 2, true, wall_us, [&](const TimelineDrawList& list, bool) {
    most_slices = std::max(most_slices, list.slices.size());
    const double now = cpu_us();
    cpu.push_back(now - std::exchange(before, now));
  });
  std::ranges::sort(cpu);
  const GrowingMemory::Usage usage = resident.memory() ? resident.memory()->usage() : GrowingMemory::Usage{};
  std::printf(
      "%6.1f M ranges, %.0f s of recording, made in %.0f s: frame p50 %.0f us, p90 %.0f, p99 %.0f, most %.0f; of CPU "
      "p99 %.0f, most %.0f; at most %zu rectangles; %.2f GB on disk, resident %.2f GB, at the peak %.2f\n  p50/p99 by "
      "zoom, the whole first:",
      static_cast<double>(document.trace.slice_count()) / 1e6,
      static_cast<double>(document.trace.span().duration()) / 1e9, built_s, walk.at(50), walk.at(90), walk.at(99),
      walk.at(100), cpu[cpu.size() * 99 / 100], cpu.back(), most_slices, static_cast<double>(usage.disk_bytes) / 1e9,
      memory_of_process("VmRSS") / 1e9, peak_bytes() / 1e9);
  for (int zoom = 0; zoom < ZoomWalk::kZooms; ++zoom) std::printf(" %.0f/%.0f", walk.at(zoom, 50), walk.at(zoom, 99));
  std::printf("\n");
  std::fflush(stdout);
}

/// Two threads, nested ranges in tens, `per_second` of them; documents as they come, and frames of some.
void measure_zoom(std::uint64_t ranges, std::uint64_t per_second) {
  constexpr std::uint64_t kBatch = 10'000;
  constexpr std::uint64_t kADocument = 2'000'000;
  static const char* const kNames[] = {"forward", "backward", "aten::mm", "aten::add", "loss", "copy", "wait"};
  const auto begin = std::chrono::steady_clock::now();
  DocumentUpkeep upkeep;
  TraceBuilder builder;
  if (upkeep.resident()->memory()) builder.seal_in(upkeep.resident()->memory());
  const SourceId source = builder.add_source({});
  const auto step = static_cast<Nanos>(2'000'000'000 / per_second);  // of one of two threads
  BatchSink sink;
  DocumentPtr document;
  std::uint64_t shown_at = ranges / 8;
  for (std::uint64_t i = 0; i < ranges; ++i) {
    const std::uint64_t thread = i % 2;
    const std::uint64_t number = i / 2;
    const bool is_parent = number % 10 == 9;  // ends last, as in a capture
    const Nanos at = static_cast<Nanos>(is_parent ? number - 9 : number) * step;
    sink.set_offset(i * 40);
    sink.add(StreamedSlice{{100, static_cast<std::uint32_t>(101 + thread), TrackKind::kThread, 0},
                           is_parent ? "step" : kNames[number % 7],
                           "user_annotation",
                           at + (is_parent ? 0 : step / 10),
                           is_parent ? 10 * step - step / 20 : step * 8 / 10,
                           0,
                           {},
                           false});
    if ((i + 1) % kBatch != 0 && i + 1 != ranges) continue;
    builder.add(source, sink.take());
    builder.seal(source, {}, static_cast<Nanos>(number) * step, 150'000'000);
    const bool is_shown = i + 1 >= shown_at;
    if ((i + 1) % kADocument != 0 && !is_shown) continue;
    document = make_document(builder.copy()->finish(1, nullptr, &upkeep.links()), upkeep, true);
    // They come faster than a program would tell of them; the disk gets the time that it would have then.
    const auto& memory = upkeep.resident()->memory();
    while (memory && memory->usage().sealed_bytes > 2 * GrowingMemory::kUsuallyInMemory &&
           memory->usage().failure.empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!is_shown) continue;
    measure_frames(*document, seconds_since(begin), *upkeep.resident());
    shown_at = std::min(ranges, shown_at * 2);
  }
}

/// Two threads, nested ranges in tens, or with `is_gpu` launches to four streams; a batch each 5 ms, a document each
/// `news_ms`; what those of the last second took.
void measure_stages(bool is_gpu, std::uint64_t per_second, double news_ms, double seconds, double sealed_ms) {
  static const char* const kNames[] = {"forward", "backward", "aten::mm", "aten::add", "loss", "copy", "wait"};
  DocumentUpkeep upkeep;
  TraceBuilder builder;
  if (upkeep.resident()->memory()) builder.seal_in(upkeep.resident()->memory());
  const SourceId source = builder.add_source({});
  const auto step = static_cast<Nanos>(2'000'000'000 / per_second);
  const auto ranges = static_cast<std::uint64_t>(seconds * static_cast<double>(per_second)) / 20 * 20;
  const std::uint64_t batch = std::max<std::uint64_t>(20, per_second / 200 / 20 * 20);
  const auto news = static_cast<std::uint64_t>(static_cast<double>(per_second) * news_ms / 1e3);
  constexpr const char* kStages[] = {"seal",  "copy",       "trace", "idle",   "hues",
                                     "steps", "statistics", "folds", "refresh"};
  std::vector<double> sums(std::size(kStages), 0);
  std::size_t counted = 0;
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.view().resize(1600, 500, 1);
  BatchSink sink;
  std::uint64_t made_at = 0;
  for (std::uint64_t i = 0; i < ranges; ++i) {
    const std::uint64_t number = i / 2;
    const bool is_parent = number % 10 == 9;
    const Nanos at = static_cast<Nanos>(is_parent ? number - 9 : number) * step;
    sink.set_offset(i * 40);
    if (is_gpu) {
      add_launch(sink, i, step / 2);
    } else {
      sink.add(StreamedSlice{{100, static_cast<std::uint32_t>(101 + i % 2), TrackKind::kThread, 0},
                             is_parent ? "step" : kNames[number % 7],
                             "user_annotation",
                             at + (is_parent ? 0 : step / 10),
                             is_parent ? 10 * step - step / 20 : step * 8 / 10,
                             0,
                             {},
                             false});
    }
    if ((i + 1) % batch != 0) continue;
    double last = cpu_us();
    std::size_t stage = 0;
    const bool is_counted = i + per_second >= ranges;
    const auto tell = [&] {
      const double now = cpu_us();
      if (is_counted) sums[stage] += now - last;
      ++stage;
      last = cpu_us();
    };
    builder.add(source, sink.take());
    last = cpu_us();
    builder.seal(source, {}, static_cast<Nanos>(number) * step, static_cast<Nanos>(sealed_ms * 1e6));
    tell();
    if (i + 1 < made_at + news) continue;
    made_at = i + 1;
    last = cpu_us();
    auto document = std::make_shared<Document>();
    document->is_partial = true;
    std::unique_ptr<TraceBuilder> copy = builder.copy();
    tell();
    document->trace = copy->finish(1, nullptr, &upkeep.links());
    tell();
    document->idle = upkeep.idle(document->trace, false);
    document->streams = document->idle->streams;
    document->busy = upkeep.busy(document->trace, *document->idle);
    tell();
    document->hues = NameHues(document->trace.strings());
    tell();
    document->steps = upkeep.steps(document->trace);
    tell();
    document->statistics = upkeep.statistics(document->trace);
    tell();
    document->folds = upkeep.folds(document->trace);
    tell();
    document->home = document->trace.span();
    document->resident = upkeep.resident();
    workspace.refresh(document);
    tell();
    workspace.settle();
    counted += is_counted ? 1 : 0;
  }
  std::printf("%9llu ranges/s, news of %3.0f ms, settled after %3.0f ms, after %.0f s; CPU ms a document:",
              static_cast<unsigned long long>(per_second), news_ms, sealed_ms, seconds);
  double sum = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double ms = sums[k] / 1e3 / static_cast<double>(std::max<std::size_t>(counted, 1));
    if (k > 0 && k + 1 < sums.size()) sum += ms;
    std::printf(" %s %.2f", kStages[k], ms);
  }
  std::printf("; copy to folds %.2f\n", sum);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc <= 1)
    for (const std::uint64_t events : {100'000, 1'000'000, 4'000'000}) measure_pictures(events);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == "gpu") {
    if (arguments.size() == 1) arguments.insert(arguments.end(), {"1", "4", "16"});
    for (std::size_t i = 1; i < arguments.size(); ++i)
      measure_gpu(static_cast<std::uint64_t>(std::stod(arguments[i]) * 1e6));
    return 0;
  }
  if (!arguments.empty() && arguments.front() == "stages") {
    const bool is_gpu = arguments.size() > 1 && arguments[1] == "gpu";
    const auto number = [&](std::size_t i, double usual) {
      i += is_gpu ? 1 : 0;
      return i < arguments.size() ? std::stod(arguments[i]) : usual;
    };
    measure_stages(is_gpu, static_cast<std::uint64_t>(number(1, 2e6)), number(2, 33), number(3, 5), number(4, 150));
    return 0;
  }
  if (!arguments.empty() && arguments.front() == "zoom") {
    const double millions = arguments.size() > 1 ? std::stod(arguments[1]) : 180;
    measure_zoom(static_cast<std::uint64_t>(millions * 1e6), arguments.size() > 2 ? std::stoul(arguments[2]) : 50'000);
    return 0;
  }
  if (arguments.empty()) arguments = {find_installation().demo, "200"};
  measure_latency(arguments);
  return 0;
}
