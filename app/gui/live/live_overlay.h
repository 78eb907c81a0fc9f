#pragma once

#include "app/gui/live/live_recording.h"
#include "app/gui/timeline_view.h"
#include "render/paint/paint_timeline.h"

namespace lacuna {

/// Lays a LiveTail out over the tracks of the document shown: each of its tracks where the document has
/// it, in rows of the same nesting, and ranges that run now up to now. Tracks that the document does not
/// know yet, and rows beyond those it has, are left out until the next document. They cannot be pointed at.
/// UI thread.
class LiveOverlay {
 public:
  /// Null without a tail. What is returned is good until the next call.
  const TimelineLayer* layout(const TimelineView& view, const Trace& document, const LiveTailPtr& tail, Nanos now);
  /// Rectangles of the last layout (tests).
  const TimelineDrawList& list() const { return list_; }

 private:
  LiveTailPtr tail_;  // what input_ points into
  TimelineInput input_;
  VerticalLayout vertical_;
  TimelineDrawList list_;
  TimelineLayer layer_{list_, input_};
};

/// Slices of a recording's document that had no end when it was made go on until now.
void grow_unfinished(TimelineDrawList& list, const TimelineInput& input, Nanos now);

}  // namespace lacuna
