#include "render/memory_layout.h"

#include <algorithm>
#include <cmath>

#include "model/holders/holder_areas.h"
#include "model/holders/memory_history.h"

namespace lacuna {
namespace {

constexpr double kMostNs = 9.2e18;  // of a view, within Nanos
constexpr float kLeastBandPx = 0.1f;

/// What each column shows, and how high the chart is.
void choose_moments(const MemoryChart& chart, MemoryDrawList& out) {
  const MemoryTable& table = *chart.table;
  const auto columns = static_cast<std::size_t>(std::max(1.0f, std::floor(chart.width)));
  const double each = static_cast<double>(chart.view.duration()) / static_cast<double>(columns);
  out.moments.resize(columns);
  // Of changes at the very beginning of a column all moments belong to it, but not the one before them.
  const auto first_at = [&](Nanos t) {
    const auto change = std::ranges::lower_bound(table.times, t);
    return static_cast<std::uint32_t>(change - table.times.begin()) + (change != table.times.end() && *change == t);
  };
  Nanos begin = chart.view.begin;
  for (std::size_t c = 0; c < columns; ++c) {
    const Nanos end =
        saturating_add(chart.view.begin, static_cast<Nanos>(std::min(each * static_cast<double>(c + 1), kMostNs)));
    const std::uint32_t first = first_at(begin);
    out.moments[c] = table.peak(first, std::max(first, table.moment_at(std::max(saturating_sub(end, 1), begin))));
    begin = end;
    out.top = std::max(out.top, table.active[out.moments[c]]);
  }
  out.top = saturating_add(out.top, out.top / 20);  // a little room above
}

/// Joins what goes on in the next column at the same height.
class RunMaker {
 public:
  RunMaker(std::size_t count, MemoryDrawList& out) : runs_(count), out_(out) {}

  void put(std::size_t slot, std::uint32_t what, std::size_t column, float y0, float y1) {
    MemoryRect& run = runs_[slot];
    const auto x = static_cast<float>(column);
    if (run.x1 > run.x0 && run.x1 == x && run.y0 == y0 && run.y1 == y1) {
      run.x1 = x + 1;
      return;
    }
    end(slot);
    run = {x, y0, x + 1, y1, what};
  }
  void end(std::size_t slot) {
    if (runs_[slot].x1 > runs_[slot].x0 && runs_[slot].y1 > runs_[slot].y0) out_.rects.push_back(runs_[slot]);
    runs_[slot] = {};
  }
  void finish() {
    for (std::size_t slot = 0; slot < runs_.size(); ++slot) end(slot);
  }

 private:
  std::vector<MemoryRect> runs_;
  MemoryDrawList& out_;
};

}  // namespace

void layout_memory_areas(const MemoryChart& chart, const HolderAreas& areas, MemoryDrawList& out) {
  out.clear();
  if (chart.table->active.empty() || chart.view.empty() || chart.height <= 0) return;
  choose_moments(chart, out);
  if (out.top <= 0) return;
  const double scale = static_cast<double>(chart.height) / static_cast<double>(out.top);
  RunMaker runs(areas.areas.size() + 1, out);
  for (std::size_t c = 0; c < out.moments.size(); ++c) {
    const std::uint32_t moment = out.moments[c];
    double below = 0;
    float y1 = chart.height;
    for (std::size_t a = 0; a < areas.areas.size(); ++a) {
      below += static_cast<double>(areas.areas[a].at(moment));
      const float y0 = std::max(0.0f, chart.height - static_cast<float>(below * scale));
      runs.put(a, static_cast<std::uint32_t>(a), c, y0, y1);
      y1 = y0;
    }
    const double active = static_cast<double>(chart.table->active[moment]);
    const float top = std::max(0.0f, chart.height - static_cast<float>(active * scale));
    runs.put(areas.areas.size(), kRest, c, std::min(top, y1), y1);
  }
  runs.finish();
}

void layout_memory_bands(const MemoryChart& chart, MemoryDrawList& out) {
  out.clear();
  const MemoryTable& table = *chart.table;
  if (table.active.empty() || chart.view.empty() || chart.height <= 0) return;
  choose_moments(chart, out);
  if (out.top <= 0) return;
  const double scale = static_cast<double>(chart.height) / static_cast<double>(out.top);
  const std::uint32_t first = out.moments.front();
  const std::uint32_t last = out.moments.back();
  // The largest that are held in view and high enough; moments ascend from column to column.
  std::vector<std::uint32_t> bands;
  for (const std::uint32_t p : table.by_size) {
    const MemoryPiece& piece = table.pieces[p];
    if (static_cast<double>(piece.bytes) * scale < kLeastBandPx || bands.size() == kMostBands) break;
    if (piece.begin <= last && piece.end > first) bands.push_back(p);
  }
  std::ranges::sort(bands);  // pieces are by begin: the oldest first
  out.in_view = static_cast<std::size_t>(std::ranges::count_if(
      table.pieces, [&](const MemoryPiece& piece) { return piece.begin <= last && piece.end > first; }));
  RunMaker runs(bands.size() + 1, out);
  std::vector<std::uint32_t> live;  // indexes of bands, ascending
  std::vector<std::uint8_t> is_drawn(bands.size());
  std::size_t next = 0;
  std::int64_t peak = -1;
  for (std::size_t c = 0; c < out.moments.size(); ++c) {
    const std::uint32_t moment = out.moments[c];
    std::erase_if(live, [&](std::uint32_t b) { return table.pieces[bands[b]].end <= moment; });
    for (; next < bands.size() && table.pieces[bands[next]].begin <= moment; ++next)
      if (table.pieces[bands[next]].is_held(moment)) live.push_back(static_cast<std::uint32_t>(next));
    double below = 0;
    float y1 = chart.height;
    for (const std::uint32_t b : live) {
      below += static_cast<double>(table.pieces[bands[b]].bytes);
      // Whole rows of pixels: of bands lower than one, that one is seen which the row falls into.
      const float y0 = std::max(0.0f, std::round(chart.height - static_cast<float>(below * scale)));
      if (y0 < y1) runs.put(b, bands[b], c, y0, y1);
      is_drawn[b] = 1;
      y1 = y0;
    }
    const double active = static_cast<double>(table.active[moment]);
    const float top = std::max(0.0f, std::round(chart.height - static_cast<float>(active * scale)));
    runs.put(bands.size(), kRest, c, std::min(top, y1), y1);
    if (table.active[moment] > peak) {
      peak = table.active[moment];
      out.rest_at_peak = active > below ? static_cast<std::uint64_t>(active - below) : 0;
    }
  }
  runs.finish();
  out.drawn = static_cast<std::size_t>(std::ranges::count(is_drawn, std::uint8_t{1}));
}

const MemoryRect* memory_rect_at(const MemoryDrawList& list, float x, float y) {
  const auto found = std::ranges::find_if(
      list.rects, [&](const MemoryRect& rect) { return rect.x0 <= x && x < rect.x1 && rect.y0 <= y && y < rect.y1; });
  return found == list.rects.end() ? nullptr : &*found;
}

}  // namespace lacuna
