#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/gui/models/live/live_recording.h"
#include "app/gui/models/timeline/timeline_view.h"
#include "render/paint/paint_timeline.h"

namespace lacuna {

/// Lays a LiveTail out over the tracks of the document shown: each of its tracks where the document has
/// it, in rows of the same nesting, and ranges that run now up to now. Tracks that the document does not
/// know yet, and rows beyond those it has, are left out until the next document. UI thread.
class LiveOverlay {
 public:
  /// Empty without a tail. What is returned is good until the next call.
  std::span<const TimelineLayer> layout(const TimelineView& view, const DocumentPtr& document, const LiveTailPtr& tail,
                                        Nanos now);
  /// The topmost slice at a point of the last layout, as in hit_test().
  std::optional<LiveSlice> hit(float x, float y, float scale) const;
  /// Rectangles of the last layout (tests).
  std::size_t drawn() const;
  const DrawSlice* find(std::string_view name) const;

 private:
  struct Entry {
    LiveLayerPtr layer;
    NameClasses classes;
    std::vector<TrackId> in_document;  // of each of its tracks
    TimelineInput input;
    VerticalLayout vertical;
    TimelineDrawList list;
  };
  void lay_out(Entry& entry, const TimelineView& view, Nanos now, bool is_newest);

  DocumentPtr document_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<TimelineLayer> layers_;
};

/// Slices of a recording's document that had no end when it was made go on until now.
void grow_unfinished(TimelineDrawList& list, const TimelineInput& input, Nanos now);

}  // namespace lacuna
