#pragma once

#include <algorithm>
#include <cmath>

#include "render/timeline_layout.h"

namespace lacuna {

/// Data needed by every part of a frame's layout, computed once per frame.
struct LayoutContext {
  LayoutContext(const TimelineInput& frame, const VerticalLayout& places)
      : input(frame),
        vertical(places),
        trace(*frame.data.trace),
        view(frame.view.visible()),
        min_px(std::max(0.5, double{frame.view.metrics.min_slice_px} * double{frame.view.metrics.scale})),
        fold_ns(fold_width(frame, min_px)),
        right(static_cast<double>(frame.view.width_px) + 1),
        begin_ns_(frame.view.camera.begin()),
        px_per_ns_(1.0 / frame.view.camera.ns_per_px()),
        begin_px_(frame.view.camera.begin_fraction() * px_per_ns_) {}

  const TimelineInput& input;
  const VerticalLayout& vertical;
  const Trace& trace;
  TimeSpan view;                      ///< visible time, including partly visible pixels
  double min_px;                      ///< narrowest rectangle
  Nanos fold_ns;                      ///< min_px in ns: shorter things are folded
  static constexpr double left = -1;  ///< everything is clipped to [left, right]
  double right;

  /// Returns Camera::x_of(t), by a multiplication: accurate to 1e-12 px in and near the view.
  double x_of(Nanos t) const {
    if (input.view.time_folds != nullptr) t = input.view.time_folds->fold(t);
    return static_cast<double>(saturating_sub(t, begin_ns_)) * px_per_ns_ - begin_px_;
  }
  double px_of(Nanos duration) const { return static_cast<double>(duration) * px_per_ns_; }
  double clip(double x) const { return std::clamp(x, left, right); }
  /// Converts a content coordinate to one of the view.
  float scrolled(float y) const { return y - input.view.scroll_y; }
  bool is_in_view(float y0, float y1) const { return y1 > 0 && y0 < input.view.height_px; }

  static constexpr std::uint32_t kNoStream = kNoIndex;
  /// Returns the index in input.data.streams of a GPU stream's track, or kNoStream. There are at most some hundreds.
  std::uint32_t stream_of(const Track& track) const {
    if (track.kind != TrackKind::kGpuStream || input.data.streams == nullptr) return kNoStream;
    for (std::uint32_t i = 0; i < input.data.streams->size(); ++i)
      if ((*input.data.streams)[i].track == track.id) return i;
    return kNoStream;
  }
  /// Null if there is none.
  const StreamBusyIndex* busy_of(const Track& track) const {
    const std::uint32_t stream = stream_of(track);
    const bool is_known = input.data.busy != nullptr && stream < input.data.busy->size();
    return is_known ? &(*input.data.busy)[stream] : nullptr;
  }

 private:
  static Nanos fold_width(const TimelineInput& frame, double min_px) {
    const double ns = std::ceil(frame.view.camera.ns_per_px() * min_px);
    return ns >= 9e18 ? kMaxNanos : std::max<Nanos>(1, static_cast<Nanos>(ns));
  }

  Nanos begin_ns_;
  double px_per_ns_;
  double begin_px_;
};

}  // namespace lacuna
