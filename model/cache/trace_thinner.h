#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/cache/trace_codec.h"
#include "model/index/fold_index.h"
#include "model/statistics/statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// One of SliceFlags: the slice stands for several, whose number is in its file_offset.
inline constexpr std::uint16_t kSliceFolded = 8;

/// The part of a trace that is shown, and the level of detail.
struct ThinView {
  TimeSpan span = TimeSpan::everything();
  Nanos fold_ns = 0;  ///< slices shorter than this are folded (LayoutContext::fold_ns); 0: a thousandth of the view
  std::vector<TrackId> tracks;  ///< tracks shown; empty: all of them
};

/// The result of TraceThinner::make().
struct ThinTrace {
  Trace trace;
  Statistics statistics;   ///< those passed to make(), with the thin trace's texts; rows have no longest slice
  TimeSpan span;           ///< within it slices of at least fold_ns are kept one by one
  Nanos fold_ns = 1;       ///< shorter slices are folded, as in FoldIndex
  Nanos outer_ns = 1;      ///< fold_ns outside of `span`, and in tracks that are not shown
  std::uint64_t real = 0;  ///< slices that are not folded
};

/// Makes small traces from a large one: with all its processes, tracks, rows and categories, and as many slices,
/// instants and samples as a view of one part needs, plus half its width to both sides; fewer elsewhere. Slices that
/// are too short for a pixel are folded into one with kSliceFolded of their total length, or two if they leave idle
/// time: busy time is preserved, gaps of two pixels or more are kept, shorter ones merged. Links, args and single-event
/// findings are left out. One thread; the traces keep no reference to the large one.
class TraceThinner {
 public:
  /// About the most slices, instants and samples of a thin trace: folding gets coarser until they fit.
  static constexpr std::uint64_t kMostRows = 60'000;

  /// `trace` and `folds` (of each lane) must outlive it. `paths`: names of the sources' files in the thin traces.
  TraceThinner(const Trace& trace, const std::vector<FoldIndex>& folds, std::vector<std::string> paths);

  /// O(rows made * log n). Texts keep their ids from one trace to the next. `statistics`: of the large trace, shown
  /// with it.
  ThinTrace make(const ThinView& view, Statistics statistics = {});

 private:
  /// Which parts of a trace are thinned, and how much.
  struct Plan {
    TimeSpan inner;
    Nanos inner_ns = 1, outer_ns = 1;
    std::vector<bool> is_in_view;  // by track; empty: all are
    bool sees(TrackId track) const { return is_in_view.empty() || is_in_view[track.value]; }
  };
  StringId text_of(StringId there);
  void forget_texts();
  std::uint64_t count(const Plan& plan, std::uint64_t most) const;
  void copy_tracks(TraceParts& out, const Plan& plan);
  void thin_lane(const Plan& plan, std::uint32_t number, std::vector<Lane>& lanes, std::uint64_t& real);
  void thin_instants(const Plan& plan, const Track& from, Track& to);
  void thin_counter(const Plan& plan, const Track& from, Track& to) const;
  /// Calls visit(FoldedRun) for each run of a lane; the runs cover all its slices.
  template <class Visit>
  void for_each_run(const Plan& plan, std::uint32_t lane, Visit&& visit) const;

  const Trace& trace_;
  const std::vector<FoldIndex>& folds_;
  const std::vector<std::string> paths_;
  std::vector<std::uint32_t> texts_;  // by text id of the large trace: id in the thin ones; kNoIndex: none yet
  std::vector<StringId> in_order_;    // texts of the thin traces in order of id, after the empty one
  std::uint64_t text_bytes_ = 0;
};

}  // namespace lacuna
