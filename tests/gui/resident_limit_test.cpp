// Recordings of which little lies in memory: the same to the byte as one that lies there whole.
#include "app/gui/core/resident_limit.h"

#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/gui/core/document.h"
#include "app/gui/core/document_upkeep.h"
#include "model/base/spill_space.h"
#include "model/build/growing_links.h"
#include "model/build/trace_builder.h"
#include "render/timeline_layout.h"
#include "tests/support/skip.h"
#include "tests/support/waiting.h"

namespace lacuna {
namespace {

/// Threads that call functions which call others, and one that calls them one after the other; all at the same times
/// and in the same order in each of them.
class ManyCalls {
 public:
  explicit ManyCalls(std::shared_ptr<ResidentLimit> resident) : upkeep_(std::move(resident)) {
    source_ = builder_.add_source({});
    builder_.seal_in(upkeep_.resident()->memory());
  }

  void go_on(int steps) {
    EventBatch batch;
    for (int i = 0; i < steps; ++i) {
      add(batch, 100, now_, 3 + chance(5));
      add(batch, 100, now_ + 10, 3 + chance(5));
      for (const unsigned thread : {101u, 102u}) {
        add(batch, thread, now_ + 1, 1 + chance(5));
        add(batch, thread, now_ + 8, 1 + chance(3));
        add(batch, thread, now_, 18);
      }
      now_ += 20;
    }
    builder_.add(source_, std::move(batch));
    builder_.seal(source_, {}, now_, 2000);
  }
  DocumentPtr document() { return make_document(builder_.copy()->finish(1, nullptr, &upkeep_.links()), upkeep_, true); }
  DocumentPtr last_document() { return make_document(builder_.finish(2), upkeep_, false, 2); }

 private:
  Nanos chance(unsigned of) { return static_cast<Nanos>(random_() % of); }
  void add(EventBatch& batch, unsigned thread, Nanos start, Nanos duration) {
    TrackKey key;
    key.pid = batch.strings.intern("7");
    key.tid = batch.strings.intern(std::to_string(thread));
    SliceRecord slice;
    slice.start = start;
    slice.duration = duration;
    slice.file_offset = ++offset_;
    slice.name = batch.strings.intern("range " + std::to_string(chance(40)));
    slice.category = batch.category(batch.strings.intern("user_annotation"));
    if (thread == 102 && offset_ > 500'000) slice.correlation = offset_;  // from some time on
    batch.tracks[batch.track(key)].slices.push_back(slice);
    ++batch.phase_counts['X'];
  }

  std::mt19937 random_{5};
  Nanos now_ = 1000;
  std::uint64_t offset_ = 0;
  DocumentUpkeep upkeep_;
  TraceBuilder builder_;
  SourceId source_;
};

std::size_t differing(const Lane& a, const Lane& b) {
  if (a.size() != b.size() || a.has_ids() != b.has_ids()) return a.size() + 1;
  std::size_t sum = 0;
  for (std::uint32_t i = 0; i < a.size(); ++i)
    sum += a.start(i) != b.start(i) || a.duration(i) != b.duration(i) || a.name(i) != b.name(i) ||
           a.category(i) != b.category(i) || a.parent(i) != b.parent(i) || a.flags(i) != b.flags(i) ||
           a.file_offset(i) != b.file_offset(i) || a.correlation(i) != b.correlation(i) ||
           a.external_id(i) != b.external_id(i);
  std::mt19937 random(3);
  for (int i = 0; i < 500 && a.size() > 1; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % (a.size() - 1));
    const auto last =
        first + 1 + static_cast<std::uint32_t>(random() % (a.size() - first - 1 + 1)) % (a.size() - first);
    sum += last > first && a.longest(first, last) != b.longest(first, last);
  }
  return sum;
}

auto facts_of(const DrawSlice& s) {
  return std::tuple(s.x0, s.y0, s.x1, s.y1, s.fill, s.text, s.slice.lane.value, s.slice.index, s.name.value, s.first,
                    s.folded, s.coverage, s.label_x0, s.label_x1, s.has_label);
}

/// What is drawn, from all of it down to a slice.
auto all_pictures(const Document& document) {
  std::vector<decltype(facts_of(DrawSlice{}))> out;
  const Palette palette(true);
  TimelineInput input;
  input.data.trace = &document.trace;
  input.data.streams = &document.streams;
  input.data.busy = &document.busy;
  input.palette = &palette;
  input.data.hues = &document.hues;
  input.data.folds = &document.folds;
  input.view.width_px = 1600;
  input.view.height_px = 900;
  const VerticalLayout vertical = layout_vertically(input);
  const Camera whole = Camera::fit(document.trace.span(), input.view.width_px);
  TimelineDrawList list;
  for (double factor = 1; factor < 1e6; factor *= 3)
    for (const double part : {0.1, 0.5, 0.77}) {
      input.view.camera = whole.zoomed_at(part * 1600, factor);
      layout_timeline(input, vertical, list);
      for (const DrawSlice& slice : list.slices) out.push_back(facts_of(slice));
    }
  return out;
}

auto facts_of(const Statistics& statistics) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, Nanos, Nanos, Nanos, Nanos, std::uint32_t>> out;
  for (const StatisticsRow& r : statistics.rows)
    out.emplace_back(r.name.value, r.category.value, r.count, r.total, r.self, r.min, r.max, r.longest.index);
  return out;
}

void check_same(const Document& a, const Document& b) {
  REQUIRE(a.trace.lanes().size() == b.trace.lanes().size());
  for (std::size_t i = 0; i < a.trace.lanes().size(); ++i)
    CHECK(differing(a.trace.lanes()[i], b.trace.lanes()[i]) == 0);
  CHECK(facts_of(a.statistics) == facts_of(b.statistics));
  const bool draws_the_same = all_pictures(a) == all_pictures(b);
  CHECK(draws_the_same);
}

}  // namespace

TEST_CASE("a recording that lies on disk has the slices, the numbers and the pictures of one in memory") {
  if (std::string folder; !open_spill_file(folder)) return skip("no folder on a disk");
  const auto little = std::make_shared<ResidentLimit>(0, 0);
  if (little->memory() == nullptr) return skip("no memory that grows");
  ManyCalls bounded(little);
  ManyCalls whole(std::make_shared<ResidentLimit>(~std::uint64_t{0}, ~std::uint64_t{0}));
  std::vector<std::pair<DocumentPtr, DocumentPtr>> held;  // as a paused window holds one
  for (int round = 0; round < 50; ++round) {
    bounded.go_on(2000);
    whole.go_on(2000);
    if (round % 4 != 3) continue;
    auto pair = std::pair(bounded.document(), whole.document());
    if (round % 16 == 3) held.push_back(pair);
    if (round % 16 == 15) check_same(*pair.first, *pair.second);
  }
  // Until all that is full has gone.
  REQUIRE(comes_true([&] { return little->memory()->usage().sealed_bytes <= 6'000'000; }));
  CHECK(little->memory()->usage().failure.empty());
  CHECK(little->memory()->usage().disk_bytes > 20'000'000);
  CHECK(whole.document()->resident->memory()->usage().disk_bytes == 0);
  held.emplace_back(bounded.last_document(), whole.last_document());
  for (const auto& [a, b] : held) check_same(*a, *b);
}

}  // namespace lacuna
