#pragma once

#include <string_view>

#include <doctest/doctest.h>

#include "render/timeline_layout.h"
#include "tests/render/track_maker.h"

namespace lacuna {

/// A trace with all the data of a frame, laid out on 1000 x 600 pixels. Change `input`, then call frame().
struct Scene {
  explicit Scene(Trace made)
      : trace(std::move(made)),
        streams(analyze_streams(trace)),
        busy(StreamBusyIndex::build(streams)),
        hues(trace.strings()),
        folds(FoldIndex::build(trace.lanes())) {
    input.data.trace = &trace;
    input.data.streams = &streams;
    input.data.busy = &busy;
    input.palette = &palette;
    input.data.hues = &hues;
    input.data.folds = &folds;
    input.view.width_px = 1000;
    input.view.height_px = 600;
    input.view.metrics.track_gap = 6;
    show(trace.span());
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  Scene& show(TimeSpan span) {
    input.view.camera = Camera::fit(span, input.view.width_px);
    return *this;
  }
  const TimelineDrawList& frame() {
    vertical = layout_vertically(input);
    layout_timeline(input, vertical, list);
    return list;
  }

  /// Finds things by name; the first with that name.
  TrackId track(std::string_view name) const {
    for (const Track& t : trace.tracks())
      if (trace.text(t.name) == name) return t.id;
    FAIL("no track ", name);
    return {};
  }
  SliceId slice(std::string_view name) const {
    for (std::uint32_t lane = 0; lane < trace.lanes().size(); ++lane)
      for (std::uint32_t i = 0; i < trace.lanes()[lane].size(); ++i)
        if (trace.name({LaneId{lane}, i}) == name) return {LaneId{lane}, i};
    FAIL("no slice ", name);
    return {};
  }
  const DrawSlice* drawn(std::string_view name) const {
    for (const DrawSlice& s : list.slices)
      if (trace.name(s.slice) == name) return &s;
    return nullptr;
  }
  const DrawHeader* header(std::string_view title) const {
    for (const DrawHeader& h : list.headers)
      if (h.title == title) return &h;
    return nullptr;
  }

  Trace trace;
  std::vector<StreamActivity> streams;
  std::vector<StreamBusyIndex> busy;
  Palette palette{true};
  NameHues hues;
  std::vector<FoldIndex> folds;
  TimeFolds time_folds;
  TimelineInput input;
  VerticalLayout vertical;
  TimelineDrawList list;
  VerticalLayout pinned;
  TimelineDrawList pinned_list;
};

}  // namespace lacuna
