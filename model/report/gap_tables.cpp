#include "model/report/gap_tables.h"

#include <algorithm>
#include <utility>

#include "model/causes/dead_windows.h"

namespace lacuna {
namespace {

class GapDescriber {
 public:
  GapDescriber(const CausedTrace& caused, const ReportFormat& format, std::size_t rows)
      : trace_(caused.causes.trace()), caused_(caused), format_(format), rows_(rows) {}

  DescribedGaps describe(const GapTableOptions& options) {
    DescribedGaps described;
    if (options.what == GapTable::kDeadWindows) {
      described.table = dead_windows();
      return described;
    }
    const ChosenGaps chosen = choose_gaps(caused_, options);
    described.counted = chosen.counted;
    described.left_out = chosen.left_out;
    if (options.what == GapTable::kCauses) described.table = causes(chosen);
    if (options.what == GapTable::kOperators) described.table = operators(chosen, described.not_charged);
    return described;
  }

 private:
  /// A gap of a whole GPU stands for that of the stream that resumed first.
  ReportPlace place_of(const Gap& gap) const {
    ReportPlace place{{gap.start, gap.end}, {}};
    if (!gap.after.valid()) return place;
    const TrackId track = trace_.lane(gap.after).track;
    const auto stream = std::ranges::find(caused_.streams, track, &StreamActivity::track);
    if (stream == caused_.streams.end()) return place;
    const auto at = std::ranges::lower_bound(stream->gaps, gap.end, {}, &Gap::end);
    if (at == stream->gaps.end() || at->end != gap.end) return place;
    place.span = {at->start, at->end};
    place.gap_of = track;
    return place;
  }

  std::string share(Nanos part, Nanos whole) const {
    return whole <= 0 ? "\xE2\x80\x93" : format_.percent(static_cast<double>(part) / static_cast<double>(whole));
  }

  void add(ReportTable& table, std::vector<std::string> cells, ReportPlace place) const {
    if (table.row_count++ >= rows_) return;
    table.rows.push_back(std::move(cells));
    table.places.push_back(place);
  }

  ReportTable causes(const ChosenGaps& chosen) const {
    ReportTable table;
    table.columns = {{"Cause"},        {"Lost", true},          {"Share", true},
                     {"Places", true}, {"Before launch", true}, {"In queue", true}};
    for (const CauseTotal& row : rank_causes(chosen.sets))
      add(table,
          {std::string(cause_name(row.cause)), format_.duration(row.lost), share(row.lost, chosen.counted.time),
           format_.count(row.gaps), format_.duration(row.before_issue), format_.duration(row.in_queue)},
          place_of(chosen.sets[row.longest.set].gaps[row.longest.gap]));
    return table;
  }

  ReportTable operators(const ChosenGaps& chosen, Nanos& not_charged) const {
    ReportTable table;
    table.columns = {{"Operator"},     {"Lost", true},     {"Share", true},
                     {"Places", true}, {"In syncs", true}, {"Mostly in"}};
    const OperatorCosts costs = charge_operators(trace_, chosen.sets);
    for (const OperatorCost& row : costs.rows)
      add(table,
          {blamed_name(trace_, row.level, row.name), format_.duration(row.lost), share(row.lost, chosen.counted.time),
           format_.count(row.places.size()),
           row.in_synchronisation == 0 ? std::string() : format_.duration(row.in_synchronisation),
           std::string(trace_.text(row.mostly_in))},
          place_of(chosen.sets[row.places.front().set].gaps[row.places.front().gap]));
    not_charged = costs.not_charged;
    return table;
  }

  ReportTable dead_windows() const {
    ReportTable table;
    table.columns = {{"Annotation"},    {"Instances", true}, {"Dead", true},    {"Median", true},
                     {"Longest", true}, {"To GPU", true},    {"Outliers", true}};
    for (const DeadWindowGroup& group : find_dead_windows(trace_)) {
      const auto longest = std::ranges::max_element(group.instances, {}, &DeadWindow::dead);
      add(table,
          {group.label(trace_), format_.count(group.instances.size()), format_.duration(group.total),
           format_.duration(group.median), format_.duration(group.longest), format_.duration(group.median_on_gpu),
           group.outliers == 0 ? std::string() : format_.count(group.outliers)},
          {trace_.span(longest->annotation), longest->annotation});
    }
    return table;
  }

  const Trace& trace_;
  const CausedTrace& caused_;
  const ReportFormat& format_;
  const std::size_t rows_;
};

}  // namespace

ChosenGaps choose_gaps(const CausedTrace& caused, const GapTableOptions& options) {
  const Trace& trace = caused.causes.trace();
  const auto is_chosen = [&](TrackId track) {
    return options.tracks.empty() || std::ranges::find(options.tracks, track) != options.tracks.end();
  };
  const auto source_of = [&](const StreamActivity& stream) {
    return trace.process(trace.track(stream.track).process).source;
  };
  std::vector<CausedGaps> sets;
  if (options.whole_gpu) {
    sets = diagnose_devices(caused.causes);
    std::erase_if(sets, [&](const CausedGaps& set) {
      return std::ranges::none_of(caused.streams, [&](const StreamActivity& stream) {
        return is_chosen(stream.track) && stream.device == set.device && source_of(stream) == set.source;
      });
    });
  } else {
    for (const StreamActivity& stream : caused.streams)
      if (is_chosen(stream.track)) sets.push_back(add_causes(caused.causes, stream));
  }
  return choose_gaps(sets, options.shortest, options.range);
}

DescribedGaps describe_gaps(const CausedTrace& trace, const GapTableOptions& options, const ReportFormat& format,
                            std::size_t rows) {
  return GapDescriber(trace, format, rows).describe(options);
}

}  // namespace lacuna
