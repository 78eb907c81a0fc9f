// Links of recordings that are kept up from one trace to the next: the same as if each trace were linked afresh.
#include "model/build/growing_links.h"

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/base/growing_memory.h"
#include "model/build/trace_builder.h"
#include "model/trace/import_finding.h"
#include "tests/support/rounds.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

/// Threads that launch work on GPU streams; a GPU tells of its activities some time after they ended.
class Launches {
 public:
  struct Habits {
    unsigned seed = 1;
    int threads = 2;
    int streams = 3;
    int known_after = 30;      ///< launches
    int very_late = 0;         ///< in 1000 activities: told ten times later
    int shared = 0;            ///< in 100 calls: a driver call below has the same correlation
    int shared_later = 0;      ///< in 1000 calls: they have the correlation of an earlier one
    int ids_again = 0;         ///< in 1000 flows: they have the id of an earlier one
    int without_call = 2;      ///< in 100 activities: their call is not recorded
    int without_activity = 2;  ///< in 100 calls
    int unknown = 0;           ///< in 100 calls: they and their activities have the correlation -1, which is none
    bool has_new_tracks = true;
  };
  explicit Launches(const Habits& habits) : habits_(habits), random_(habits.seed) {}

  EventBatch run(int launches) {
    EventBatch batch;
    for (int i = 0; i < launches; ++i) launch(batch);
    batch.seal();
    return batch;
  }
  EventBatch finish() {
    EventBatch batch;
    while (!known_later_.empty()) tell_next(batch);
    batch.seal();
    return batch;
  }
  Nanos now() const { return now_; }

 private:
  struct Told {
    std::uint64_t at = 0;
    int stream = 0;
    SliceRecord slice;
    int thread = -1;  ///< of the flow; -1: none
    Nanos launched = 0;
    std::uint64_t id = 0;
  };
  bool chance(int of, int in) { return static_cast<int>(random_() % static_cast<unsigned>(in)) < of; }

  static TrackKey thread_key(EventBatch& batch, int thread) {
    TrackKey key;
    key.pid = batch.strings.intern("7");
    key.tid = batch.strings.intern(std::to_string(100 + thread));
    return key;
  }
  static TrackKey stream_key(EventBatch& batch, int stream) {
    TrackKey key;
    key.pid = key.device = batch.strings.intern("0");
    key.tid = key.stream = batch.strings.intern(std::to_string(20 + stream));
    key.kind = TrackKind::kGpuStream;
    return key;
  }
  static void put(EventBatch& batch, const TrackKey& key, SliceRecord slice, std::string_view name,
                  std::string_view category) {
    slice.name = batch.strings.intern(name);
    slice.category = batch.category(batch.strings.intern(category));
    batch.tracks[batch.track(key)].slices.push_back(slice);
    ++batch.category_counts[slice.category];
    ++batch.phase_counts['X'];
  }
  void put_flow(EventBatch& batch, const TrackKey& key, Nanos time, std::uint64_t id, char phase) {
    FlowEvent event;
    event.time = time;
    event.file_offset = offset_;
    event.id = FlowId::number(id);
    event.category = batch.category(batch.strings.intern("ac2g"));
    event.phase = phase;
    event.binds_enclosing = phase == 'f';
    batch.flows[batch.flow_thread(key.pid, key.tid)].events.push_back(event);
  }

  void launch(EventBatch& batch) {
    ++launches_;
    // Threads and streams come as it goes on, and so do deeper rows.
    const int grown = habits_.has_new_tracks ? 1 + static_cast<int>(launches_ / 150) : 99;
    const int thread = static_cast<int>(random_() % static_cast<unsigned>(std::min(grown, habits_.threads)));
    const int stream = static_cast<int>(random_() % static_cast<unsigned>(std::min(grown, habits_.streams)));
    now_ += 20 + static_cast<Nanos>(random_() % 30);
    const TrackKey key = thread_key(batch, thread);
    SliceRecord call;
    call.start = now_;
    call.duration = 8;
    call.file_offset = ++offset_;
    call.correlation = ++correlation_;
    if (chance(habits_.shared_later, 1000) && correlation_ > 300) call.correlation = correlation_ - 200;
    if (habits_.unknown > 0 && chance(habits_.unknown, 100)) call.correlation = ~std::uint64_t{0};
    const bool is_recorded = !chance(habits_.without_call, 100);
    if (is_recorded) put(batch, key, call, "cudaLaunchKernel", "cuda_runtime");
    if (is_recorded && chance(habits_.shared, 100)) {
      SliceRecord driver = call;
      driver.start += 2;
      driver.duration -= 4;
      driver.file_offset = ++offset_;
      put(batch, key, driver, "cuLaunchKernel", "cuda_driver");
    }
    if (chance(1, 4)) {
      SliceRecord around;
      around.start = now_ - 5;
      around.duration = 16;
      around.file_offset = ++offset_;
      put(batch, key, around, launches_ > 400 ? "aten::mm" : "aten::add", "cpu_op");
    }
    if (!chance(habits_.without_activity, 100)) {
      const int activities = chance(1, 12) ? 3 : 1;  // a graph
      for (int a = 0; a < activities; ++a) {
        Told told;
        told.at =
            launches_ + static_cast<std::uint64_t>(habits_.known_after) * (chance(habits_.very_late, 1000) ? 10 : 1);
        told.stream = activities == 1 ? stream : (stream + a) % std::min(grown, habits_.streams);
        Nanos& free = free_[told.stream];
        told.slice.start = std::max(free, now_ + 4) + static_cast<Nanos>(random_() % 9);
        told.slice.duration = 5 + static_cast<Nanos>(random_() % 12);
        if (!chance(1, 9)) free = told.slice.start + told.slice.duration;  // else some run beside each other
        told.slice.correlation = chance(1, 50) ? 0 : call.correlation;
        told.thread = chance(1, 10) ? -1 : thread;
        told.launched = now_;
        told.id = ++flow_;
        if (chance(habits_.ids_again, 1000) && flow_ > 200) told.id = flow_ - 150;
        known_later_.push_back(told);
      }
      std::ranges::stable_sort(known_later_, {}, &Told::at);
    }
    while (!known_later_.empty() && known_later_.front().at <= launches_) tell_next(batch);
  }
  void tell_next(EventBatch& batch) {
    Told told = known_later_.front();
    known_later_.pop_front();
    told.slice.file_offset = ++offset_;
    const TrackKey key = stream_key(batch, told.stream);
    put(batch, key, told.slice, "gemm", "kernel");
    if (told.thread < 0) return;
    put_flow(batch, thread_key(batch, told.thread), told.launched, told.id, 's');
    put_flow(batch, key, told.slice.start, told.id, 'f');
  }

  Habits habits_;
  std::mt19937 random_;
  std::deque<Told> known_later_;
  std::map<int, Nanos> free_;
  Nanos now_ = 1000;
  std::uint64_t launches_ = 0, offset_ = 0, correlation_ = 0, flow_ = 0;
};

void check_same_links(const Trace& grown, const Trace& fresh) {
  REQUIRE(grown.slice_count() == fresh.slice_count());
  const Links& a = grown.links();
  const Links& b = fresh.links();
  CHECK(a.gpu_activities == b.gpu_activities);
  CHECK(a.linked == b.linked);
  const auto same = [](const LaunchLink& x, const LaunchLink& y) {
    return x.launch == y.launch && x.activity == y.activity;
  };
  CHECK(std::ranges::equal(a.launches(), b.launches(), same));
  CHECK(std::ranges::equal(a.by_activity(), b.by_activity(), same));
  const auto same_arrow = [](const FlowArrow& x, const FlowArrow& y) {
    return x.from == y.from && x.to == y.to && x.from_time == y.from_time && x.to_time == y.to_time &&
           x.category == y.category;
  };
  CHECK(std::ranges::equal(a.flows(), b.flows(), same_arrow));
  // Counted, since an assertion for each of millions takes longer than what it asserts.
  std::size_t other_arrows = 0, other_launches = 0;
  for (const FlowArrow& arrow : b.flows()) {
    other_arrows += !std::ranges::equal(a.flows_to(arrow.to), b.flows_to(arrow.to), same_arrow);
    other_arrows += !std::ranges::equal(a.flows_from(arrow.from), b.flows_from(arrow.from), same_arrow);
  }
  for (const LaunchLink& link : b.launches()) {
    other_launches += a.launch_of(link.activity) != link.launch;
    other_launches += !std::ranges::equal(a.activities_of(link.launch), b.activities_of(link.launch), same);
  }
  CHECK(other_arrows == 0);
  CHECK(other_launches == 0);
  const auto in_words = [](const Trace& trace) {
    std::string text;
    for (const ImportReport::Line& line : trace.report().lines())
      text += std::to_string(static_cast<int>(line.finding)) + ": " + std::to_string(line.count) + "; ";
    return text;
  };
  CHECK(in_words(grown) == in_words(fresh));
}

/// What it kept in the end.
std::size_t record(const Launches::Habits& habits, int batches, int launches) {
  Launches program(habits);
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  GrowingLinks links;
  for (int i = 0; i <= batches; ++i) {
    builder.add(source, i == batches ? program.finish() : program.run(launches));
    builder.seal(source, {}, program.now(), 2000);
    CAPTURE(i);
    check_same_links(builder.copy()->finish(1, nullptr, &links), builder.snapshot());
  }
  return links.kept();
}

}  // namespace

TEST_CASE("links that are kept up are those of a trace linked afresh") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  for (unsigned seed = 1; seed <= rounds(6U); ++seed) {
    CAPTURE(seed);
    // All but the last launches were joined for good, and most flows.
    CHECK(record({.seed = seed}, 30, 40) > 1500);
    CHECK(record({.seed = seed, .threads = 1, .streams = 1, .known_after = 3}, 30, 40) > 1500);
  }
}

TEST_CASE("links that fill many parts are those of a trace linked afresh") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  for (unsigned seed = 7; seed < 7 + rounds(2U); ++seed) {
    CAPTURE(seed);
    CHECK(record({.seed = seed, .threads = 3, .streams = 2, .known_after = 300}, 14, 600) > 12'000);
    CHECK(record({.seed = seed, .threads = 1, .streams = 1, .very_late = 5}, 14, 600) > 12'000);
  }
}

TEST_CASE("links of traces that follow each other share what is sealed") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  Launches program({.seed = 5, .threads = 2, .streams = 2, .has_new_tracks = false});
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  GrowingLinks growing;
  Links before;
  std::size_t most_new = 0;
  for (int i = 0; i < 30; ++i) {
    builder.add(source, program.run(700));
    builder.seal(source, {}, program.now(), 2000);
    const Trace trace = builder.copy()->finish(1, nullptr, &growing);
    const Links& links = trace.links();
    CHECK(links.launches().size() > before.launches().size());
    for (const auto table : {&Links::launches, &Links::by_activity})
      most_new = std::max(most_new, (links.*table)().size() - (links.*table)().shared_with((before.*table)()));
    most_new = std::max(most_new, links.flows().size() - links.flows().shared_with(before.flows()));
    before = links;
  }
  CHECK(before.launches().size() > 20'000);
  // The launches between two traces, and a part of each thread or stream that some of them lie in.
  CHECK(most_new < 700 + 4 * 1024 + 1024);
}

TEST_CASE("links are kept up where several calls have one correlation") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  for (unsigned seed = 1; seed <= rounds(4U); ++seed) {
    CAPTURE(seed);
    CHECK(record({.seed = seed, .shared = 30}, 25, 40) > 1200);
    (void)record({.seed = seed, .shared = 10, .shared_later = 10}, 40, 40);
  }
}

TEST_CASE("links are kept up where correlations are not known") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  for (unsigned seed = 1; seed <= rounds(4U); ++seed) {
    CAPTURE(seed);
    CHECK(record({.seed = seed, .unknown = 20}, 25, 40) > 900);
  }
}

TEST_CASE("links that cannot be kept up are made afresh") {
  for (unsigned seed = 1; seed <= rounds(4U); ++seed) {
    CAPTURE(seed);
    (void)record({.seed = seed, .ids_again = 20}, 40, 40);
    (void)record({.seed = seed, .very_late = 20}, 40, 40);
    (void)record({.seed = seed, .known_after = 200, .very_late = 3, .ids_again = 2}, 40, 40);
    CHECK(record({.seed = seed, .ids_again = 200}, 40, 40) == 0);
  }
}
