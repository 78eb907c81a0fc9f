#include <algorithm>
#include <cmath>

#include "render/timeline_layout.h"

namespace lacuna {
namespace {

constexpr float kTolerancePx = 2;

/// How far x lies outside [x0, x1); 0 inside.
float outside(float x, float x0, float x1) {
  return x < x0 ? x0 - x : x >= x1 ? std::max(x - x1, 1e-3f) : 0.0f;
}

bool is_in(float y, float y0, float y1) {
  return y0 <= y && y < y1;
}

/// The slice of `row` under x, or a thin one within `reach` of it. Rectangles of a row do not
/// overlap, so only the two beside x can win.
const DrawSlice* find_slice(const TimelineDrawList& list, const DrawRow& row, float x, float reach) {
  const auto first = list.slices.begin() + row.first;
  const auto last = list.slices.begin() + row.last;
  const auto right = std::upper_bound(first, last, x, [](float at, const DrawSlice& s) { return at < s.x0; });
  const DrawSlice* best = nullptr;
  float best_distance = INFINITY;
  const auto consider = [&](const DrawSlice& slice) {
    const float distance = outside(x, slice.x0, slice.x1);
    const bool is_thin = slice.x1 - slice.x0 < 2 * reach;
    if (distance >= best_distance || (distance > 0 && (!is_thin || distance > reach))) return;
    best = &slice;
    best_distance = distance;
  };
  if (right != first) consider(*(right - 1));
  if (right != last) consider(*right);
  return best;
}

template <class Vector, class Item>
std::uint32_t index_in(const Vector& vector, const Item& item) {
  return static_cast<std::uint32_t>(&item - &*vector.begin());
}

bool hit_instant(const TimelineDrawList& list, float x, float y, float reach, Hit& hit) {
  float best = reach;
  for (const DrawInstant& instant : list.instants) {
    if (!is_in(y, instant.y0, instant.y1) || std::fabs(instant.x - x) > best) continue;
    best = std::fabs(instant.x - x);
    hit.kind = Hit::Kind::kInstant;
    hit.track = instant.track;
    hit.folded = instant.folded;
    hit.index = index_in(list.instants, instant);
  }
  return hit.kind != Hit::Kind::kNothing;
}

/// The gap under the point, or null.
const DrawGap* find_gap(const TimelineDrawList& list, float x, float y) {
  for (const DrawGap& gap : list.gaps)
    if (is_in(y, gap.y0, gap.y1) && is_in(x, gap.x0, gap.x1)) return &gap;
  return nullptr;
}

bool hit_slice(const TimelineDrawList& list, float x, float y, float reach, Hit& hit) {
  const auto below = std::ranges::upper_bound(list.rows, y, {}, &DrawRow::y0);
  if (below == list.rows.begin()) return false;
  const DrawRow& row = *(below - 1);
  if (!is_in(y, row.y0, row.y1)) return false;
  const DrawSlice* slice = find_slice(list, row, x, reach);
  if (slice == nullptr) return false;
  // Of a thin slice beside the point and a thin gap under it, the gap is meant.
  if (!is_in(x, slice->x0, slice->x1)) {
    const DrawGap* gap = find_gap(list, x, y);
    if (gap != nullptr && gap->x1 - gap->x0 <= 2 * reach) return false;
  }
  hit.kind = Hit::Kind::kSlice;
  hit.slice = slice->slice;
  hit.folded = slice->folded;
  hit.track = row.track;
  hit.index = index_in(list.slices, *slice);
  return true;
}

bool hit_gap(const TimelineDrawList& list, float x, float y, Hit& hit) {
  const DrawGap* gap = find_gap(list, x, y);
  if (gap == nullptr) return false;
  hit.kind = Hit::Kind::kGap;
  hit.folded = gap->folded;
  hit.index = index_in(list.gaps, *gap);
  return true;
}

bool hit_memory(const TimelineDrawList& list, float x, float y, float reach, Hit& hit) {
  float best = reach;
  for (std::uint32_t i = 0; i < list.memory_marks.size(); ++i) {
    const DrawMemoryMark& mark = list.memory_marks[i];
    const float distance = outside(x, mark.x0, mark.x1);
    if (!is_in(y, mark.y0, mark.y1) || distance > best) continue;
    best = distance;
    hit.kind = Hit::Kind::kMemory;
    hit.folded = mark.folded;
    hit.index = i;
  }
  return hit.kind != Hit::Kind::kNothing;
}

/// Anywhere in the track's height: the value at this time is meant.
bool hit_counter(const TimelineDrawList& list, float x, const Hit& track, Hit& hit) {
  if (track.kind != Hit::Kind::kTrack) return false;
  const bool is_extra = list.headers[track.index].kind == DrawHeader::Kind::kExtra;
  for (const DrawCounterStep& step : list.counter_steps) {
    if (step.track != track.track || step.is_extra() != is_extra || !is_in(x, step.x0, step.x1)) continue;
    if (is_extra && !is_in(step.y, list.headers[track.index].y0, list.headers[track.index].y1)) continue;
    hit.kind = Hit::Kind::kCounter;
    hit.track = step.track;
    hit.folded = step.folded;
    hit.index = index_in(list.counter_steps, step);
    return true;
  }
  return false;
}

/// The track or process whose header row is at y.
Hit hit_header(const TimelineDrawList& list, float y) {
  Hit hit;
  for (const DrawHeader& header : list.headers) {
    if (!is_in(y, header.y0, header.y1)) continue;
    if (header.kind == DrawHeader::Kind::kGroup) break;
    hit.kind = header.kind == DrawHeader::Kind::kProcess ? Hit::Kind::kProcess : Hit::Kind::kTrack;
    hit.process = header.process;
    hit.track = header.track;
    hit.index = index_in(list.headers, header);
    break;
  }
  return hit;
}

}  // namespace

Hit hit_test(const TimelineDrawList& list, float x, float y, float scale) {
  const Hit behind = hit_header(list, y);
  if (x < 0) return behind;
  const float reach = kTolerancePx * scale;
  Hit hit;
  const bool is_hit = hit_instant(list, x, y, reach, hit) || hit_slice(list, x, y, reach, hit) ||
                      hit_gap(list, x, y, hit) || hit_memory(list, x, y, reach, hit) ||
                      hit_counter(list, x, behind, hit);
  if (!is_hit) return behind;
  hit.process = behind.process;
  if (!hit.track.valid()) hit.track = behind.track;
  return hit;
}

}  // namespace lacuna
