#pragma once
// A sequence of frames to lay out, for benchmarks: 12 zoom levels x 20 positions over a trace, from all of it
// down to a microsecond across the view, in random order, so that no view profits from the previous one.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "render/timeline_layout.h"

namespace lacuna {

class ZoomWalk {
 public:
  static constexpr int kZooms = 12;
  static constexpr int kPositions = 20;

  /// Walks over `trace` in a view of this size; `layout_height`: of the whole layout. `only_zoom` < 0: all levels.
  ZoomWalk(const Trace& trace, float width, float height, float layout_height, int only_zoom = -1) : by_zoom_(kZooms) {
    const Camera whole = Camera::fit(trace.span(), width);
    const double last = std::max(1.0, whole.ns_per_px() * width / 1'000);
    for (int zoom = 0; zoom < kZooms; ++zoom) {
      if (only_zoom >= 0 && zoom != only_zoom) continue;
      const double factor = std::pow(last, zoom / (kZooms - 1.0));
      for (int position = 0; position < kPositions; ++position) {
        const double part = (position + 0.5) / kPositions;
        const float scroll = std::max(0.0f, layout_height - height) * static_cast<float>(position % 4) / 3.0f;
        views_.push_back({whole.zoomed_at(part * width, factor), scroll, zoom});
      }
    }
  }

  /// Lays every frame out `rounds` times, after a warm-up round that does not count unless `counts_first`. `now` gives
  /// a clock's us; `after(list, counts)` is called after each frame.
  template <class Now, class After>
  void run(TimelineInput& input, const VerticalLayout& vertical, int rounds, bool counts_first, Now&& now,
           After&& after) {
    for (std::vector<double>& level : by_zoom_) level.reserve(static_cast<std::size_t>(rounds) * kPositions);
    TimelineDrawList list;
    std::mt19937 random(3);
    for (int round = counts_first ? 0 : -1; round < rounds; ++round) {
      std::shuffle(views_.begin(), views_.end(), random);
      for (const View& view : views_) {
        input.view.camera = view.camera;
        input.view.scroll_y = view.scroll_y;
        const double start = now();
        layout_timeline(input, vertical, list);
        const double us = now() - start;
        after(list, round >= 0);
        if (round >= 0) by_zoom_[static_cast<std::size_t>(view.zoom)].push_back(us);
      }
    }
    for (std::vector<double>& level : by_zoom_) {
      std::ranges::sort(level);
      all_.insert(all_.end(), level.begin(), level.end());
    }
    std::ranges::sort(all_);
  }

  /// Returns the given percentile of the frame times, in us.
  double at(double percent) const { return of(all_, percent); }
  /// Likewise for one zoom level; 0 without frames.
  double at(int zoom, double percent) const { return of(by_zoom_[static_cast<std::size_t>(zoom)], percent); }

 private:
  struct View {
    Camera camera;
    float scroll_y;
    int zoom;
  };
  static double of(const std::vector<double>& sorted, double percent) {
    if (sorted.empty()) return 0;
    return sorted[static_cast<std::size_t>(percent / 100 * static_cast<double>(sorted.size() - 1) + 0.5)];
  }

  std::vector<View> views_;
  std::vector<std::vector<double>> by_zoom_;  // sorted after the run
  std::vector<double> all_;
};

}  // namespace lacuna
