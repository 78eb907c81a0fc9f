#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/causes/gap_cause.h"
#include "model/gaps/gaps.h"
#include "model/index/busy_index.h"
#include "model/index/fold_index.h"
#include "model/trace/trace.h"
#include "render/camera.h"
#include "render/draw_list.h"
#include "render/palette.h"
#include "render/time_axis.h"
#include "render/time_folds.h"

namespace lacuna {

class MemoryMarks;
class PathMarks;
struct SliceMatches;
class ShownMatches;
class ShownRows;
struct TrackFolds;

/// The user's settings of a track; kept by the app, changed by clicks on headers.
struct TrackState {
  bool is_collapsed = false;
  bool is_hidden = false;  ///< the track is not laid out
  bool waits = false;      ///< it only waits: its title says so
  float row_scale = 1;     ///< height of its rows and of its counter, as a factor of the default
};

/// A title above a run of related processes ("rank 3").
struct ProcessGroup {
  ProcessId first;  ///< the process below the title
  std::string title;
};

/// A counter that is not in the file, drawn as a lane below one of its tracks.
struct ExtraCounter {
  TrackId below;
  const CounterSeries* series = nullptr;  ///< borrowed
  std::string_view title;                 ///< borrowed
  bool is_memory = false;                 ///< values are bytes; else numbers of waiting launches
};

/// Busy time of a GPU process: the union of its streams.
struct ProcessBusy {
  ProcessId process;
  StreamBusyIndex busy;
};

/// One step of the profiled program (ProfilerStep#number).
struct StepSpan {
  std::int64_t number = 0;
  TimeSpan span;
};

/// Row heights and spacing in pixels at scale 1, times `scale`.
struct TimelineMetrics {
  float scale = 1;
  float row = 18;           ///< one lane of slices
  float collapsed_row = 5;  ///< one lane of a collapsed track (at most 4 lanes are drawn)
  float process_header = 26;
  float group_header = 20;
  float track_gap = 6;   ///< between tracks
  float min_track = 24;  ///< least height of a track, so that its title fits
  float counter = 40;
  float instant_strip = 7;  ///< height of the strip above the lanes of a track with instants
  float min_slice_px = 1;   ///< narrowest rectangle; shorter slices are folded
  float label_min_px = 22;  ///< narrowest rectangle that gets a label
  float glyph_px = 7;       ///< width of a digit: determines which gap and tick labels fit
  float min_tick_px = 90;   ///< least distance between two ruler labels
  /// Rounds a length to whole pixels, so that edges are sharp at any scale.
  float px(float v) const;
};

/// The data of a trace that are drawn. All pointers are borrowed for the call.
struct TimelineData {
  const Trace* trace = nullptr;
  bool is_thinned = false;  ///< holds only what a larger trace's picture needs: its slice counts mean nothing
  const std::vector<StreamActivity>* streams = nullptr;  ///< maps gaps to streams; may be null
  /// StreamBusyIndex::build(*streams): gaps and busy shares. Null: none are drawn.
  const std::vector<StreamBusyIndex>* busy = nullptr;
  /// Busy time of GPU processes, for their titles. May be null or incomplete.
  const std::vector<ProcessBusy>* process_busy = nullptr;
  /// The measured window of each file's report, by SourceId; everything(): none. Titles refer to it while all of it is
  /// in view. May be null or incomplete.
  const std::vector<TimeSpan>* measured = nullptr;
  /// NameHues of trace->strings(). Null: each frame hashes the names it shows.
  const NameHues* hues = nullptr;
  /// For trace->strings(), filled on demand by frames. Null: colours are by name, whatever the palette's setting.
  NameClasses* classes = nullptr;
  /// FoldIndex::build(trace->lanes()): a frame over millions of slices then costs no more than one over
  /// do. Null: a frame searches the lane for each rectangle.
  const std::vector<FoldIndex>* folds = nullptr;
  /// TrackFolds::build(*trace): the same for instants and counters. Null: a frame searches them.
  const TrackFolds* track_folds = nullptr;
  /// Rows of the tracks with hidden slices, instead of the trace's lanes. Null: nothing is hidden.
  const ShownRows* shown = nullptr;
  /// By TrackId: the number of outermost rows with one slice each that are drawn as one; 0: none. Tracks
  /// with hidden slices are drawn unchanged. Null: no rows are merged.
  const std::vector<std::uint32_t>* outer_rows = nullptr;
  /// Verdicts on the gaps of *streams, in their order. Null: no gap shows a cause.
  const std::vector<SharedVector<GapDiagnosis>>* diagnoses = nullptr;
  /// Steps of the program, ascending: labelled below the ruler's ticks. May be null.
  const std::vector<StepSpan>* steps = nullptr;
  /// Allocations, each drawn below the slice that made it. May be null.
  const MemoryMarks* memory = nullptr;

  /// Returns how many rows are drawn as the first one: at least 1.
  std::uint32_t rows_in_first(const Track& track) const;
  /// Returns the number of slice rows of an expanded track.
  std::uint32_t row_count(const Track& track) const;
  /// Returns the row of its track that contains a slice; for a hidden one, the row of the slice that contains it.
  std::uint32_t row_of(SliceId slice) const;
};

/// The order of processes and tracks, and the user's settings for them.
struct TimelineArrangement {
  std::vector<ProcessId> process_order;  ///< top to bottom; empty = Trace::process_order()
  std::vector<ProcessGroup> groups;      ///< in the order of the processes
  /// The rank of each TrackId: tracks of a process are sorted by it, ascending; empty = as in the trace.
  std::vector<std::uint32_t> track_rank;
  std::vector<TrackState> tracks;                 ///< by TrackId; missing = default
  std::vector<std::uint8_t> collapsed_processes;  ///< by ProcessId; missing = expanded
  std::vector<ExtraCounter> extra_counters;       ///< several below one track: in their order

  bool is_collapsed(TrackId id) const { return id.value < tracks.size() && tracks[id.value].is_collapsed; }
  bool is_hidden(TrackId id) const { return id.value < tracks.size() && tracks[id.value].is_hidden; }
  float row_scale(TrackId id) const { return id.value < tracks.size() ? tracks[id.value].row_scale : 1.0f; }
  bool is_collapsed(ProcessId id) const {
    return id.value < collapsed_processes.size() && collapsed_processes[id.value] != 0;
  }
};

/// The visible part of time and height, and its scale.
struct TimelineViewport {
  /// Long idle stretches drawn shortened: the camera then uses folded time. Null: time is not folded. Borrowed.
  const TimeFolds* time_folds = nullptr;
  Camera camera;
  float width_px = 0;  ///< width of the drawing area, right of the headers
  float height_px = 0;
  float scroll_y = 0;
  TimelineMetrics metrics;
  TimeAxis axis;  ///< how the ruler displays times

  double x_of(Nanos t) const { return camera.x_of(time_folds == nullptr ? t : time_folds->fold(t)); }
  Nanos time_at(double x_px) const {
    const Nanos t = camera.time_at(x_px);
    return time_folds == nullptr ? t : time_folds->unfold(t);
  }
  TimeSpan visible() const {
    const TimeSpan span = camera.visible(width_px);
    return time_folds == nullptr ? span : time_folds->unfold(span);
  }
};

/// What is highlighted on the timeline, and what is omitted. Pointers are borrowed for the call.
struct TimelineEmphasis {
  static constexpr std::uint32_t kNoGap = kNoIndex;

  Nanos min_gap_ns = 0;  ///< shorter gaps are not drawn
  bool show_gaps = true;
  bool show_arrows = true;           ///< for the selected slice
  bool show_all_arrows = false;      ///< for every slice in view that is drawn alone, paler
  SliceId focused_from, focused_to;  ///< the highlighted arrow
  /// (stream, gap) ascending: if there are any, the other gaps are dimmed.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> marked_gaps;
  SliceId selected;
  std::uint32_t selected_gap_stream = kNoGap, selected_gap = 0;
  TrackId selected_instant_track;      ///< invalid: no instant is selected
  std::uint32_t selected_instant = 0;  ///< index into its instants
  StringId highlighted_name;           ///< invalid: none; other names are dimmed
  /// Search matches: marked in the ruler, all other slices dimmed. May be null. Takes precedence over
  /// highlighted_name.
  const SliceMatches* matches = nullptr;
  /// The matches in the rows of TimelineData::shown. Null while not computed: nothing is marked or dimmed there.
  const ShownMatches* shown_matches = nullptr;
  /// A critical path to draw; slices outside it are dimmed, unless there is a highlight or a search. May be
  /// null.
  const PathMarks* path = nullptr;
};

/// All inputs of a frame.
struct TimelineInput {
  TimelineData data;
  TimelineArrangement arrangement;
  TimelineViewport view;
  TimelineEmphasis emphasis;
  const Palette* palette = nullptr;  ///< borrowed for the call
};

/// The vertical place of one track, in content coordinates (before scrolling).
struct TrackPlace {
  TrackId track;
  float y0 = 0, y1 = 0;
  float lanes_y0 = 0;      ///< top of the first lane
  float row_px = 0;        ///< height of a lane
  std::uint32_t rows = 0;  ///< lanes drawn
  /// Whether the track is drawn in the header row of a collapsed process, as one thin lane without its own header.
  bool is_overview = false;
  /// Index in extra_counters if this is one of them; `track` is then the one above it.
  std::uint32_t extra = kNoExtra;
  static constexpr std::uint32_t kNoExtra = kNoIndex;
  bool is_extra() const { return extra != kNoExtra; }
};

/// Vertical layout of all processes and tracks. O(tracks). Recompute it when the collapse state, metrics
/// or the trace change, not per frame.
///
/// Processes are in the order of input.process_order, each with a header row and its tracks below it. Hidden
/// tracks, empty tracks, and processes without other tracks are left out. A collapsed process keeps
/// its header row, in which its fullest tracks (at most 4) are drawn as a thin overview.
struct VerticalLayout {
  struct ProcessPlace {
    ProcessId process;
    float y0 = 0, y1 = 0;  ///< header row
    float bottom = 0;      ///< end of its last track; y1 if collapsed
  };

  /// The vertical band of the title of input.groups[index].
  struct GroupPlace {
    std::uint32_t index = 0;
    float y0 = 0, y1 = 0;
  };

  std::vector<TrackPlace> tracks;       ///< ascending by y0
  std::vector<GroupPlace> groups;       ///< ascending by y0
  std::vector<ProcessPlace> processes;  ///< ascending by y0
  float height = 0;
  bool names_processes = false;  ///< track titles name their process: there are no process headers

  /// Null if the track is not laid out. O(1).
  const TrackPlace* find(TrackId id) const;
  const ProcessPlace* find(ProcessId id) const;

  // Filled by layout_vertically(): index by id, kNoPlace if there is none.
  static constexpr std::uint32_t kNoPlace = kNoIndex;
  std::vector<std::uint32_t> place_of_track;
  std::vector<std::uint32_t> place_of_process;
};
VerticalLayout layout_vertically(const TimelineInput& input);
/// Lays out only the pinned tracks, in the given order, hidden or not, without process headers.
VerticalLayout layout_pinned(const TimelineInput& input, std::span<const TrackId> pinned);

/// Finds the vertical extent of a slice, in content coordinates: its lane's, or that of its substitute
/// when collapsed (last drawn lane, overview, header of its process). False: not laid out, or hidden.
bool find_slice_y(const TimelineInput& input, const VerticalLayout& vertical, SliceId slice, float& y0, float& y1);

/// Fills `out` with the visible contents. Pure: same input, same list. Cost O(visible rows * pixels *
/// log n); does not allocate once `out` has grown to its size.
void layout_timeline(const TimelineInput& input, const VerticalLayout& vertical, TimelineDrawList& out);

/// The item under a point of the last frame.
struct Hit {
  enum class Kind : std::uint8_t {
    kNothing,
    kSlice,
    kGap,
    kInstant,
    kMemory,
    kCounter,
    kTrack,
    kProcess
  } kind = Kind::kNothing;
  SliceId slice;
  std::uint32_t folded = 1;
  TrackId track;
  ProcessId process;
  std::uint32_t index = 0;  ///< index in the DrawList's vector of that kind (headers for the last two)
};
/// `x` relative to the drawing area: the headers are left of it (x < 0). `y` relative to the
/// timeline's top (scrolled), as in the draw list. Order of precedence: instants in their strip, slices,
/// gaps, allocations, counters, then the track or process itself. Narrow slices and instants
/// can also be hit up to 2 px * `scale` beside them.
Hit hit_test(const TimelineDrawList& list, float x, float y, float scale = 1);

}  // namespace lacuna
