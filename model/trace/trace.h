#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/base/byte_source.h"
#include "model/base/ids.h"
#include "model/trace/category.h"
#include "model/trace/import_report.h"
#include "model/trace/lane.h"
#include "model/trace/links.h"
#include "model/trace/string_pool.h"
#include "model/trace/track.h"

namespace lacuna {

class KeptPlace;
class KeptWithTrace;

/// A category that occurs in the trace.
struct Category {
  StringId name = kEmptyString;
  CategoryClass meaning = CategoryClass::kOther;
  std::uint64_t events = 0;  ///< number of events of every phase in it
};

/// How the times of several files were aligned on one axis.
enum class Alignment : std::uint8_t {
  kSingle,        ///< one file: nothing to align
  kBaseTime,      ///< by baseTimeNanoseconds (at least one file needed it)
  kAbsoluteTime,  ///< all times are nanoseconds since 1970
  kStart,         ///< a file has neither: by the first event of each
  kRaw,           ///< not aligned: every file's own times, as requested (FileClocks::kRaw)
  kGiven,         ///< by given shifts, such as those from the ends of collectives (FileClocks::kGiven)
};

/// Describes the alignment for users, "by the baseTimeNanoseconds of the files"; empty for kSingle.
std::string_view describe(Alignment alignment);

/// One entry of distributedInfo.pg_config: ranks that communicate with each other.
struct CommunicationGroup {
  std::string name;
  std::string description;          ///< "tp"; may be empty
  std::int64_t size = 0;            ///< pg_size; 0: not in the file
  std::vector<std::int64_t> ranks;  ///< empty if the file does not list all of them
};

/// One loaded file or capture, or one rank of it (split_by_rank).
struct TraceSource {
  std::string path;    ///< as given by the user, or as found in the given folder
  std::string label;   ///< of several: "rank 3", else the file's name; empty for one alone
  std::string format;  ///< "Chrome JSON", "Chrome JSON, gzip", …
  std::uint64_t file_bytes = 0;
  std::uint64_t json_bytes = 0;
  Nanos base_time_ns = 0;  ///< baseTimeNanoseconds; 0 if the file has none
  bool has_base_time = false;
  Nanos shift_ns = 0;  ///< added to this source's times to align several sources
  Alignment alignment = Alignment::kSingle;
  std::optional<std::int64_t> rank;  ///< distributedInfo.rank, or its processes' rank
  bool is_rank_of_file = false;      ///< another source has the counters of its file (split_by_rank)
  bool is_around_ranks = false;      ///< of a file with several ranks: the slices that belong to none (split_by_rank)
  std::optional<std::int64_t> world_size;
  std::vector<CommunicationGroup> process_groups;  ///< distributedInfo.pg_config, in file order
  std::string display_time_unit;
  std::vector<DeviceProperties> devices;  ///< deviceProperties, in file order
  /// Other top-level keys with their raw JSON text (long values cut), in file order.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::array<std::uint64_t, 256> phase_counts{};
  std::uint64_t without_category = 0;
  /// Events skipped on request, by category; they count nowhere else.
  std::map<std::string, std::uint64_t, std::less<>> skipped;
  ImportReport report;
  std::shared_ptr<const ByteSource> bytes;  ///< for args; null for captures
  /// The file's data other than events (model/memory/kept_memory.h), read once. Null: none.
  std::shared_ptr<const KeptWithTrace> side_data;

  /// Returns the path, and for several ranks the rank: "job.json.gz · rank 3".
  std::string title() const { return rank && !label.empty() ? path + " · rank " + std::to_string(*rank) : path; }
};

/// A trace: the loaded data, as tables. Readers hold a const Trace and may share it between
/// threads; only TraceBuilder writes one. See lane.h for the slices, links.h for the links
/// between them, and level_of_detail.h, gaps.h, statistics.h for the queries.
class Trace {
 public:
  Trace();
  Trace(Trace&&) noexcept = default;
  Trace& operator=(Trace&&) noexcept = default;

  const StringPool& strings() const { return strings_; }
  std::string_view text(StringId id) const { return strings_.get(id); }

  std::span<const TraceSource> sources() const { return sources_; }
  std::span<const Process> processes() const { return processes_; }
  /// Processes in the order in which they are shown (sort index, then pid).
  std::span<const ProcessId> process_order() const { return process_order_; }
  std::span<const Track> tracks() const { return tracks_; }
  std::span<const Lane> lanes() const { return lanes_; }
  std::span<const Category> categories() const { return categories_; }

  const Process& process(ProcessId id) const { return processes_[id.value]; }
  const Track& track(TrackId id) const { return tracks_[id.value]; }
  const Lane& lane(LaneId id) const { return lanes_[id.value]; }
  std::span<const Lane> lanes_of(const Track& t) const {
    return t.lane_count == 0 ? std::span<const Lane>{} : lanes().subspan(t.first_lane.value, t.lane_count);
  }
  CategoryClass category_class(CategoryId id) const {
    return id.value < categories_.size() ? categories_[id.value].meaning : CategoryClass::kOther;
  }

  // About one slice.
  const Lane& lane(SliceId s) const { return lanes_[s.lane.value]; }
  const Track& track_of(SliceId s) const { return track(lane(s).track); }
  const TraceSource& source_of(const Track& t) const { return sources_[process(t.process).source.value]; }
  std::string_view name(SliceId s) const { return text(lane(s).name(s.index)); }
  TimeSpan span(SliceId s) const { return lane(s).span(s.index); }
  std::string_view category_name(CategoryId id) const {
    return id.value < categories_.size() ? text(categories_[id.value].name) : std::string_view{};
  }
  CategoryClass category_class(SliceId s) const { return category_class(lane(s).category(s.index)); }
  /// Returns the slice that directly contains `s` on its track, or an invalid id.
  SliceId parent(SliceId s) const;
  /// duration minus the durations of the direct children; never negative, since children of a
  /// slice lie inside it and do not overlap. O(children).
  Nanos self_time(SliceId s) const;
  /// Calls visit(SliceId) for each direct child, ascending by start.
  template <class Visit>
  void for_each_child(SliceId s, Visit&& visit) const;
  /// Returns the innermost slice of `track` that contains `t` (or starts at it), or an invalid id.
  /// If several lanes have one at `t`, the slice that started last. O(lanes * log n).
  SliceId innermost_at(const Track& track, Nanos t) const;
  /// Return the slice just before/after `s` on its track by start time, over all rows. O(lanes * log n).
  SliceId next_on_track(SliceId s) const;
  SliceId previous_on_track(SliceId s) const;

  /// Launch -> GPU activity links, and flows.
  const Links& links() const { return links_; }

  /// From the first start to the last end of slices, instants and counter samples.
  TimeSpan span() const { return span_; }
  std::uint64_t slice_count() const { return slice_count_; }
  std::uint64_t event_count() const;
  /// Merged over sources, including the findings of TraceBuilder.
  const ImportReport& report() const { return report_; }
  std::size_t memory_bytes() const;
  /// The names of steps, chosen by the user: a pattern in which * stands for any text; empty: default (steps/steps.h).
  const std::string& steps_from() const { return steps_from_; }
  /// Call before others read the trace.
  void set_steps_from(std::string pattern) { steps_from_ = std::move(pattern); }
  /// Holds the args that tables need; see argument_columns() in columns/argument_columns.h.
  KeptPlace& arguments_place() const { return *arguments_place_; }

 private:
  friend class TraceBuilder;
  friend class TraceCodec;

  StringPool strings_;
  std::vector<TraceSource> sources_;
  std::vector<Process> processes_;
  std::vector<ProcessId> process_order_;
  std::vector<Track> tracks_;
  std::vector<Lane> lanes_;
  std::vector<Category> categories_;
  Links links_;
  TimeSpan span_;
  std::uint64_t slice_count_ = 0;
  ImportReport report_;
  std::string steps_from_;
  std::shared_ptr<KeptPlace> arguments_place_;
};

template <class Visit>
void Trace::for_each_child(SliceId s, Visit&& visit) const {
  const LaneId below{s.lane.value + 1};
  const Lane& own = lane(s);
  if (below.value >= lanes_.size()) return;
  const Lane& children = lanes_[below.value];
  if (children.track != own.track || children.nest != own.nest) return;
  for (std::uint32_t i = children.first_starting_from(own.start(s.index));
       i < children.size() && children.start(i) <= own.end(s.index); ++i) {
    if (children.parent(i) == s.index) visit(SliceId{below, i});
  }
}

}  // namespace lacuna
