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

/// One of SliceFlags: stands for several, as many as its file_offset says.
inline constexpr std::uint16_t kSliceFolded = 8;

/// Which part of a trace is looked at, and how closely.
struct ThinView {
  TimeSpan span = TimeSpan::everything();
  Nanos fold_ns = 0;  ///< slices shorter than this are folded (LayoutContext::fold_ns); 0: a thousandth of the view
  std::vector<TrackId> tracks;  ///< in view; empty: all of them
};

/// The result of TraceThinner::make().
struct ThinTrace {
  Trace trace;
  Statistics statistics;   ///< those that came along, with its texts; of no row a longest slice is known
  TimeSpan span;           ///< here slices at least as long as fold_ns are there one by one
  Nanos fold_ns = 1;       ///< what is shorter is drawn together, as FoldIndex does
  Nanos outer_ns = 1;      ///< the same outside of `span`, and in tracks that are not in view
  std::uint64_t real = 0;  ///< slices that stand for themselves
};

/// Makes small traces of a large one: with all its processes, tracks, rows and categories, and as many slices, instants
/// and samples as a picture of some part of it needs, half a width to both sides, and fewer elsewhere. Slices too short
/// for a pixel become one with kSliceFolded that is as long, or two where they leave idle time, so that time in slices
/// adds up: gaps of at least two pixels are real, shorter ones lie together. Links, args and findings of single events
/// are not taken along. One thread; the traces keep nothing of the large one.
class TraceThinner {
 public:
  /// Most slices, instants and samples in one, about: what is drawn together becomes longer until it is kept.
  static constexpr std::uint64_t kMostRows = 60'000;

  /// `trace` and `folds` (of each lane) must outlive it. `paths`: what its sources' files are called in the small ones.
  TraceThinner(const Trace& trace, const std::vector<FoldIndex>& folds, std::vector<std::string> paths);

  /// O(rows made * log n). Texts keep their numbers from one to the next. `statistics`: of the large one, to be shown
  /// with it.
  ThinTrace make(const ThinView& view, Statistics statistics = {});

 private:
  /// Says which parts of a trace are thinned, and how much.
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
  /// Calls visit(FoldedRun) for each run of a lane, each slice in one of them.
  template <class Visit>
  void for_each_run(const Plan& plan, std::uint32_t lane, Visit&& visit) const;

  const Trace& trace_;
  const std::vector<FoldIndex>& folds_;
  const std::vector<std::string> paths_;
  std::vector<std::uint32_t> texts_;  // by number there: number in what is made; kNoIndex: not yet
  std::vector<StringId> in_order_;    // what is made has these, behind the empty one
  std::uint64_t text_bytes_ = 0;
};

}  // namespace lacuna
