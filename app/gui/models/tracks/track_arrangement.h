#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/core/same_tracks.h"
#include "app/gui/models/tracks/track_worth.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// How processes are grouped in the timeline.
enum class TrackGrouping : std::uint8_t {
  kProcess,  ///< no grouping
  kRank,     ///< processes of one file (one rank), GPUs first, under a header with its name
  kDevice,   ///< GPU processes by GPU index, then the CPU processes
};

/// The tracks that the timeline shows and their order: which ones the user pinned, hid, moved, made taller or
/// filtered. Knows no pixels; apply() writes it to a TimelineInput. A plain value with the ids of one trace:
/// operations on ids that the trace does not have do nothing. UI thread.
class TrackArrangement {
 public:
  static constexpr float kLeastRowScale = 0.5f;
  static constexpr float kMostRowScale = 4;
  static constexpr std::size_t kMostPins = 64;

  /// Starts over for another trace.
  void reset(const Trace* trace);
  /// Keeps the same choices for a later trace of the same files.
  void move_to(const Trace& trace, const SameTracks& same);

  // Pinned tracks, top to bottom.
  const std::vector<TrackId>& pins() const { return pins_; }
  bool is_pinned(TrackId track) const;
  void set_pinned(TrackId track, bool pinned);
  /// Moves a pin before the one now at index `place`; beyond the last: to the end.
  void move_pin(TrackId track, std::size_t place);

  // Hidden tracks.
  bool is_hidden(TrackId track) const;
  void set_hidden(TrackId track, bool hidden);
  void set_hidden(ProcessId process, bool hidden);
  /// Hides all other tracks.
  void show_only(TrackId track);
  void show_all();
  std::size_t hidden_count() const;  ///< hidden by the user, not counting the filter

  // Filter: a regular expression (ECMAScript, ignoring case) that "process · track" must contain.
  const std::string& filter() const { return filter_; }
  /// An invalid expression hides nothing and sets filter_error().
  void set_filter(std::string_view expression);
  const std::string& filter_error() const { return filter_error_; }
  std::size_t filtered_count() const;  ///< hidden only by the filter

  // Order.
  TrackGrouping grouping() const { return grouping_; }
  void set_grouping(TrackGrouping grouping) {
    grouping_ = grouping;
    ++version_;
  }
  /// Moves a track before another one of the same process; an invalid `before`: to the end.
  void move_track(TrackId track, TrackId before);
  /// Moves a process before another one; an invalid `before`: to the end. Ends the grouping.
  void move_process(ProcessId process, ProcessId before, std::span<const ProcessId> shown_order);
  /// Returns the order of a process's tracks: by usefulness (judge_tracks) unless the user moved one.
  std::vector<TrackId> order_of(const Process& process) const;
  /// Whether the track is of a thread that only waits: see TrackWorth.
  bool waits(TrackId track) const { return track.value < worth_.waits.size() && worth_.waits[track.value] != 0; }
  const std::vector<std::uint32_t>& outer_frames() const { return worth_.outer_frames; }
  // Tracks of processes that have nothing but one instant: hidden unless the user wants to see them.
  std::size_t single_instants() const;
  bool shows_single_instants() const { return shows_single_instants_; }
  void show_single_instants(bool shows);
  bool has_own_order() const { return !process_order_.empty() || !ranks_.empty(); }
  void reset_order();
  const std::vector<ProcessId>& process_order() const { return process_order_; }
  void set_process_order(std::vector<ProcessId> order);
  void set_track_order(std::span<const TrackId> order);

  // Heights.
  float row_scale(TrackId track) const;
  void set_row_scale(TrackId track, float scale);

  /// Counts the changes; when it differs, the stored settings are out of date.
  std::uint64_t version() const { return version_; }

  /// Writes order, groups, ranks, hidden tracks and heights. `gpu_first`: GPUs above the processes
  /// that feed them unless another order applies. O(tracks log tracks).
  void apply(bool gpu_first, TimelineInput& input) const;

 private:
  bool knows(TrackId id) const { return trace_ != nullptr && id.value < trace_->tracks().size(); }
  bool knows(ProcessId id) const { return trace_ != nullptr && id.value < trace_->processes().size(); }
  void match_filter();
  void group_by_rank(TimelineInput& input) const;
  void group_by_device(TimelineInput& input) const;

  const Trace* trace_ = nullptr;  // borrowed from the document, which outlives every frame
  std::vector<TrackId> pins_;
  std::vector<std::uint8_t> hidden_;      // by TrackId
  std::vector<std::uint8_t> filtered_;    // by TrackId; empty without a filter
  std::vector<float> row_scales_;         // by TrackId; empty = all 1
  TrackWorth worth_;                      // default order, unless the user made another
  std::vector<std::uint32_t> ranks_;      // by TrackId; empty if no track was moved
  std::vector<ProcessId> process_order_;  // empty = default order
  bool shows_single_instants_ = false;
  std::string filter_;
  std::string filter_error_;
  TrackGrouping grouping_ = TrackGrouping::kProcess;
  std::uint64_t version_ = 0;
};

/// Whether the track has something to show.
bool has_content(const Track& track);

}  // namespace lacuna
