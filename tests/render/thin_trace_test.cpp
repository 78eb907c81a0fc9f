// What a window sees of a trace on another machine, against what it would draw of the trace itself.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/cache/trace_thinner.h"
#include "tests/render/scene.h"

using namespace lacuna;

namespace {

/// Threads and streams with nested slices of all lengths, many more than pixels.
Trace crowded(int roots) {
  TrackMaker maker;
  std::mt19937 random(7);
  const auto length = [&](double most) {
    return static_cast<Nanos>(std::pow(most, static_cast<double>(random() % 1000) / 1000));
  };
  for (const char* tid : {"10", "11"}) {
    maker.thread("1", tid);
    Nanos t = 0;
    for (int i = 0; i < roots; ++i) {
      const Nanos duration = length(400'000);
      maker.slice("op" + std::to_string(i % 17), t, duration);
      for (Nanos at = t; at < t + duration;) {
        const Nanos inner = std::min(length(3000), t + duration - at);
        maker.slice("call" + std::to_string(random() % 23), at, inner, "cuda_runtime");
        at += inner + length(3000);
      }
      t += duration + length(100'000);
    }
  }
  for (const char* stream : {"7", "20"}) {
    maker.stream("0", stream);
    Nanos t = 500;
    for (int i = 0; i < roots * 10; ++i) {
      const Nanos duration = length(30'000);
      maker.slice("gemm" + std::to_string(i % 5), t, duration);
      t += duration + (random() % 5 == 0 ? length(60'000) : 0);
    }
  }
  return maker.make();
}

Nanos fold_ns_of(const Scene& scene) {
  return static_cast<Nanos>(std::ceil(scene.input.view.camera.ns_per_px()));
}

/// Pixels of each lane in which something is drawn.
std::vector<std::vector<bool>> busy_pixels(const TimelineDrawList& list) {
  std::vector<std::vector<bool>> lanes;
  for (const DrawRow& row : list.rows) {
    std::vector<bool>& pixels = lanes.emplace_back(1001, false);
    for (std::uint32_t i = row.first; i < row.last; ++i)
      for (auto x = static_cast<std::size_t>(std::max(0.0f, list.slices[i].x0));
           x < 1000 && static_cast<float>(x) < list.slices[i].x1; ++x)
        pixels[x] = true;
  }
  return lanes;
}

void check_same_picture(Scene& all, Scene& thin, TimeSpan span, float most_coverage_off) {
  const TimelineDrawList& a = all.show(span).frame();
  const TimelineDrawList& b = thin.show(span).frame();
  REQUIRE(a.rows.size() == b.rows.size());
  std::size_t pixels = 0;
  std::size_t different = 0;
  const auto busy_a = busy_pixels(a);
  const auto busy_b = busy_pixels(b);
  for (std::size_t r = 0; r < a.rows.size(); ++r) {
    CHECK(a.rows[r].lane == b.rows[r].lane);
    CHECK(a.rows[r].y0 == b.rows[r].y0);
    for (std::size_t x = 0; x < busy_a[r].size(); ++x) {
      pixels += busy_a[r][x] ? 1 : 0;
      different += busy_a[r][x] != busy_b[r][x] ? 1 : 0;
    }
    // What can be told apart is the same, to the last digit.
    for (std::uint32_t i = a.rows[r].first, k = b.rows[r].first; i < a.rows[r].last; ++i) {
      if (a.slices[i].folded != 1 || a.slices[i].x1 - a.slices[i].x0 < 4) continue;
      while (k < b.rows[r].last && b.slices[k].x0 < a.slices[i].x0) ++k;
      REQUIRE(k < b.rows[r].last);
      CHECK(b.slices[k].x0 == a.slices[i].x0);
      CHECK(b.slices[k].x1 == a.slices[i].x1);
      CHECK(b.slices[k].has_label == a.slices[i].has_label);
      CHECK(b.slices[k].fill == a.slices[i].fill);
      CHECK(thin.trace.name(b.slices[k].slice) == all.trace.name(a.slices[i].slice));
    }
  }
  REQUIRE(pixels > 1000);
  CAPTURE(pixels);
  CAPTURE(different);
  CHECK(different * 500 <= pixels);
  // As dense, on the whole.
  const auto inked = [](const TimelineDrawList& list, bool is_gpu) {
    double sum = 0;
    for (const DrawSlice& slice : list.slices)
      if (slice.is_gpu == is_gpu) sum += static_cast<double>((slice.x1 - slice.x0) * slice.coverage);
    return sum;
  };
  for (const bool is_gpu : {false, true})
    CHECK(inked(b, is_gpu) == doctest::Approx(inked(a, is_gpu)).epsilon(most_coverage_off));
}

}  // namespace

TEST_CASE("a thinned trace looks like the trace: lanes, busy pixels, and what can be told apart") {
  Scene all(crowded(3000));
  TraceThinner thinner(all.trace, all.folds, {"box:a.json"});
  all.show(all.trace.span());
  ThinTrace made = thinner.make({all.trace.span(), fold_ns_of(all), {}});
  CHECK(made.fold_ns == fold_ns_of(all));
  CHECK(made.trace.slice_count() < all.trace.slice_count() / 10);
  CHECK(made.trace.sources()[0].path == "box:a.json");
  CHECK(made.trace.span() == all.trace.span());
  Scene thin(std::move(made.trace));
  check_same_picture(all, thin, all.trace.span(), 0.03f);
}

TEST_CASE("a part of a thinned trace is as fine as was asked, half a width to both sides, the rest is there coarsely") {
  Scene all(crowded(3000));
  TraceThinner thinner(all.trace, all.folds, {});
  const Nanos length = all.trace.span().duration();
  const TimeSpan part{all.trace.span().begin + length / 2, all.trace.span().begin + length / 2 + length / 100};
  all.show(part);
  ThinTrace made = thinner.make({part, fold_ns_of(all), {}});
  CHECK(made.span.begin == part.begin - part.duration() / 2);
  CHECK(made.span.end == part.end + part.duration() / 2);
  CHECK(made.outer_ns > made.fold_ns);
  Scene thin(std::move(made.trace));
  check_same_picture(all, thin, part, 0.03f);
  const Nanos half = part.duration() / 2;
  check_same_picture(all, thin, {part.begin - half + 1000, part.end - half}, 0.03f);
  // All of it: coarser, but nothing is empty that is not.
  const auto busy_a = busy_pixels(all.show(all.trace.span()).frame());
  const auto busy_b = busy_pixels(thin.show(thin.trace.span()).frame());
  REQUIRE(busy_a.size() == busy_b.size());
  for (std::size_t r = 0; r < busy_a.size(); ++r)
    for (std::size_t x = 4; x + 4 < busy_a[r].size(); ++x)
      if (busy_a[r][x]) {
        bool is_near = false;
        for (std::size_t n = x - 4; n <= x + 4; ++n) is_near = is_near || busy_b[r][n];
        CHECK(is_near);
      }
}

TEST_CASE("gaps of GPU streams in a thinned trace are gaps of the trace") {
  Scene all(crowded(3000));
  TraceThinner thinner(all.trace, all.folds, {});
  const TimeSpan part{all.trace.span().begin, all.trace.span().begin + all.trace.span().duration() / 20};
  all.show(part);
  ThinTrace made = thinner.make({part, fold_ns_of(all), {}});
  Scene thin(std::move(made.trace));
  REQUIRE(thin.streams.size() == all.streams.size());
  std::size_t found = 0;
  for (std::size_t s = 0; s < thin.streams.size(); ++s) {
    std::size_t at = 0;
    for (const Gap& gap : thin.streams[s].gaps) {
      if (gap.duration() < 2 * fold_ns_of(all) || gap.end > made.span.end) continue;
      while (at < all.streams[s].gaps.size() && all.streams[s].gaps[at].end < gap.end) ++at;
      REQUIRE(at < all.streams[s].gaps.size());
      CHECK(std::abs(all.streams[s].gaps[at].start - gap.start) <= fold_ns_of(all) / 4096);
      CHECK(all.streams[s].gaps[at].end == gap.end);
      ++found;
    }
  }
  CHECK(found > 50);
  // … and as busy, each stream.
  for (std::size_t s = 0; s < thin.streams.size(); ++s)
    CHECK(static_cast<double>(thin.streams[s].busy) ==
          doctest::Approx(static_cast<double>(all.streams[s].busy)).epsilon(0.02));
}

TEST_CASE("tracks that are not in view are thinned as what lies outside, and there is a most of rows") {
  Scene all(crowded(3000));
  TraceThinner thinner(all.trace, all.folds, {});
  const Nanos length = all.trace.span().duration();
  const TimeSpan part{all.trace.span().begin, all.trace.span().begin + length / 50};
  all.show(part);
  const TrackId seen = all.trace.tracks()[0].id;
  const ThinTrace one = thinner.make({part, fold_ns_of(all), {seen}});
  const ThinTrace every = thinner.make({part, fold_ns_of(all), {}});
  for (const Track& track : every.trace.tracks()) {
    CAPTURE(track.id.value);
    if (track.id == seen)
      CHECK(one.trace.track(track.id).slice_count == track.slice_count);
    else
      CHECK(one.trace.track(track.id).slice_count < track.slice_count);
  }
  // As close as it gets, of all of it at once.
  const ThinTrace fine = thinner.make({all.trace.span(), 1, {}});
  CHECK(all.trace.slice_count() > TraceThinner::kMostRows);
  CHECK(fine.trace.slice_count() <= 2 * TraceThinner::kMostRows);
  CHECK(fine.fold_ns > 1);
}

TEST_CASE("parents in a thinned trace hold their children, and what stands for several says for how many") {
  Scene all(crowded(500));
  TraceThinner thinner(all.trace, all.folds, {});
  const Trace thin = thinner.make({all.trace.span(), all.trace.span().duration() / 300, {}}).trace;
  std::vector<std::uint64_t> slices(thin.tracks().size());
  for (std::uint32_t l = 0; l < thin.lanes().size(); ++l) {
    const Lane& lane = thin.lanes()[l];
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      slices[lane.track.value] += (lane.flags(i) & kSliceFolded) != 0 ? lane.file_offset(i) : 1;
      if (i > 0) CHECK(lane.end(i - 1) <= lane.start(i));
      CHECK(thin.self_time({LaneId{l}, i}) >= 0);
    }
  }
  for (const Track& track : all.trace.tracks()) CHECK(slices[track.id.value] == track.slice_count);
}
