// How clocks of files are lined up, against the definition in alignment.h.
#include "model/import/alignment.h"

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

constexpr Nanos kSeventies = 100'000'000'000'000'000;  // March 1973

TEST_CASE("files of random clocks lie by absolute time where all know it, else by their first events") {
  std::mt19937 random(12);
  std::size_t seen[4] = {};
  for (int round = 0; round < 500; ++round) {
    std::vector<FileClock> files(random() % 5);
    for (FileClock& file : files) {
      file.has_base_time = random() % 3 != 0;
      if (file.has_base_time) file.base_time_ns = kSeventies + static_cast<Nanos>(random() % 1000);
      const auto begin = static_cast<Nanos>(random() % 100) + (random() % 3 == 0 ? kSeventies : 0);
      if (random() % 5 != 0) file.span = {begin, begin + static_cast<Nanos>(random() % 50)};
    }
    std::vector<std::size_t> with_events;
    for (std::size_t i = 0; i < files.size(); ++i)
      if (files[i].span != TimeSpan::nothing()) with_events.push_back(i);
    const bool is_known = std::ranges::all_of(
        with_events, [&](std::size_t i) { return files[i].has_base_time || files[i].span.begin >= kSeventies; });
    const bool has_bases = std::ranges::any_of(
        with_events, [&](std::size_t i) { return files[i].has_base_time && files[i].span.begin < kSeventies; });
    const AlignmentPlan plan = plan_alignment(files);
    REQUIRE(plan.shifts_ns.size() == files.size());
    const bool is_planned = files.size() > 1 && !with_events.empty();
    CHECK(plan.how == (!is_planned  ? Alignment::kSingle
                       : !is_known  ? Alignment::kStart
                       : !has_bases ? Alignment::kAbsoluteTime
                                    : Alignment::kBaseTime));
    ++seen[static_cast<std::size_t>(plan.how)];
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool has_events = std::ranges::find(with_events, i) != with_events.end();
      if (!is_planned || !has_events) {
        CHECK(plan.shifts_ns[i] == 0);
        continue;
      }
      const FileClock &first = files[with_events.front()], &file = files[i];
      if (!is_known) {
        CHECK(file.span.begin + plan.shifts_ns[i] == first.span.begin);
        continue;
      }
      // A moment of this file and the same moment by the first one's clock.
      const auto since_1970 = [](const FileClock& f, Nanos t) {
        return f.span.begin >= kSeventies ? t : t + f.base_time_ns;
      };
      CHECK(since_1970(first, file.span.begin + plan.shifts_ns[i]) == since_1970(file, file.span.begin));
    }
  }
  for (const std::size_t count : seen) CHECK(count > 20);
}

TEST_CASE("the times of a batch are those of its first and last event, of whatever kind") {
  EventBatch batch;
  CHECK(unite_times(TimeSpan::nothing(), batch) == TimeSpan::nothing());
  const auto track = batch.track(TrackKey{});
  SliceRecord slice;
  slice.start = 50;
  slice.duration = 10;
  batch.tracks[track].slices.push_back(slice);
  CHECK(unite_times(TimeSpan::nothing(), batch) == TimeSpan{50, 60});
  CHECK(unite_times({55, 70}, batch) == TimeSpan{50, 70});
  batch.tracks[track].begin_ends.emplace_back().time = 40;
  CHECK(unite_times(TimeSpan::nothing(), batch) == TimeSpan{40, 60});
  batch.tracks[track].instants.emplace_back().time = 65;
  CHECK(unite_times(TimeSpan::nothing(), batch) == TimeSpan{40, 65});
  batch.asyncs.emplace_back().time = 30;
  CHECK(unite_times(TimeSpan::nothing(), batch) == TimeSpan{30, 65});
  batch.counters.emplace_back().time = 80;
  CHECK(unite_times(TimeSpan::nothing(), batch) == TimeSpan{30, 80});
}

}  // namespace
}  // namespace lacuna
