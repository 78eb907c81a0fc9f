// Random traces and views, compared with what looking at every slice says.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

namespace {

using Random = std::mt19937_64;

Nanos up_to(Random& random, Nanos n) {
  return static_cast<Nanos>(random() % static_cast<std::uint64_t>(n + 1));
}

/// Lengths from zero to `most`, small ones as likely as large ones.
Nanos some_length(Random& random, Nanos most) {
  if (random() % 8 == 0) return 0;
  return up_to(random, std::max<Nanos>(1, most >> (random() % 20)));
}

/// A few processes with nested threads, GPU streams (some with overlaps), counters and instants.
Trace random_trace(Random& random) {
  TrackMaker maker;
  const Nanos base = random() % 2 == 0 ? 0 : 1'700'000'000'000'000'000;
  const Nanos length = Nanos{1'000'000} << (random() % 16);
  const char* names[] = {"aten::add", "aten::mm", "cudaLaunchKernel", "ProfilerStep#1", "gemm_128", "a"};
  const auto name = [&] { return names[random() % std::size(names)]; };
  const int threads = 1 + static_cast<int>(random() % 3);
  for (int t = 0; t < threads; ++t) {
    maker.thread(std::to_string(t / 2), std::to_string(100 + t));
    const int count = static_cast<int>(random() % 8 == 0 ? 8000 : random() % 400);
    for (int i = 0; i < count; ++i) maker.slice(name(), base + up_to(random, length), some_length(random, length / 4));
    for (int i = static_cast<int>(random() % 50); i > 0; --i) maker.instant("mark", base + up_to(random, length));
  }
  const int streams = static_cast<int>(random() % 3);
  for (int s = 0; s < streams; ++s) {
    maker.stream("0", std::to_string(7 + s));
    Nanos t = base;
    const int count = static_cast<int>(random() % 5 == 0 ? 6000 : random() % 500);
    for (int i = 0; i < count; ++i) {
      const Nanos duration = some_length(random, length / count);
      maker.slice(name(), t, duration);
      t += random() % 10 == 0 ? duration / 2 : duration + some_length(random, length / count);
    }
  }
  std::vector<std::pair<Nanos, double>> samples;
  for (int i = static_cast<int>(random() % 300); i > 0; --i)
    samples.emplace_back(base + up_to(random, length), static_cast<double>(up_to(random, 2000)) - 500);
  std::ranges::sort(samples, {}, [](const auto& s) { return s.first; });
  maker.counter("0", "memory", samples);
  if (threads > 0) maker.thread("0", "100").slice("last", base + length, 1);
  return maker.make();
}

/// The idle stretches of all slices, made short.
TimeFolds random_folds(Random& random, const Trace& trace) {
  std::vector<TimeSpan> busy;
  for (const Lane& lane : trace.lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i) busy.push_back(lane.span(i));
  const Nanos least = std::max<Nanos>(2, trace.span().duration() >> (3 + random() % 10));
  return TimeFolds(idle_stretches(busy, least), 1 + up_to(random, least));
}

void random_view(Random& random, Scene& scene) {
  scene.input.view.width_px = static_cast<float>(50 + random() % 2000);
  scene.input.view.height_px = static_cast<float>(50 + random() % 900);
  scene.input.view.metrics.scale = random() % 3 == 0 ? 2.0f : random() % 2 == 0 ? 1.0f : 1.25f;
  const double width = scene.input.view.width_px;
  // Now and then with folded time: the camera then looks at a shorter one.
  scene.input.view.time_folds = nullptr;
  if (random() % 3 == 0) {
    scene.time_folds = random_folds(random, scene.trace);
    scene.input.view.time_folds = &scene.time_folds;
  }
  const TimeSpan whole =
      scene.input.view.time_folds == nullptr ? scene.trace.span() : scene.time_folds.fold(scene.trace.span());
  Camera camera = Camera::fit(whole, width, 0.1);
  camera = camera.zoomed_at(static_cast<double>(random() % 1000) / 1000 * width,
                            std::exp2(static_cast<double>(random() % 200) / 10));
  // At least a nanosecond a pixel: below it, whole nanoseconds beside the view count as in view.
  if (camera.ns_per_px() < 1) camera = Camera::at(camera.begin(), camera.begin_fraction(), 1.0);
  camera = camera.panned((static_cast<double>(random() % 2000) - 1000) / 1000 * width);
  scene.input.data.folds = random() % 3 == 0 ? nullptr : &scene.folds;
  scene.input.data.hues = random() % 3 == 0 ? nullptr : &scene.hues;
  scene.input.data.busy = random() % 3 == 0 ? nullptr : &scene.busy;
  scene.input.view.camera = camera.clamped(whole, width);
  if (scene.input.view.camera.ns_per_px() < 1) scene.input.view.camera = camera;
  scene.input.arrangement.tracks.resize(scene.trace.tracks().size());
  scene.input.arrangement.track_rank.clear();
  const bool is_moved = random() % 3 == 0;
  for (TrackState& state : scene.input.arrangement.tracks) {
    state.is_collapsed = random() % 5 == 0;
    state.is_hidden = random() % 8 == 0;
    state.row_scale = random() % 4 == 0 ? 0.5f + static_cast<float>(random() % 6) * 0.5f : 1.0f;
    if (is_moved) scene.input.arrangement.track_rank.push_back(static_cast<std::uint32_t>(random() % 100));
  }
  scene.input.arrangement.collapsed_processes.resize(scene.trace.processes().size());
  for (std::uint8_t& collapsed : scene.input.arrangement.collapsed_processes) collapsed = random() % 6 == 0 ? 1 : 0;
  scene.input.view.scroll_y = 0;
  scene.vertical = layout_vertically(scene.input);
  scene.input.view.scroll_y = static_cast<float>(random() % (1 + static_cast<std::uint64_t>(scene.vertical.height)));
}

bool is_in_view(const Lane& lane, std::uint32_t i, TimeSpan view) {
  if (lane.start(i) >= view.end) return false;
  return lane.end(i) > view.begin || lane.start(i) >= view.begin;
}

constexpr double kRounding = 1.0 / 256;  // of floats at some thousand pixels

void check_row(const Scene& scene, const DrawRow& row) {
  const Lane& lane = scene.trace.lane(row.lane);
  const TimelineInput& camera = scene.input;  // folded time or not
  const double ns_per_px = scene.input.view.camera.ns_per_px();
  const TimeSpan view = scene.input.view.visible();
  const double width = scene.input.view.width_px;
  const double min_px = scene.input.view.metrics.scale;

  const TrackPlace* place = scene.vertical.find(row.track);
  REQUIRE(place != nullptr);
  REQUIRE(row.y0 >= place->y0 - scene.input.view.scroll_y - kRounding);
  REQUIRE(row.y1 <= place->y1 - scene.input.view.scroll_y + kRounding);
  REQUIRE(row.y1 > row.y0);
  REQUIRE(row.last - row.first <= 2 * width / min_px + 2);

  std::uint64_t drawn = 0;
  std::uint32_t next = 0;
  for (std::uint32_t k = row.first; k < row.last; ++k) {
    const DrawSlice& s = scene.list.slices[k];
    REQUIRE(s.y0 == row.y0);
    REQUIRE(s.y1 == row.y1);
    REQUIRE(s.x0 >= -1);
    REQUIRE(s.x1 <= width + 1);
    REQUIRE(s.x1 > s.x0);
    const bool is_at_edge = s.x1 > width - kRounding;
    REQUIRE((is_at_edge || s.x1 - s.x0 >= min_px / 2 - kRounding));
    if (k > row.first) {
      const DrawSlice& before = scene.list.slices[k - 1];
      REQUIRE(s.x0 >= before.x1 - kRounding);
      REQUIRE(s.first == before.first + before.folded);  // nothing is left out, nothing twice
    }
    REQUIRE(s.slice.lane == row.lane);
    REQUIRE(s.slice.index >= s.first);
    REQUIRE(s.slice.index < s.first + s.folded);
    for (std::uint32_t i = s.first; i < s.first + s.folded; ++i) {
      REQUIRE(lane.duration(i) <= lane.duration(s.slice.index));
      // Inside its rectangle, up to the pixel by which rectangles make room for each other.
      REQUIRE(std::max(camera.view.x_of(lane.start(i)), -1.0) >= s.x0 - min_px - kRounding);
      REQUIRE(std::min(camera.view.x_of(lane.end(i)), width + 1) <= s.x1 + min_px + kRounding);
    }
    const auto length_px = static_cast<double>(lane.duration(s.first)) / ns_per_px;
    if (s.folded == 1 && length_px >= 4 * min_px) {
      REQUIRE(std::fabs(std::clamp(camera.view.x_of(lane.start(s.first)), -1.0, width + 1) - s.x0) <=
              min_px + kRounding);
      REQUIRE(std::fabs(std::clamp(camera.view.x_of(lane.end(s.first)), -1.0, width + 1) - s.x1) <= min_px + kRounding);
    }
    drawn += s.folded;
    next = s.first + s.folded;
  }
  std::uint64_t expected = 0;
  for (std::uint32_t i = 0; i < lane.size(); ++i) expected += is_in_view(lane, i, view) ? 1 : 0;
  REQUIRE(drawn == expected);
  REQUIRE(next <= lane.size());
}

/// The rows that a view must show: every lane of a place that is partly between top and bottom.
std::set<LaneId> expected_rows(const Scene& scene) {
  std::set<LaneId> lanes;
  for (const TrackPlace& place : scene.vertical.tracks) {
    for (std::uint32_t r = 0; r < place.rows; ++r) {
      const float y0 = place.lanes_y0 + static_cast<float>(r) * place.row_px - scene.input.view.scroll_y;
      const float gap = place.row_px >= 3 ? scene.input.view.metrics.px(1) : 0;
      if (y0 + place.row_px - gap > 0 && y0 < scene.input.view.height_px)
        lanes.insert(LaneId{scene.trace.track(place.track).first_lane.value + r});
    }
  }
  return lanes;
}

void check_gaps(const Scene& scene) {
  const double width = scene.input.view.width_px;
  const TimeSpan view = scene.input.view.visible();
  std::vector<std::uint64_t> drawn(scene.streams.size(), 0);
  for (std::size_t i = 0; i < scene.list.gaps.size(); ++i) {
    const DrawGap& gap = scene.list.gaps[i];
    const SharedVector<Gap>& gaps = scene.streams[gap.stream].gaps;
    REQUIRE(gap.x0 >= -1);
    REQUIRE(gap.x1 <= width + 1);
    REQUIRE(gap.x1 > gap.x0);
    REQUIRE(gap.intensity >= 0);
    REQUIRE(gap.intensity <= 1);
    if (i > 0 && scene.list.gaps[i - 1].stream == gap.stream) REQUIRE(gap.x0 >= scene.list.gaps[i - 1].x1 - kRounding);
    for (std::uint32_t k = gap.first; k < gap.first + gap.folded; ++k)
      REQUIRE(gaps[k].duration() <= gaps[gap.gap].duration());
    REQUIRE(gap.start == gaps[gap.gap].start);
    REQUIRE(gap.end == gaps[gap.gap].end);
    drawn[gap.stream] += gap.folded;
  }
  for (std::size_t s = 0; s < scene.streams.size(); ++s) {
    if (drawn[s] == 0) continue;  // scrolled out
    std::uint64_t expected = 0;
    for (const Gap& gap : scene.streams[s].gaps) expected += gap.end > view.begin && gap.start < view.end ? 1 : 0;
    REQUIRE(drawn[s] == expected);
  }
}

void check_counters_and_instants(const Scene& scene) {
  const double width = scene.input.view.width_px;
  const TimeSpan view = scene.input.view.visible();
  for (std::size_t i = 0; i < scene.list.counter_steps.size(); ++i) {
    const DrawCounterStep& step = scene.list.counter_steps[i];
    const TrackPlace& place = *scene.vertical.find(step.track);
    REQUIRE(step.x0 >= -1);
    REQUIRE(step.x1 <= width + 1);
    REQUIRE(step.x1 >= step.x0);
    for (const float y : {step.y, step.y_low, step.y_base}) {
      REQUIRE(y >= place.y0 - scene.input.view.scroll_y - kRounding);
      REQUIRE(y <= place.y1 - scene.input.view.scroll_y + kRounding);
    }
    REQUIRE(step.y_low >= step.y);
    if (i > 0 && scene.list.counter_steps[i - 1].track == step.track)
      REQUIRE(step.x0 == scene.list.counter_steps[i - 1].x1);
  }
  std::vector<std::uint64_t> drawn(scene.trace.tracks().size(), 0);
  for (const DrawInstant& instant : scene.list.instants) {
    REQUIRE(instant.x >= -1);
    REQUIRE(instant.x <= width + 1);
    drawn[instant.track.value] += instant.folded;
  }
  for (const Track& track : scene.trace.tracks()) {
    if (drawn[track.id.value] == 0) continue;
    std::uint64_t expected = 0;
    for (const Instant& instant : track.instants) expected += view.contains(instant.time) ? 1 : 0;
    REQUIRE(drawn[track.id.value] == expected);
  }
}

void check_headers(const Scene& scene) {
  float next_track_y = -INFINITY;
  for (const DrawHeader& header : scene.list.headers) {
    REQUIRE(header.y1 > header.y0);
    REQUIRE(header.y1 > 0);
    REQUIRE(header.y0 < scene.input.view.height_px);
    REQUIRE(!header.title.empty());
    REQUIRE((header.busy_share <= 1));
    if (header.kind != DrawHeader::Kind::kTrack) continue;
    REQUIRE(header.y0 >= next_track_y - kRounding);
    next_track_y = header.y1;
  }
}

}  // namespace

TEST_CASE("every frame of a random trace shows each slice in view once, inside its bounds") {
  Random random(2024);
  for (int round = 0; round < 150; ++round) {
    Scene scene(random_trace(random));
    for (int view = 0; view < 12; ++view) {
      CAPTURE(round);
      CAPTURE(view);
      random_view(random, scene);
      scene.frame();
      std::set<LaneId> lanes;
      for (const DrawRow& row : scene.list.rows) {
        check_row(scene, row);
        lanes.insert(row.lane);
      }
      REQUIRE(lanes == expected_rows(scene));
      for (std::size_t i = 1; i < scene.list.rows.size(); ++i)
        REQUIRE(scene.list.rows[i].y0 >= scene.list.rows[i - 1].y1 - kRounding);
      check_gaps(scene);
      check_counters_and_instants(scene);
      check_headers(scene);
    }
  }
}

TEST_CASE("views below a nanosecond per pixel stay inside their bounds") {
  Random random(77);
  for (int round = 0; round < 40; ++round) {
    Scene scene(random_trace(random));
    for (int view = 0; view < 10; ++view) {
      const Lane& lane = scene.trace.lanes()[random() % scene.trace.lanes().size()];
      const Nanos at = lane.start(static_cast<std::uint32_t>(random() % lane.size()));
      scene.input.view.camera = Camera::at(at - 1, static_cast<double>(random() % 1000) / 1000,
                                           0.001 + static_cast<double>(random() % 900) / 1000);
      scene.frame();
      for (const DrawRow& row : scene.list.rows) {
        for (std::uint32_t k = row.first; k < row.last; ++k) {
          const DrawSlice& s = scene.list.slices[k];
          REQUIRE(s.x0 >= -1);
          REQUIRE(s.x1 <= scene.input.view.width_px + 1);
          REQUIRE(s.x1 > s.x0);
          if (k > row.first) REQUIRE(s.x0 >= scene.list.slices[k - 1].x1 - kRounding);
        }
      }
    }
  }
}

TEST_CASE("the same input gives the same frame") {
  Random random(9);
  Scene scene(random_trace(random));
  random_view(random, scene);
  scene.frame();
  const auto slices = scene.list.slices;
  scene.input.view.camera = scene.input.view.camera.zoomed_at(10, 3);
  scene.frame();
  scene.input.view.camera = Camera::fit(scene.trace.span(), 10);
  random_view(random, scene);
  const TimelineInput kept = scene.input;
  scene.frame();
  const auto once = scene.list.slices;
  scene.input.view.camera = scene.input.view.camera.panned(1000);
  scene.frame();
  scene.input = kept;
  scene.frame();
  REQUIRE(scene.list.slices.size() == once.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    CHECK(scene.list.slices[i].x0 == once[i].x0);
    CHECK(scene.list.slices[i].x1 == once[i].x1);
    CHECK(scene.list.slices[i].slice == once[i].slice);
    CHECK(scene.list.slices[i].folded == once[i].folded);
  }
}

TEST_CASE("folds do not flicker while panning: rectangles inside the view move as one") {
  TrackMaker maker;
  Random random(4);
  maker.thread("1", "10");
  Nanos t = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Nanos duration = 1 + up_to(random, 400);
    maker.slice("s", t, duration);
    t += duration + up_to(random, 300);
  }
  Scene scene(maker.make());
  const Camera start = Camera::fit(scene.trace.span(), 1000).zoomed_at(500, 4);
  const auto folds = [&](double dx) {
    scene.input.view.camera = start.panned(dx);
    scene.frame();
    std::set<std::pair<std::uint32_t, std::uint32_t>> out;  // (first, count), away from the edges
    for (const DrawSlice& s : scene.list.slices)
      if (s.x0 + dx > 50 && s.x1 + dx < 950) out.insert({s.first, s.folded});
    return out;
  };
  const auto before = folds(0);
  REQUIRE(before.size() > 400);
  for (const double dx : {0.25, 1.0, 3.7, 20.0, 49.0}) CHECK(folds(dx) == before);
}
