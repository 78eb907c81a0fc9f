// Causes of the gaps of a recording that are kept up from one trace to the next: the same as if each trace were
// looked at afresh.
#include "model/causes/growing_causes.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/build/growing_links.h"
#include "model/build/trace_builder.h"
#include "tests/support/rounds.h"

using namespace lacuna;

namespace {

constexpr Nanos kMicros = 1000;
constexpr Nanos kMillis = 1'000'000;

struct ProgramEvent {
  TrackKind kind = TrackKind::kThread;
  int track = 0;  ///< thread, or stream + 10 * device
  std::string name;
  std::string category;
  TimeSpan span;
  std::uint64_t correlation = 0;
  Nanos told = 0;          ///< when the recording hears of it
  bool is_running = true;  ///< … and before, that it runs
};

struct ProgramHabits {
  unsigned seed = 1;
  bool has_steps = false;
  bool is_server = false;  // … an inference server's
  bool has_second_thread = true;
  bool has_states = false;
  bool is_thinned = false;  ///< only some calls are recorded
  bool fills_queues = false;
  int without_work = 2;            ///< in 100 launches: their work is never told
  Nanos gpu_known = 12 * kMillis;  ///< at most so late
  int very_late = 0;               ///< in 1000 works: told 60 ms later
};

/// A program that uses two GPUs, with all that rules look at.
class GpuProgram {
 public:
  explicit GpuProgram(const ProgramHabits& habits) : habits_(habits), random_(habits.seed) {
    for (int round = 0; round < rounds(900, 450); ++round) {
      run(0);
      if (habits.has_second_thread && round > 200) run(1);
      if (habits.fills_queues && round % 200 == 50) fill_queue();
    }
    for (int thread = 0; thread < 2; ++thread)
      for (Nanos t = 0; habits.has_states && t < time_[thread];) {
        const Nanos end = t + between(50, 900) * kMicros;
        add({TrackKind::kThreadStates,
             thread,
             chance(60) ? "running" : "preempted",
             "thread_state",
             {t, end},
             0,
             0,
             false},
            3 * kMillis);
        t = end;
      }
    std::ranges::stable_sort(events, {}, &ProgramEvent::told);
  }
  std::vector<ProgramEvent> events;  // by when they are told

 private:
  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  Nanos between(Nanos low, Nanos high) {
    return low + static_cast<Nanos>(random_() % static_cast<unsigned>(high - low));
  }

  void add(ProgramEvent event, Nanos known_later) {
    event.told = event.span.end + between(0, known_later + 1);
    events.push_back(std::move(event));
  }
  void slice(int thread, const std::string& name, const std::string& category, TimeSpan span, bool is_running = true) {
    add({TrackKind::kThread, thread, name, category, span, 0, 0, is_running}, kMillis);
  }
  TimeSpan call(int thread, const std::string& name, Nanos duration, std::uint64_t correlation) {
    Nanos& t = time_[thread];
    const TimeSpan span{t, t + duration};
    t = span.end + between(200, 2000);
    add({TrackKind::kThread, thread, name, "cuda_runtime", span, correlation, 0, false}, 4 * kMillis);
    return span;
  }
  std::uint64_t next_correlation() { return correlation_ += habits_.is_thinned ? 60 : 1; }
  TimeSpan work(int stream, const std::string& name, const std::string& category, Nanos not_before, Nanos duration,
                std::uint64_t correlation) {
    Nanos& free = free_[stream];
    const Nanos start = std::max(free + between(500, 3000), not_before);
    const TimeSpan span{start, start + duration};
    if (!chance(6)) free = span.end;  // else the next one may overlap
    add({TrackKind::kGpuStream, stream, name, category, span, correlation, 0, false}, habits_.gpu_known);
    if (static_cast<int>(random_() % 1000) < habits_.very_late) events.back().told += 60 * kMillis;
    return span;
  }
  int any_stream() {
    static const int kStreams[] = {7, 7, 7, 20, 17};
    return kStreams[random_() % 5];
  }
  void launch(int thread) {
    static const char* const kKernels[] = {"gemm", "softmax", "ncclDevKernel_AllReduce", "add", "layer_norm", "gelu"};
    const std::uint64_t correlation = next_correlation();
    const bool is_long = chance(1);
    const TimeSpan issued = call(thread, "cudaLaunchKernel",
                                 is_long ? between(1100, 1500) * kMicros : between(3, 9) * kMicros, correlation);
    if (chance(habits_.without_work)) return;
    const Nanos start = issued.end + between(1, 9) * kMicros + (chance(4) ? between(20, 400) * kMicros : 0);
    work(any_stream(), kKernels[random_() % 6], "kernel", start, between(4, chance(10) ? 3000 : 150) * kMicros,
         correlation);
  }
  void graph(int thread) {
    const std::uint64_t correlation = next_correlation();
    const TimeSpan issued = call(thread, "cudaGraphLaunch", between(10, 40) * kMicros, correlation);
    Nanos at = issued.end;
    for (int node = 0; node < 6; ++node)
      at = work(node % 3 == 2 ? 20 : 7, "node", "kernel", at + between(0, 90) * kMicros, between(4, 40) * kMicros,
                correlation)
               .end;
  }
  void copy(int thread) {
    const std::uint64_t correlation = next_correlation();
    const Nanos called = time_[thread];
    const TimeSpan copied = work(7, "Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", called + 5 * kMicros,
                                 between(4, 300) * kMicros, correlation);
    call(thread, "cudaMemcpyAsync", copied.end - called + between(1, 30) * kMicros, correlation);
  }
  void fill_queue() {
    for (int i = 0; i < 1500; ++i) {
      const std::uint64_t correlation = next_correlation();
      const TimeSpan issued = call(0, "cudaLaunchKernel", i % 400 == 399 ? 700 * kMicros : 2 * kMicros, correlation);
      work(i % 90 == 0 ? 20 : 7, "small", "kernel", issued.end + 2 * kMicros, 6 * kMicros, correlation);
    }
  }

  void run(int thread) {
    Nanos& t = time_[thread];
    if (thread == 1) t = std::max(t, time_[0] - 2 * kMillis);
    const Nanos begin = t;
    switch (random_() % 16) {
      case 0:
        call(thread, "cudaStreamSynchronize", std::max(between(2, 30) * kMicros, free_[7] - t), next_correlation());
        break;
      case 1:
        copy(thread);
        break;
      case 2:
        call(thread, chance(50) ? "cudaMalloc" : "cudaFree", between(20, 400) * kMicros, next_correlation());
        break;
      case 3:
        t += between(10, 1500) * kMicros;
        slice(thread, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "cpu_op", {begin, t});
        break;
      case 4:
        t += 3 * kMicros;
        call(thread, "cuModuleLoadData", between(50, 700) * kMicros, next_correlation());
        slice(thread, "Lazy Function Loading", "overhead", {begin + 4 * kMicros, begin + 40 * kMicros}, false);
        slice(thread, "aten::first", "cpu_op", {begin, t});
        break;
      case 5:
        graph(thread);
        break;
      case 6:
        call(thread, "cudaLaunchHostFunc", 4 * kMicros, next_correlation());
        launch(thread);
        break;
      case 7:
        t += between(5, 900) * kMicros;
        break;
      case 8:
        t += between(5, 300) * kMicros;
        slice(thread, "gloo:all_reduce", "cpu_op", {begin, t});
        break;
      case 9:
        slice(thread, chance(50) ? "Buffer Flush" : "Command Buffer Full", "overhead",
              {t, t + between(20, 200) * kMicros}, false);
        launch(thread);
        break;
      default: {
        for (int i = 0; i < 1 + static_cast<int>(random_() % 4); ++i) {
          t += between(1, 30) * kMicros;
          launch(thread);
        }
        if (chance(85)) slice(thread, "aten::mm", "cpu_op", {begin, t});
      }
    }
    if (chance(15)) slice(thread, "train.py(7): step", "python_function", {begin, t});
    t += between(1, 40) * kMicros;
    if (habits_.has_steps && thread == 0 && events.size() > 700 && chance(4)) {
      const std::string name = habits_.is_server ? "step[DECODE bs=4]" : "ProfilerStep#" + std::to_string(step_++);
      slice(0, name, "user_annotation", {std::max(step_begin_, begin - 9 * kMillis), t});
      step_begin_ = t;
    }
  }

  ProgramHabits habits_;
  std::mt19937 random_;
  Nanos time_[2] = {0, 0};
  std::map<int, Nanos> free_;
  std::uint64_t correlation_ = 0;
  int step_ = 1;
  Nanos step_begin_ = 0;
};

void put_event(EventBatch& batch, const ProgramEvent& event, TimeSpan span, std::uint64_t offset) {
  TrackKey key;
  key.kind = event.kind;
  key.pid = batch.strings.intern(event.kind == TrackKind::kGpuStream ? std::to_string(event.track / 10) : "100");
  key.tid = batch.strings.intern(
      std::to_string(event.kind == TrackKind::kThreadStates ? 1'000'000'001 + event.track : 1 + event.track));
  if (event.kind == TrackKind::kGpuStream) {
    key.device = key.pid;
    key.stream = key.tid;
  }
  SliceRecord slice;
  slice.start = span.begin;
  slice.duration = span.duration();
  slice.file_offset = offset;
  slice.correlation = event.correlation;
  slice.name = batch.strings.intern(event.name);
  slice.category = batch.category(batch.strings.intern(event.category));
  batch.tracks[batch.track(key)].slices.push_back(slice);
  ++batch.category_counts[slice.category];
  ++batch.phase_counts['X'];
}

bool same_verdict(const GapDiagnosis& a, const GapDiagnosis& b) {
  return a.cause == b.cause && a.rule == b.rule && a.late == b.late && a.before_issue == b.before_issue &&
         a.in_queue == b.in_queue && a.thread == b.thread && a.sync_call == b.sync_call && a.sync_time == b.sync_time &&
         a.waited_for == b.waited_for && a.code_loading == b.code_loading && a.rank_wait == b.rank_wait &&
         a.late_rank == b.late_rank && a.profiler_time == b.profiler_time;
}
bool same_verdict(const Gap& a, const Gap& b) {
  return a.start == b.start && a.end == b.end && a.before == b.before && a.after == b.after && a.launch == b.launch;
}
template <class T>
bool same_start(const SharedVector<T>& a, const SharedVector<T>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (!same_verdict(a[i], b[i])) {
      CAPTURE(i);
      CHECK(false);
      return false;
    }
  return true;
}

void check_same_idle(const Trace& trace, const IdleTime& grown, bool is_last) {
  const CauseIndex index(trace);
  const std::vector<CausedGaps> streams = diagnose_streams(index);
  REQUIRE(grown.streams.size() == streams.size());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    CAPTURE(s);
    REQUIRE(grown.streams[s].gaps.size() == streams[s].gaps.size());
    CHECK(grown.streams[s].busy == streams[s].busy);
    CHECK(grown.streams[s].window() == streams[s].window);
    REQUIRE(same_start(grown.streams[s].gaps, streams[s].gaps));
    REQUIRE(same_start(grown.by_stream[s], streams[s].diagnoses));
    if (is_last) CHECK(grown.by_stream[s].size() == streams[s].gaps.size());
  }
  const std::vector<CausedGaps> devices = diagnose_devices(index);
  REQUIRE(grown.devices.size() == devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d) {
    CAPTURE(d);
    REQUIRE(grown.devices[d].gaps.size() == devices[d].gaps.size());
    CHECK(grown.devices[d].busy == devices[d].busy);
    REQUIRE(same_start(grown.devices[d].gaps, devices[d].gaps));
    REQUIRE(same_start(grown.devices[d].diagnoses, devices[d].diagnoses));
    if (is_last) CHECK(grown.devices[d].diagnoses.size() == devices[d].gaps.size());
  }
}

/// What documents said of each gap, against what the program did and what the finished trace says. It knows nothing of
/// the time until which GrowingCauses takes all to be told.
class KnownVerdicts {
 public:
  /// `known_after`: a verdict waits for so long for what is still to be told.
  KnownVerdicts(const std::vector<ProgramEvent>& events, Nanos known_after) : known_after_(known_after) {
    first_unknown_end_.assign(events.size() + 1, kMaxNanos);
    for (std::size_t i = events.size(); i-- > 0;) {
      first_unknown_end_[i] = std::min(first_unknown_end_[i + 1], events[i].span.end);
      known_late_ = std::max(known_late_, events[i].told - events[i].span.end);
      if (events[i].kind == TrackKind::kThread && !events[i].is_running) calls_.push_back(events[i].span);
    }
  }
  /// `told`: so many events of the program are in the trace, the first ones.
  void add(const Trace& trace, const IdleTime& idle, std::size_t told) {
    const auto note = [&](const StreamName& name, const SharedVector<Gap>& gaps,
                          const SharedVector<GapDiagnosis>& verdicts) {
      auto& of_stream = told_[name];
      for (std::size_t g = 0; g < verdicts.size(); ++g) {
        const auto [known, is_new] = of_stream.try_emplace(gaps[g].end, Told{verdicts[g], verdicts[g], told});
        if (is_new) {
          ++count_;
          too_early_ += gaps[g].end > first_unknown_end_[told];
        } else if (!is_same(known->second.last, verdicts[g])) {
          changed_ += !was_under_way(gaps[g], known->second.events);
          known->second.last = verdicts[g];
        }
      }
      for (std::size_t g = verdicts.size(); g < gaps.size() && first_unknown_end_[told] < kMaxNanos; ++g)
        too_late_ += gaps[g].end <= trace.span().end - known_after_;
    };
    for (std::size_t s = 0; s < idle.streams.size(); ++s)
      note(name_of(trace, idle.streams[s].device, idle.streams[s].stream), idle.streams[s].gaps, idle.by_stream[s]);
    for (const CausedGaps& device : idle.devices)
      note(name_of(trace, device.device, kEmptyString), device.gaps, device.diagnoses);
  }
  /// Verdicts of which the finished trace, looked at afresh, has another or no gap, without a call that was under way
  /// when they were told first.
  std::uint64_t untrue(const Trace& finished) const {
    const CauseIndex index(finished);
    std::map<StreamName, std::map<Nanos, std::pair<Gap, GapDiagnosis>>> truth;
    for (const auto& sets : {diagnose_streams(index), diagnose_devices(index)})
      for (const CausedGaps& set : sets)
        for (std::size_t g = 0; g < set.gaps.size(); ++g)
          truth[name_of(finished, set.device, set.stream)].try_emplace(set.gaps[g].end, set.gaps[g], set.diagnoses[g]);
    std::uint64_t count = 0;
    for (const auto& [name, gaps] : told_)
      for (const auto& [end, told] : gaps) {
        const auto& of_stream = truth[name];
        const auto it = of_stream.find(end);
        count += it == of_stream.end() ||
                 (!is_same(told.first, it->second.second) && !was_under_way(it->second.first, told.events));
      }
    return count;
  }
  std::uint64_t count() const { return count_; }
  /// Other verdicts on the same gap in later documents, without a call that was under way when it was told.
  std::uint64_t changed() const { return changed_; }
  /// Verdicts on gaps while something that ended before their end was still to be told.
  std::uint64_t too_early() const { return too_early_; }
  /// Gaps in documents that still had no verdict when it need not wait any longer.
  std::uint64_t too_late() const { return too_late_; }

 private:
  using StreamName = std::pair<std::string, std::string>;  // device, stream; a device has no stream
  struct Told {
    GapDiagnosis first;
    GapDiagnosis last;
    std::size_t events = 0;  ///< so many were in the trace that told `first`
  };

  static StreamName name_of(const Trace& trace, StringId device, StringId stream) {
    return {std::string(trace.text(device)), std::string(trace.text(stream))};
  }
  /// Ids of slices change with the rows of their tracks.
  static bool is_same(const GapDiagnosis& a, const GapDiagnosis& b) {
    return a.cause == b.cause && a.rule == b.rule && a.late == b.late && a.before_issue == b.before_issue &&
           a.in_queue == b.in_queue && a.thread == b.thread && a.sync_call.valid() == b.sync_call.valid() &&
           a.sync_time == b.sync_time && a.waited_for.valid() == b.waited_for.valid() &&
           a.code_loading == b.code_loading && a.profiler_time == b.profiler_time;
  }
  /// No verdict waits for a call that runs on for long after the gap: neither for its end nor for what ends it.
  bool was_under_way(const Gap& gap, std::size_t told) const {
    return std::ranges::any_of(calls_, [&](TimeSpan call) {
      return call.begin < gap.end && call.end > gap.end + known_after_ - known_late_ &&
             call.end >= first_unknown_end_[told];
    });
  }

  Nanos known_after_;
  Nanos known_late_ = 0;
  std::vector<TimeSpan> calls_;
  std::vector<Nanos> first_unknown_end_;  // when so many are told: the first end of the others
  std::map<StreamName, std::map<Nanos, Told>> told_;
  std::uint64_t count_ = 0;
  std::uint64_t changed_ = 0;
  std::uint64_t too_early_ = 0;
  std::uint64_t too_late_ = 0;
};

struct GrownCauses {
  std::uint64_t told = 0;  ///< verdicts
  std::uint64_t changed = 0;
  std::uint64_t too_early = 0;
  std::uint64_t too_late = 0;
  std::uint64_t untrue = 0;  ///< of `told`, the finished trace says something else
  std::uint64_t gaps = 0;
  std::uint64_t judged = 0;
  std::uint32_t starts_over = 0;
  std::map<GapCause, int> causes;
};

struct Growth {
  Nanos period = 9 * kMillis;
  bool seals = true;
  bool is_random = false;  ///< documents come at any time, of `period` on the average
  bool compares = true;    ///< each with a trace looked at afresh
};

GrownCauses record_program(const ProgramHabits& habits, const Growth& growth = {}) {
  const GpuProgram program(habits);
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  GrowingLinks links;
  constexpr Nanos kKnownAfter = 20 * kMillis;
  GrowingCauses causes(kKnownAfter);
  GrownCauses recorded;
  std::uint64_t offset = 0;
  std::size_t next = 0;
  KnownVerdicts told(program.events, kKnownAfter);
  std::mt19937 random(habits.seed + 99);
  for (Nanos now = 0;;) {
    now +=
        growth.is_random ? 1 + static_cast<Nanos>(random() % static_cast<unsigned>(2 * growth.period)) : growth.period;
    EventBatch batch;
    for (; next < program.events.size() && program.events[next].told <= now; ++next)
      put_event(batch, program.events[next], program.events[next].span, ++offset);
    batch.seal();
    builder.add(source, std::move(batch));
    const bool is_last = next == program.events.size();
    if (growth.seals) builder.seal(source, {}, now, 30 * kMillis);
    auto copy = builder.copy();
    EventBatch running;
    for (std::size_t i = next; i < program.events.size(); ++i)
      if (program.events[i].is_running && program.events[i].span.begin < now)
        put_event(running, program.events[i], {program.events[i].span.begin, std::min(now, program.events[i].span.end)},
                  1u << 30);
    running.seal();
    copy->add(source, std::move(running));
    const Trace trace = copy->finish(1, nullptr, &links);
    const IdleTime idle = causes.update(trace, is_last);
    CAPTURE(now);
    if (growth.compares) check_same_idle(trace, idle, is_last);
    told.add(trace, idle, next);
    if (!is_last) {
      std::size_t known = 0, all = 0;
      for (std::size_t s = 0; s < idle.streams.size(); ++s) {
        known += idle.by_stream[s].size();
        all += idle.streams[s].gaps.size();
      }
      if (now > 100 * kMillis && causes.starts_over() == 0) CHECK(known > 0);
      CHECK(known <= all);
      continue;
    }
    recorded.untrue = told.untrue(trace);
    for (std::size_t s = 0; s < idle.streams.size(); ++s)
      for (const GapDiagnosis& diagnosis : idle.by_stream[s]) ++recorded.causes[diagnosis.cause];
    for (const StreamActivity& stream : idle.streams) recorded.gaps += stream.gaps.size();
    for (const CausedGaps& device : idle.devices) recorded.gaps += device.gaps.size();
    break;
  }
  recorded.told = told.count();
  recorded.changed = told.changed();
  recorded.too_early = told.too_early();
  recorded.too_late = told.too_late();
  recorded.judged = causes.judged();
  recorded.starts_over = causes.starts_over();
  return recorded;
}

}  // namespace

TEST_CASE("causes that are kept up are those of each trace looked at afresh") {
  std::map<GapCause, int> seen;
  for (unsigned seed = 1; seed < 1 + rounds(6U); ++seed) {
    CAPTURE(seed);
    const GrownCauses recorded = record_program({.seed = seed, .has_states = seed % 2 == 0});
    CHECK(recorded.gaps > 500);
    CHECK(recorded.starts_over == 0);
    CHECK(recorded.judged < 8 * recorded.gaps);
    for (const auto& [cause, count] : recorded.causes) seen[cause] += count;
  }
  // The program has most of what there is to see.
  CHECK(seen.size() >= 10);
}

TEST_CASE("causes are kept up in recordings with steps, few calls, full queues and other ways to see them") {
  for (unsigned seed = 11; seed < 11 + rounds(3U); ++seed) {
    CAPTURE(seed);
    CHECK(record_program({.seed = seed, .has_steps = true}).causes[GapCause::kOutsideSteps] > 0);
    CHECK(record_program({.seed = seed, .has_steps = true, .is_server = true}).causes[GapCause::kOutsideSteps] > 0);
    CHECK(record_program({.seed = seed, .is_thinned = true}).starts_over == 0);
    CHECK(record_program({.seed = seed, .without_work = 30}, {.period = 3 * kMillis}).causes[GapCause::kNotRecorded] >
          0);
    CHECK(record_program({.seed = seed}, {.period = 40 * kMillis, .seals = false}).starts_over == 0);
  }
  CHECK(record_program({.seed = 14, .fills_queues = true}, {.period = 27 * kMillis}).causes[GapCause::kFullQueue] > 0);
}

TEST_CASE("causes are looked for anew where slices are told later than was thought") {
  for (unsigned seed = 21; seed < 21 + rounds(3U); ++seed) {
    CAPTURE(seed);
    CHECK(record_program({.seed = seed, .very_late = 8}).starts_over > 0);
    (void)record_program({.seed = seed, .gpu_known = 45 * kMillis});
  }
}

TEST_CASE("a verdict that a document tells is the one of the whole recording") {
  for (unsigned seed = 31; seed < 31 + rounds(6U); ++seed) {
    CAPTURE(seed);
    const GrownCauses recorded =
        record_program({.seed = seed, .has_states = seed % 2 == 0, .gpu_known = 15 * kMillis},
                       {.period = (1 + seed % 3 * 5) * kMillis, .is_random = true, .compares = false});
    REQUIRE(recorded.starts_over == 0);
    CHECK(recorded.told == recorded.gaps);
    CHECK(recorded.too_early == 0);
    CHECK(recorded.too_late == 0);
    CHECK(recorded.untrue == 0);
    CHECK(recorded.changed == 0);
  }
}
