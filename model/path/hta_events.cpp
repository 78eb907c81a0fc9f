#include "model/path/hta_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"
#include "model/formats/chrome/json_text.h"
#include "model/import/bulk_arguments.h"

namespace lacuna {
namespace {

constexpr Nanos kMicro = 1000;

/// Python's int() of a number or text; -1 where that fails or nothing is given.
std::int64_t hta_integer(std::string_view token) {
  std::string_view text = token_content(token);
  while (!text.empty() && (text.front() == ' ' || text.front() == '+')) text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return -1;
  // A number with a fraction is cut; a text with one is none.
  if (end != text.data() + text.size() && (*end != '.' || token.starts_with('"'))) return -1;
  return value;
}

/// HTA computes with microseconds as doubles where a file has fractions of them, and rounds starts up and ends down.
void round_inwards(std::vector<HtaEvent>& rows) {
  const bool has_fractions =
      std::ranges::any_of(rows, [](const HtaEvent& e) { return e.ts % kMicro != 0 || e.duration % kMicro != 0; });
  if (!has_fractions) return;
  const auto micros = [](Nanos t) { return static_cast<double>(static_cast<long double>(t) / kMicro); };
  for (HtaEvent& e : rows) {
    const double start = micros(e.ts);
    const double end = start + micros(e.duration);
    const auto first = static_cast<Nanos>(std::ceil(start));
    const auto last = static_cast<Nanos>(std::floor(end));
    e.ts = first * kMicro;
    e.duration = (last - first) * kMicro;
  }
}

/// May have args.stream: operators of Inductor's Triton kernels do, and HTA takes them for the GPU's then.
bool may_be_on_stream(CategoryClass c) {
  return is_gpu_activity(c) || c == CategoryClass::kCpuOperator || c == CategoryClass::kSynchronisation ||
         c == CategoryClass::kGpuAnnotation || c == CategoryClass::kOther;
}

void read_hta_rows(const Trace& trace, SourceId source, std::vector<HtaEvent>& rows) {
  std::vector<SliceId> slices;
  for (const Track& track : trace.tracks()) {
    const TrackTraits traits = traits_of(track.kind);
    if (trace.process(track.process).source != source || !traits.has_tid || traits.is_observed) continue;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const std::string_view category = trace.category_name(lane.category(i));
        if (category.empty() || category == "Trace" || (lane.flags(i) & (kSliceUnfinished | kSliceRepairedTime)) != 0)
          continue;
        HtaEvent event;
        event.ts = lane.start(i);
        event.duration = lane.duration(i);
        event.file_offset = lane.file_offset(i);
        if (const std::uint64_t correlation = lane.correlation(i); correlation != 0)
          event.correlation = static_cast<std::int64_t>(correlation);
        event.name = lane.name(i);
        event.category = trace.categories()[lane.category(i).value].name;
        event.track = track.id;
        const CategoryClass meaning = trace.category_class(lane.category(i));
        if (is_gpu_activity(meaning)) event.stream = hta_integer(trace.text(track.stream));
        rows.push_back(event);
        slices.push_back(may_be_on_stream(meaning) ? SliceId{id, i} : SliceId{});
      }
    }
  }
  std::vector<SliceId> asked;
  std::vector<std::uint32_t> row_of;
  for (std::uint32_t r = 0; r < slices.size(); ++r)
    if (slices[r].valid()) {
      asked.push_back(slices[r]);
      row_of.push_back(r + 1);
    }
  constexpr std::array<std::string_view, 3> kKeys{"stream", "wait_on_stream", "wait_on_cuda_event_record_corr_id"};
  const FileOrder order = in_file_order(trace, asked);
  // Recordings and databases have no text to read: their tracks know the streams.
  (void)read_arguments_in_parallel(trace.sources()[source.value], order.offsets, kKeys, 2,
                                   [&](std::size_t k, std::span<const std::string_view> values) {
                                     HtaEvent& event = rows[row_of[order.indices[k]]];
                                     event.stream = hta_integer(values[0]);
                                     event.wait_on_stream = hta_integer(values[1]);
                                     event.wait_on_record = hta_integer(values[2]);
                                   });
}

/// On a stream with a correlation, or a synchronisation that HTA counts as the GPU's.
bool ran_on_gpu(const HtaEvent& e, const HtaNames& names) {
  return (e.stream >= 0 && e.correlation >= 0) || (names.event_sync.valid() && e.name == names.event_sync) ||
         (names.context_sync.valid() && e.name == names.context_sync);
}

/// transform_correlation_to_index(): of several with one correlation the last one counts.
void link_rows(std::vector<HtaEvent>& rows, const HtaNames& names) {
  struct Pair {
    std::uint32_t cpu = 0;
    std::uint32_t gpu = 0;
  };
  std::unordered_map<std::int64_t, Pair, SeededHash> pairs;
  for (std::uint32_t r = 1; r < rows.size(); ++r) {
    if (rows[r].correlation < 0) continue;
    Pair& pair = pairs[rows[r].correlation];
    (ran_on_gpu(rows[r], names) ? pair.gpu : pair.cpu) = r;
  }
  for (std::uint32_t r = 1; r < rows.size(); ++r) {
    if (rows[r].correlation < 0) continue;
    const Pair& pair = pairs[rows[r].correlation];
    if (pair.cpu != 0 && pair.gpu != 0) rows[r].link = ran_on_gpu(rows[r], names) ? pair.cpu : pair.gpu;
  }
}

/// _filter_irrelevant_gpu_kernels(): of several steps the last one is left out.
std::vector<std::uint32_t> keep_whole_steps(const Trace& trace, const std::vector<HtaEvent>& rows,
                                            const HtaNames& names) {
  std::unordered_set<std::uint32_t> steps;
  const auto note = [&](StringId text) {
    if (trace.text(text).find("ProfilerStep") != std::string_view::npos) steps.insert(text.value);
  };
  std::unordered_set<std::uint32_t> seen;
  for (const HtaEvent& e : rows)
    for (const StringId text : {e.name, e.category})
      if (seen.insert(text.value).second) note(text);
  std::vector<std::uint32_t> order;
  order.reserve(rows.size());
  if (steps.size() < 2) {
    for (std::uint32_t r = 1; r < rows.size(); ++r) order.push_back(r);
    return order;
  }
  Nanos last_start = kMinNanos;
  for (std::uint32_t r = 1; r < rows.size(); ++r)
    if (!ran_on_gpu(rows[r], names) && steps.contains(rows[r].name.value))
      last_start = std::max(last_start, rows[r].ts);
  std::unordered_set<std::int64_t, SeededHash> correlations;
  const auto is_kept = [&](const HtaEvent& e) { return !ran_on_gpu(e, names) && e.ts < last_start; };
  for (std::uint32_t r = 1; r < rows.size(); ++r)
    if (is_kept(rows[r])) correlations.insert(rows[r].correlation);
  for (std::uint32_t r = 1; r < rows.size(); ++r)
    if (ran_on_gpu(rows[r], names) && correlations.contains(rows[r].correlation)) order.push_back(r);
  for (std::uint32_t r = 1; r < rows.size(); ++r)
    if (is_kept(rows[r])) order.push_back(r);
  return order;
}

/// Of the trace's annotations whose name contains `text` the span of one.
Result<TimeSpan> find_annotation(const Trace& trace, const HtaEvents& events, const HtaPathOptions& options) {
  if (options.annotation.empty()) return TimeSpan::everything();
  std::uint64_t count = 0;
  std::unordered_map<std::uint32_t, bool> fits;
  for (const std::uint32_t r : events.order) {
    const HtaEvent& e = events[r];
    const auto [known, is_new] = fits.try_emplace(e.name.value, false);
    if (is_new) known->second = trace.text(e.name).find(options.annotation) != std::string_view::npos;
    if (known->second && count++ == options.instance) return TimeSpan{e.ts, e.end()};
  }
  if (count == 0)
    return fail(ErrorCode::kInvalidArgument, fmt::format("no annotation contains '{}'", options.annotation));
  return fail(ErrorCode::kInvalidArgument, fmt::format("there is no instance {} of '{}'; HTA's table has {}",
                                                       options.instance, options.annotation, count));
}

void clip(HtaEvents& events, TimeSpan span, const HtaNames& names) {
  std::unordered_set<std::uint32_t> in_window;  // activities whose launch is in it
  const auto is_inside = [&](const HtaEvent& e) { return e.ts >= span.begin && e.ts <= span.end && e.duration > 0; };
  for (const std::uint32_t r : events.order) {
    const HtaEvent& e = events[r];
    if (e.stream == -1 && e.link != 0 && is_inside(e)) in_window.insert(e.link);
  }
  for (const std::uint32_t r : events.order) {
    const HtaEvent& e = events[r];
    if (e.stream == -1 ? is_inside(e) : in_window.contains(r) || events.is_named(r, names.stream_wait))
      events.clipped.push_back(r);
  }
  std::ranges::sort(events.clipped);
}

/// TraceCounters: +1 when something is launched to a stream, -1 when it starts; whatever the device.
void count_queues(HtaEvents& events, const HtaNames& names) {
  events.queue_of.assign(events.rows.size(), HtaEvents::kNoQueue);
  struct Change {
    Nanos ts;
    std::uint32_t row;
    std::int64_t stream;
    int by;
  };
  std::unordered_map<std::int64_t, std::uint32_t, SeededHash> launch_of;  // by correlation
  for (const std::uint32_t r : events.order)
    if (events[r].link != 0 && names.is_launch(events[r].name)) launch_of[events[r].correlation] = r;
  std::vector<Change> changes;
  std::unordered_map<std::int64_t, std::int64_t, SeededHash> stream_of;  // by correlation
  for (const std::uint32_t r : events.order)
    if (events[r].stream != -1) stream_of.try_emplace(events[r].correlation, events[r].stream);
  for (const std::uint32_t r : events.order)
    if (events[r].link != 0 && names.is_launch(events[r].name))
      if (const auto stream = stream_of.find(events[r].correlation); stream != stream_of.end())
        changes.push_back({events[r].ts, r, stream->second, 1});
  for (const std::uint32_t r : events.order)
    if (events[r].stream != -1 && launch_of.contains(events[r].correlation))
      changes.push_back({events[r].ts, r, events[r].stream, -1});
  std::ranges::stable_sort(changes, {}, &Change::ts);
  std::unordered_map<std::int64_t, std::int64_t, SeededHash> depth;
  for (const Change& change : changes) {
    const std::int64_t now = depth[change.stream] += change.by;
    // Only 0 and 1 are asked for; what else there is must not be taken for them.
    events.queue_of[change.row] = now < 0 ? HtaEvents::kNoQueue - 1 : static_cast<std::uint32_t>(now);
  }
}

}  // namespace

HtaNames::HtaNames(const Trace& trace) {
  const auto find = [&](std::string_view text) { return trace.strings().find(text); };
  event_sync = find("Event Sync");
  context_sync = find("Context Sync");
  stream_sync = find("Stream Sync");
  stream_wait = find("Stream Wait Event");
  event_record = find("cudaEventRecord");
  stream_wait_call = find("cudaStreamWaitEvent");
  cpu_op = find("cpu_op");
  cuda_runtime = find("cuda_runtime");
  cuda_driver = find("cuda_driver");
  cuda_sync = find("cuda_sync");
  const auto add = [&](std::vector<StringId>& to, std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts)
      if (const StringId id = find(text); id.valid()) to.push_back(id);
  };
  add(launches, {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync",
                 "runFunction - job_prep_and_submit_for_execution", "hipLaunchKernel", "hipExtModuleLaunchKernel",
                 "hipMemsetAsync", "hipMemcpyAsync", "hipMemcpyWithStream"});
  add(blocking, {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery", "cudaEventSynchronize",
                 "cudaMemcpy", "cudaMemcpyAsync"});
}

bool HtaNames::is_launch(StringId name) const {
  return std::ranges::find(launches, name) != launches.end();
}

bool HtaNames::is_blocking(StringId name) const {
  return std::ranges::find(blocking, name) != blocking.end();
}

Result<HtaEvents> hta_events(const Trace& trace, SourceId source, const HtaNames& names,
                             const HtaPathOptions& options) {
  HtaEvents events;
  events.rows.emplace_back();
  read_hta_rows(trace, source, events.rows);
  std::ranges::stable_sort(events.rows.begin() + 1, events.rows.end(), {}, &HtaEvent::file_offset);
  round_inwards(events.rows);
  link_rows(events.rows, names);
  events.order = keep_whole_steps(trace, events.rows, names);
  const Result<TimeSpan> span = find_annotation(trace, events, options);
  if (!span) return tl::make_unexpected(span.error());
  clip(events, *span, names);
  count_queues(events, names);
  return events;
}

}  // namespace lacuna
