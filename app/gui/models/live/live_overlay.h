#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/gui/models/live/live_recording.h"
#include "app/gui/models/timeline/timeline_view.h"
#include "render/paint/paint_timeline.h"

namespace lacuna {

/// Lays out a LiveTail over the tracks of the shown document: matches tracks and rows of the same nesting
/// depth, and extends running ranges to the present. Tracks and rows that the document does not have
/// yet are left out until the next document. UI thread.
class LiveOverlay {
 public:
  /// Returns no layers without a tail. The result is valid until the next call.
  std::span<const TimelineLayer> layout(const TimelineView& view, const DocumentPtr& document, const LiveTailPtr& tail,
                                        Nanos now);
  /// Returns the topmost slice at a point of the last layout, as hit_test() does.
  std::optional<LiveSlice> hit(float x, float y, float scale) const;
  /// The number of rectangles in the last layout (tests).
  std::size_t drawn() const;
  const DrawSlice* find(std::string_view name) const;

 private:
  struct Entry {
    LiveLayerPtr layer;
    NameClasses classes;
    std::vector<TrackId> in_document;  // by track of the layer: the document's track
    TimelineInput input;
    VerticalLayout vertical;
    TimelineDrawList list;
  };
  void lay_out(Entry& entry, const TimelineView& view, Nanos now, bool is_newest);

  DocumentPtr document_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<TimelineLayer> layers_;
};

/// Extends to `now` the slices of a recording's document that had no end when it was made.
void grow_unfinished(TimelineDrawList& list, const TimelineInput& input, Nanos now);

}  // namespace lacuna
