// Recordings whose lanes grow: the same slices in the same places as if each trace were made anew.
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "model/base/growing_memory.h"
#include "model/build/trace_builder.h"
#include "model/index/fold_index.h"
#include "model/statistics/growing_percentiles.h"
#include "model/statistics/growing_statistics.h"
#include "model/statistics/statistics.h"
#include "model/steps/growing_steps.h"
#include "model/trace/import_finding.h"
#include "tests/support/rounds.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

constexpr std::uint64_t kStillRuns = std::uint64_t{1} << 62;

/// Threads that begin and end ranges, as a capture hears of them: at their ends.
class Program {
 public:
  struct Habits {
    unsigned seed = 1;
    int threads = 2;
    int standing_still = 0;  ///< in 16: how often the next event is at the same time
    int crossing = 0;        ///< in 1000: a range ends before one in it
    int late = 0;            ///< in 16: a range is told of two batches later
    int deepest = 6;
  };
  explicit Program(const Habits& habits) : habits_(habits), random_(habits.seed), open_(habits.threads) {}

  /// What happens until `events` more ranges began or ended.
  EventBatch run(int events) {
    EventBatch batch;
    for (Told& told : std::exchange(late_, {})) put(batch, told.thread, told.slice, told.name);
    late_ = std::exchange(later_, {});
    for (int i = 0; i < events; ++i) {
      if (chance(16) >= habits_.standing_still) now_ += 1 + chance(9);
      const int thread = chance(habits_.threads);
      std::vector<Open>& stack = open_[thread];
      const bool begins = stack.empty() || (static_cast<int>(stack.size()) < habits_.deepest && chance(2) == 0);
      if (begins && !is_over_) {
        stack.push_back({now_, "range " + std::to_string(chance(12))});
        continue;
      }
      if (!stack.empty()) end(batch, thread, chance(1000) < habits_.crossing ? chance(stack.size()) : stack.size() - 1);
    }
    batch.seal();
    return batch;
  }
  /// All that runs ends, the outer ones last.
  EventBatch finish() {
    is_over_ = true;
    EventBatch batch;
    for (auto* told : {&late_, &later_})
      for (Told& one : std::exchange(*told, {})) put(batch, one.thread, one.slice, one.name);
    for (std::size_t thread = 0; thread < open_.size(); ++thread)
      for (now_ += 3; !open_[thread].empty(); ++now_) end(batch, thread, open_[thread].size() - 1);
    for (Told& one : std::exchange(later_, {})) put(batch, one.thread, one.slice, one.name);
    batch.seal();
    return batch;
  }
  /// What runs, as if it ended now; not counted.
  EventBatch running() const {
    EventBatch batch;
    for (std::size_t thread = 0; thread < open_.size(); ++thread)
      for (const Open& open : open_[thread]) {
        SliceRecord slice;
        slice.start = open.start;
        slice.duration = now_ - open.start;
        slice.file_offset = kStillRuns;
        put(batch, thread, slice, open.name);
      }
    batch.phase_counts.fill(0);
    batch.category_counts.assign(batch.categories.size(), 0);
    batch.seal();
    return batch;
  }
  Nanos now() const { return now_; }

 private:
  struct Open {
    Nanos start;
    std::string name;
  };
  struct Told {
    std::size_t thread;
    SliceRecord slice;
    std::string name;
  };
  int chance(std::size_t of) { return static_cast<int>(random_() % of); }

  void end(EventBatch& batch, std::size_t thread, std::size_t which) {
    const Open open = open_[thread][which];
    open_[thread].erase(open_[thread].begin() + static_cast<std::ptrdiff_t>(which));
    SliceRecord slice;
    slice.start = open.start;
    slice.duration = now_ - open.start;
    slice.file_offset = ++offset_;
    if (chance(5) == 0) slice.correlation = offset_;
    if (chance(16) < habits_.late) return later_.push_back({thread, slice, open.name});
    put(batch, thread, slice, open.name);
  }
  static void put(EventBatch& batch, std::size_t thread, SliceRecord slice, const std::string& name) {
    TrackKey key;
    key.pid = batch.strings.intern("7");
    key.tid = batch.strings.intern(std::to_string(100 + thread));
    slice.name = batch.strings.intern(name == "range 3" ? "ProfilerStep#" + std::to_string(slice.start / 500) : name);
    slice.category = batch.category(batch.strings.intern(name < "range 5" ? "cpu_op" : "user_annotation"));
    batch.tracks[batch.track(key)].slices.push_back(slice);
    ++batch.category_counts[slice.category];
    ++batch.phase_counts['X'];
  }

  Habits habits_;
  std::mt19937 random_;
  std::vector<std::vector<Open>> open_;
  std::vector<Told> late_, later_;
  Nanos now_ = 1000;
  std::uint64_t offset_ = 0;
  bool is_over_ = false;
};

EventBatch again(const EventBatch& batch) {
  EventBatch copy;
  copy.strings = batch.strings.clone();
  copy.tracks = batch.tracks;
  copy.categories = batch.categories;
  copy.category_counts = batch.category_counts;
  copy.category_first_offsets = batch.category_first_offsets;
  copy.phase_counts = batch.phase_counts;
  return copy;
}

void check_same(const Lane& a, const Lane& b, std::mt19937& random) {
  REQUIRE(a.size() == b.size());
  CHECK(a.nest == b.nest);
  CHECK(a.depth == b.depth);
  CHECK(a.track == b.track);
  std::uint32_t differing = 0;
  for (std::uint32_t i = 0; i < a.size(); ++i)
    differing += a.start(i) != b.start(i) || a.duration(i) != b.duration(i) || a.name(i) != b.name(i) ||
                 a.category(i) != b.category(i) || a.parent(i) != b.parent(i) || a.flags(i) != b.flags(i) ||
                 a.file_offset(i) != b.file_offset(i) || a.correlation(i) != b.correlation(i) ||
                 a.external_id(i) != b.external_id(i);
  CHECK(differing == 0);
  for (int i = 0; i < 20; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % a.size());
    const auto last = first + 1 + static_cast<std::uint32_t>(random() % (a.size() - first));
    CHECK(a.longest(first, last) == b.longest(first, last));
  }
}

void check_same(const Trace& a, const Trace& b) {
  std::mt19937 random(1);
  REQUIRE(a.lanes().size() == b.lanes().size());
  CHECK(a.slice_count() == b.slice_count());
  CHECK(a.span() == b.span());
  for (std::size_t i = 0; i < a.lanes().size(); ++i) check_same(a.lanes()[i], b.lanes()[i], random);
  REQUIRE(a.tracks().size() == b.tracks().size());
  for (std::size_t i = 0; i < a.tracks().size(); ++i) {
    CHECK(a.tracks()[i].nest_count == b.tracks()[i].nest_count);
    CHECK(a.tracks()[i].slice_count == b.tracks()[i].slice_count);
  }
  CHECK(a.report().count(Finding::kCrossingSlices) == b.report().count(Finding::kCrossingSlices));
}

void check_same(const Statistics& a, const Statistics& b) {
  CHECK(a.cpu_self == b.cpu_self);
  CHECK(a.gpu_total == b.gpu_total);
  CHECK(a.sampled_self == b.sampled_self);
  REQUIRE(a.rows.size() == b.rows.size());
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const StatisticsRow& x = a.rows[i];
    const StatisticsRow& y = b.rows[i];
    differing += x.name != y.name || x.category != y.category || x.count != y.count || x.total != y.total ||
                 x.self != y.self || x.min != y.min || x.max != y.max || x.longest != y.longest ||
                 x.counted != y.counted;
  }
  CHECK(differing == 0);
}

/// p50 and p99 of all rows, by name and category.
std::map<std::pair<StringId, CategoryId>, std::pair<Nanos, Nanos>> percentiles_of(const Statistics& statistics) {
  std::map<std::pair<StringId, CategoryId>, std::pair<Nanos, Nanos>> out;
  for (const StatisticsRow& row : statistics.rows) out[{row.name, row.category}] = {row.p50, row.p99};
  return out;
}

/// What grows with `a`, against what is made anew of `b`, the same trace.
void check_same(GrowingStatistics& statistics, GrowingPercentiles& percentiles, const Trace& a, const Trace& b) {
  Statistics grown = statistics.update(a);
  check_same(grown, compute_statistics(b));
  percentiles.update(a, grown.rows);
  CHECK(percentiles_of(grown) == percentiles_of(compute_statistics(b, {.percentiles = true})));
}

std::uint64_t sealed_in(const Trace& trace) {
  std::uint64_t sum = 0;
  for (const Lane& lane : trace.lanes()) sum += lane.sealed;
  return sum;
}

/// Runs a program; each picture of it on the way, and the last, as one made anew. Returns how much of the last picture
/// but one was sealed.
std::uint64_t check_program(const Program::Habits& habits, int batches, int events, Nanos horizon) {
  Program program(habits);
  TraceBuilder growing, plain;
  const SourceId source = growing.add_source({});
  (void)plain.add_source({});
  GrowingStatistics statistics;
  GrowingPercentiles percentiles;
  GrowingSteps steps;
  std::vector<std::pair<Trace, Trace>> kept;
  std::uint64_t sealed = 0;
  for (int i = 0; i < batches; ++i) {
    EventBatch batch = program.run(events);
    plain.add(source, again(batch));
    growing.add(source, std::move(batch));
    const EventBatch running = program.running();
    growing.seal(source, running, program.now(), horizon);
    if (i % 3 != 0) continue;
    auto picture = growing.copy();
    picture->add(source, again(running));
    auto anew = plain.copy();
    anew->add(source, again(running));
    Trace a = picture->finish();
    Trace b = anew->finish();
    check_same(a, b);
    check_same(statistics, percentiles, a, b);
    CHECK(steps.update(a) == find_steps(b));
    sealed = sealed_in(a);
    kept.emplace_back(std::move(a), std::move(b));
  }
  EventBatch last = program.finish();
  plain.add(source, again(last));
  growing.add(source, std::move(last));
  const Trace a = growing.finish();
  const Trace b = plain.finish();
  // The last picture makes nothing anew of what the others had, unless it was given up.
  const bool is_orderly = habits.crossing == 0 && habits.late == 0 && habits.standing_still == 0;
  if (is_orderly) CHECK(sealed_in(a) >= sealed);
  check_same(a, b);
  check_same(statistics, percentiles, a, b);
  CHECK(steps.update(a) == find_steps(b));
  CHECK_FALSE(find_steps(b).empty());
  for (const auto& [then, anew] : kept) check_same(then, anew);  // what was seen stays
  return sealed;
}

}  // namespace

TEST_CASE("lanes that grow are those that would be made anew, and most of them is sealed") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  for (unsigned seed = 1; seed <= rounds(20U); ++seed) {
    CAPTURE(seed);
    Program::Habits habits;
    habits.seed = seed;
    habits.threads = 1 + static_cast<int>(seed % 4);
    CHECK(check_program(habits, 30, 200, 40) > 28 * 200 / 2 / 2);
    CHECK(check_program(habits, 30, 200, 0) > 28 * 200 / 2 / 2);
  }
}

TEST_CASE("an outermost range that never ends is no hindrance") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  Program::Habits habits;
  habits.threads = 1;
  habits.deepest = 40;  // deep ones last nearly for ever
  CHECK(check_program(habits, 60, 300, 100) > 58 * 300 / 2 / 2);
}

TEST_CASE("lanes that grow are right whatever order slices come in") {
  for (unsigned seed = 1; seed <= rounds(40U); ++seed) {
    CAPTURE(seed);
    Program::Habits habits;
    habits.seed = seed;
    habits.standing_still = static_cast<int>(seed % 3) * 5;
    habits.crossing = seed % 2 == 0 ? 4 : 0;
    habits.late = seed % 5 == 0 ? 3 : 0;
    check_program(habits, 20, 100, static_cast<Nanos>(seed % 7) * 50);
  }
}

TEST_CASE("what comes late has its place when it comes before slices are sealed") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  Program::Habits habits;
  habits.late = 4;
  CHECK(check_program(habits, 30, 100, 2500) > 10 * 100 / 2);
}

TEST_CASE("a track whose slices come later than was thought starts over, with more time") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  Program::Habits habits;
  habits.late = 4;
  CHECK(check_program(habits, 60, 100, 300) > 60 * 100 / 2 / 4);
}

TEST_CASE("GPU streams grow: kernels that overlap, told at their ends") {
  if (GrowingMemory::make() == nullptr) return skip("no files in memory here: nothing is sealed");
  for (unsigned seed = 1; seed <= rounds(10U); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    struct Kernel {
      SliceRecord slice;
      unsigned stream;
    };
    std::vector<Kernel> waiting;
    TraceBuilder growing, plain;
    const SourceId source = growing.add_source({});
    (void)plain.add_source({});
    GrowingStatistics statistics;
    GrowingPercentiles percentiles;
    Nanos now = 0;
    std::uint64_t offset = 0, sealed = 0;
    for (int round = 0; round < 40; ++round) {
      for (int i = 0; i < 100; ++i) {
        now += 1 + random() % 30;
        Kernel& kernel = waiting.emplace_back();
        kernel.slice.start = now;
        kernel.slice.duration = static_cast<Nanos>(random() % (seed % 2 == 0 ? 25 : 90));
        kernel.slice.correlation = 1 + random() % 1000;
        kernel.stream = static_cast<unsigned>(7 + random() % 3);
      }
      EventBatch batch;
      std::erase_if(waiting, [&](Kernel& kernel) {
        if (round < 39 && kernel.slice.start + kernel.slice.duration > now) return false;
        TrackKey key;
        key.pid = batch.strings.intern("0");
        key.tid = key.stream = batch.strings.intern(std::to_string(kernel.stream));
        key.device = batch.strings.intern("0");
        key.kind = TrackKind::kGpuStream;
        kernel.slice.file_offset = ++offset;
        kernel.slice.name = batch.strings.intern("kernel " + std::to_string(random() % 5));
        kernel.slice.category = batch.category(batch.strings.intern("kernel"));
        batch.tracks[batch.track(key)].slices.push_back(kernel.slice);
        ++batch.category_counts[kernel.slice.category];
        ++batch.phase_counts['X'];
        return true;
      });
      batch.seal();
      plain.add(source, again(batch));
      growing.add(source, std::move(batch));
      growing.seal(source, {}, now, 100);
      const Trace a = growing.copy()->finish();
      const Trace b = plain.copy()->finish();
      check_same(a, b);
      check_same(statistics, percentiles, a, b);
      sealed = sealed_in(a);
    }
    CHECK(sealed > 3800);
  }
}

TEST_CASE("a lane is folded in parts as it is at once") {
  Program::Habits habits;
  habits.threads = 1;
  Program program(habits);
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  builder.add(source, program.run(60'000));
  builder.add(source, program.finish());
  const Trace trace = builder.finish();
  std::mt19937 random(5);
  for (const Lane& lane : trace.lanes()) {
    if (lane.size() < 2000) continue;
    FoldIndex::Parts parts;
    for (std::uint32_t first = 0; first + 700 < lane.size();) {
      const std::uint32_t last = first + 300 + static_cast<std::uint32_t>(random() % 400);
      parts.push_back(std::make_shared<FoldIndex>(lane, first, last));
      first = last;
      // Some of them under one roof, which may itself be one of several.
      while (parts.size() >= 4 && random() % 3 == 0) {
        const auto merged_from = parts.end() - 2 - static_cast<std::ptrdiff_t>(random() % 3);
        FoldIndex::Parts merged(merged_from, parts.end());
        parts.erase(merged_from, parts.end());
        parts.push_back(FoldIndex::over(lane, std::move(merged)));
      }
    }
    const FoldIndex folds(lane, parts);
    for (int round = 0; round < 200; ++round) {
      const Nanos from = trace.span().begin + static_cast<Nanos>(random() % trace.span().duration());
      const TimeSpan view{from, from + 1 + static_cast<Nanos>(random() % (round % 2 == 0 ? 5000 : 200'000))};
      const Nanos fold_ns = Nanos{1} << random() % 20;
      // Each slice in view is in one run, in order; long ones have one of their own.
      std::uint32_t next = lane.first_visible_from(view.begin);
      const std::uint32_t end = lane.first_starting_from(view.end);
      bool is_good = true;
      folds.for_each_run(lane, view, fold_ns, [&](const FoldedRun& run) {
        is_good = is_good && run.first == next && run.last > run.first && run.longest >= run.first &&
                  run.longest < run.last && run.start == lane.start(run.first) && run.end >= lane.end(run.last - 1) &&
                  lane.longest(run.first, run.last) == run.longest;
        if (run.last - run.first > 1) is_good = is_good && lane.duration(run.longest) < 2 * fold_ns;
        next = run.last;
      });
      CHECK(is_good);
      CHECK(next == end);
    }
    // Wide runs are few, however many parts there are.
    FoldIndex::Parts all;
    for (std::uint32_t first = 0; first < lane.size(); first += 500)
      all.push_back(std::make_shared<FoldIndex>(lane, first, std::min(first + 500, lane.size())));
    const std::size_t part_count = all.size();
    const FoldIndex whole(lane), merged(lane, {FoldIndex::over(lane, std::move(all))});
    const auto runs_of = [&](const FoldIndex& index, Nanos fold_ns) {
      std::size_t runs = 0;
      index.for_each_run(lane, trace.span(), fold_ns, [&](const FoldedRun&) { ++runs; });
      return runs;
    };
    for (Nanos fold_ns = 1; fold_ns < Nanos{1} << 30; fold_ns *= 2) {
      CAPTURE(fold_ns);
      CHECK(runs_of(merged, fold_ns) <= 2 * runs_of(whole, fold_ns) + 64 + part_count / 8);
    }
  }
}
