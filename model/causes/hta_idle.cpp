#include "model/causes/hta_idle.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "model/base/natural_order.h"
#include "model/base/stable_sort.h"
#include "model/causes/known_names.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// What a JSON reader makes of the decimal microseconds "ns / 1000": the nearest double.
double to_microseconds(Nanos ns) {
  constexpr Nanos kExact = Nanos{1} << 53;
  // Both exact, so that the division rounds once and right.
  if (ns > -kExact && ns < kExact) return static_cast<double>(ns) / 1000.0;
  const auto magnitude = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  char text[40];
  const auto end =
      fmt::format_to_n(text, sizeof text, "{}{}.{:03}", ns < 0 ? "-" : "", magnitude / 1000, magnitude % 1000).out;
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

/// One activity as a row of HTA's dataframe.
struct Row {
  double ts = 0;
  double end = 0;
  double launch_ts = 0;  // NaN: later than nothing
  std::uint64_t file_offset = 0;
};

/// What decides, per source, which rows HTA keeps and how it rounds.
struct SourceFacts {
  bool rounds = false;
  SliceId first_event;  // row 0 of the dataframe, if it is a slice
  std::set<StringId> step_names;
  double last_step_start = -std::numeric_limits<double>::infinity();
  double last_step_end = -std::numeric_limits<double>::infinity();

  bool filters() const { return step_names.size() >= 2; }
};

class Breakdown {
 public:
  Breakdown(const Trace& trace, const HtaOptions& options)
      : trace_(trace), options_(options), is_step_(trace.strings(), is_profiler_step) {
    facts_.resize(trace.sources().size());
    for (const Track& track : trace.tracks()) {
      look_for_fractions(track);
      look_for_first_event(track);
    }
    for (std::size_t s = 0; s < facts_.size(); ++s)
      if (!is_first(trace.sources()[s], facts_[s].first_event)) facts_[s].first_event = {};
    for (const Track& track : trace.tracks()) look_for_steps(track);
  }

  std::vector<HtaIdle> run() {
    std::vector<HtaIdle> result;
    std::vector<bool> done(trace_.tracks().size(), false);
    for (const Track& first : tracks_of(trace_, TrackKind::kGpuStream)) {
      if (done[first.id.value]) continue;
      const SourceId source = trace_.process(first.process).source;
      std::vector<Row> rows;
      for (const Track& track : tracks_of(trace_, TrackKind::kGpuStream, source)) {
        if (track.stream != first.stream) continue;
        done[track.id.value] = true;
        add_rows(track, rows);
      }
      if (rows.empty()) continue;
      HtaIdle idle = classify(rows);
      idle.source = source;
      idle.stream = first.stream;
      result.push_back(idle);
    }
    sort_stably(result, [&](const HtaIdle& a, const HtaIdle& b) {
      if (a.source != b.source) return a.source < b.source;
      return natural_less(trace_.text(a.stream), trace_.text(b.stream));
    });
    return result;
  }

 private:
  SourceFacts& facts_of(const Track& track) { return facts_[trace_.process(track.process).source.value]; }

  /// One fraction makes pandas' column ts a column of doubles, and HTA rounds those.
  void look_for_fractions(const Track& track) {
    SourceFacts& facts = facts_of(track);
    if (facts.rounds) return;
    const auto is_fraction = [](Nanos t) { return t % 1000 != 0; };
    for (const Lane& lane : trace_.lanes_of(track))
      if (std::ranges::any_of(lane.starts(), is_fraction)) facts.rounds = true;
    if (std::ranges::any_of(track.instants, is_fraction, &Instant::time) ||
        std::ranges::any_of(track.counter.times, is_fraction))
      facts.rounds = true;
  }

  void look_for_first_event(const Track& track) {
    SliceId& first = facts_of(track).first_event;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (!first.valid() || lane.file_offset(i) < trace_.lane(first).file_offset(first.index)) first = {id, i};
    }
  }

  /// Nothing but the list's bracket comes before it: metadata first would be rows without a time.
  /// HTA also drops the profiler's own span.
  bool is_first(const TraceSource& source, SliceId slice) const {
    if (!slice.valid()) return false;
    if (trace_.category_name(trace_.lane(slice).category(slice.index)) == "Trace") return false;
    if (source.bytes == nullptr) return true;
    const std::uint64_t offset = trace_.lane(slice).file_offset(slice.index);
    char before[64];
    const std::uint64_t length = std::min<std::uint64_t>(offset, sizeof before);
    const std::size_t read = source.bytes->read_at(offset - length, {before, length});
    const std::string_view text(before, read);
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return last != text.npos && text[last] == '[';
  }

  /// HTA takes the GPU's annotations for CPU events, because they have no stream in their args.
  void look_for_steps(const Track& track) {
    if (track.kind != TrackKind::kThread && track.kind != TrackKind::kGpuAnnotation) return;
    SourceFacts& facts = facts_of(track);
    for (const Lane& lane : trace_.lanes_of(track)) {
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        if (!is_step_(lane.name(i))) continue;
        facts.step_names.insert(lane.name(i));
        const Row row = rounded(lane.span(i), facts);
        facts.last_step_start = std::max(facts.last_step_start, row.ts);
        facts.last_step_end = std::max(facts.last_step_end, row.end);
      }
    }
  }

  static Row rounded(TimeSpan span, const SourceFacts& facts) {
    Row row;
    row.ts = to_microseconds(span.begin);
    row.end = row.ts + to_microseconds(saturating_sub(span.end, span.begin));
    if (facts.rounds) {
      row.ts = std::ceil(row.ts);
      row.end = std::floor(row.end);
    }
    return row;
  }

  void add_rows(const Track& track, std::vector<Row>& rows) {
    const SourceFacts& facts = facts_of(track);
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        if (!is_gpu_activity(trace_.category_class(lane.category(i)))) continue;
        Row row = rounded(lane.span(i), facts);
        row.file_offset = lane.file_offset(i);
        const SliceId launch = trace_.links().launch_of({id, i});
        const SliceId taken_for_launch = launch.valid() ? launch : facts.first_event;
        row.launch_ts = taken_for_launch.valid() ? rounded(trace_.span(taken_for_launch), facts).ts
                                                 : std::numeric_limits<double>::quiet_NaN();
        const bool kept = launch.valid() && (options_.include_last_step ? row.launch_ts <= facts.last_step_end
                                                                        : row.launch_ts < facts.last_step_start);
        if (!facts.filters() || kept) rows.push_back(row);
      }
    }
  }

  HtaIdle classify(std::vector<Row>& rows) const {
    std::ranges::sort(
        rows, [](const Row& a, const Row& b) { return a.ts != b.ts ? a.ts < b.ts : a.file_offset < b.file_offset; });
    HtaIdle idle;
    idle.rows = rows.size();
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const double gap = rows[i].ts - rows[i - 1].end;
      const HtaClass c = rows[i].launch_ts > rows[i - 1].end                               ? HtaClass::kHostWait
                         : gap < static_cast<double>(options_.consecutive_kernel_delay_us) ? HtaClass::kKernelWait
                                                                                           : HtaClass::kOther;
      idle.idle_us[static_cast<std::size_t>(c)] += gap;
      ++idle.gaps[static_cast<std::size_t>(c)];
    }
    return idle;
  }

  const Trace& trace_;
  HtaOptions options_;
  NameMemo is_step_;
  std::vector<SourceFacts> facts_;
};

}  // namespace

const char* hta_name(HtaClass c) {
  switch (c) {
    case HtaClass::kHostWait:
      return "host_wait";
    case HtaClass::kKernelWait:
      return "kernel_wait";
    case HtaClass::kOther:
      break;
  }
  return "other";
}

std::vector<HtaIdle> hta_idle(const Trace& trace, const HtaOptions& options) {
  return Breakdown(trace, options).run();
}

}  // namespace lacuna
