#include "model/import/alignment.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr Nanos kEarliestEpochNs = 100'000'000'000'000'000;  // March 1973

}  // namespace

std::optional<Nanos> to_absolute(const FileClock& file) {
  if (file.span != TimeSpan::nothing() && file.span.begin >= kEarliestEpochNs) return 0;
  if (file.has_base_time) return file.base_time_ns;
  return std::nullopt;
}

std::optional<Nanos> to_absolute(const Trace& trace, SourceId source) {
  const TraceSource& of = trace.sources()[source.value];
  FileClock clock{of.has_base_time, of.base_time_ns};
  for (const Track& track : trace.tracks())
    if (trace.process(track.process).source == source) clock.span = clock.span.unite(track.span);
  if (clock.span != TimeSpan::nothing()) clock.span.begin = saturating_sub(clock.span.begin, of.shift_ns);
  const auto to_file = to_absolute(clock);
  return to_file ? std::optional(saturating_sub(*to_file, of.shift_ns)) : std::nullopt;
}

TimeSpan unite_times(TimeSpan span, const EventBatch& batch) {
  const auto add = [&](Nanos begin, Nanos end) { span = span.unite({begin, end}); };
  for (const EventBatch::TrackEvents& track : batch.tracks) {
    for (const SliceRecord& s : track.slices) add(s.start, saturating_add(s.start, s.duration));
    for (const SliceRecord& s : track.sealed_slices) add(s.start, saturating_add(s.start, s.duration));
    for (const BeginEndEvent& e : track.begin_ends) add(e.time, e.time);
    for (const Instant& i : track.instants) add(i.time, i.time);
  }
  for (const AsyncEvent& e : batch.asyncs) add(e.time, e.time);
  for (const CounterSample& c : batch.counters) add(c.time, c.time);
  return span;
}

AlignmentPlan plan_alignment(std::span<const FileClock> files) {
  AlignmentPlan plan;
  plan.shifts_ns.assign(files.size(), 0);
  if (files.size() < 2) return plan;
  const auto has_events = [](const FileClock& file) { return file.span != TimeSpan::nothing(); };
  const auto first = std::ranges::find_if(files, has_events);
  if (first == files.end()) return plan;
  const bool all_known = std::ranges::all_of(
      files, [&](const FileClock& file) { return !has_events(file) || to_absolute(file).has_value(); });
  plan.how = Alignment::kStart;
  if (all_known) plan.how = Alignment::kAbsoluteTime;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!has_events(files[i])) continue;
    if (!all_known) {
      plan.shifts_ns[i] = saturating_sub(first->span.begin, files[i].span.begin);
      continue;
    }
    plan.shifts_ns[i] = saturating_sub(*to_absolute(files[i]), *to_absolute(*first));
    if (*to_absolute(files[i]) != 0) plan.how = Alignment::kBaseTime;
  }
  return plan;
}

}  // namespace lacuna
