#include "model/causes/stream_waits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <tuple>

#include "model/import/bulk_arguments.h"
#include "model/import/json_text.h"

namespace lacuna {
namespace {

constexpr std::string_view kWaitName = "Stream Wait Event";

/// A whole number, or -1: Kineto writes -1 for what it does not know.
std::int64_t number(std::string_view token) {
  const std::string_view text = token_content(token);
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : -1;
}

/// The activities of one stream in the order in which they were issued.
struct Issued {
  std::uint64_t correlation;
  SliceId slice;
};

std::vector<Issued> in_order_of_issue(const Trace& trace, const Track& track) {
  std::vector<Issued> issued;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& lane = trace.lane(id);
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      if (lane.correlation(i) != 0 && is_gpu_activity(trace.category_class(lane.category(i))))
        issued.push_back({lane.correlation(i), {id, i}});
  }
  const auto before = [](const Issued& a, const Issued& b) { return a.correlation < b.correlation; };
  if (!std::ranges::is_sorted(issued, before)) std::ranges::stable_sort(issued, before);
  return issued;
}

/// A stream of a GPU, or null.
const Track* find_stream(const Trace& trace, SourceId source, std::string_view device, std::string_view stream) {
  for (const Track& track : trace.tracks())
    if (track.kind == TrackKind::kGpuStream && trace.text(track.device) == device &&
        trace.process(track.process).source == source && trace.text(track.stream) == stream)
      return &track;
  return nullptr;
}

}  // namespace

StreamWaits::StreamWaits(const Trace& trace) {
  const StringId name = trace.strings().find(kWaitName);
  if (!name.valid()) return;
  std::vector<std::vector<SliceId>> by_source(trace.sources().size());
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lanes()[l];
    const Track& track = trace.track(lane.track);
    if (!lane.has_ids()) continue;
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      if (lane.name(i) == name && lane.correlation(i) != 0)
        by_source[trace.process(track.process).source.value].push_back({LaneId{l}, i});
  }
  constexpr std::array<std::string_view, 4> kKeys{"wait_on_stream", "wait_on_cuda_event_record_corr_id", "stream",
                                                  "device"};
  std::vector<std::vector<Issued>> issued(trace.tracks().size());
  for (std::uint32_t s = 0; s < by_source.size(); ++s) {
    const FileOrder order = in_file_order(trace, by_source[s]);
    (void)read_arguments_in_bulk(
        trace.sources()[s], order.offsets, kKeys, [&](std::size_t k, std::span<const std::string_view> values) {
          const SliceId wait = by_source[s][order.indices[k]];
          const auto stream_of = [&](std::string_view stream) {
            return find_stream(trace, SourceId{s}, token_content(values[3]), token_content(stream));
          };
          if (number(values[0]) < 0) return;
          const Track* const stream = stream_of(values[2]);
          const Track* const other = stream_of(values[0]);
          if (stream == nullptr || other == nullptr || other == stream) return;
          std::vector<Issued>& list = issued[other->id.value];
          if (list.empty()) list = in_order_of_issue(trace, *other);
          const std::uint64_t own = trace.lane(wait).correlation(wait.index);
          const std::int64_t record = number(values[1]);
          const auto next = std::ranges::lower_bound(list, record > 0 ? static_cast<std::uint64_t>(record) : own, {},
                                                     &Issued::correlation);
          if (next != list.begin()) waits_.push_back({stream->id, own, (next - 1)->slice});
        });
  }
  std::ranges::sort(waits_, {}, [](const Wait& w) { return std::tuple(w.stream, w.correlation); });
}

SliceId StreamWaits::target(const Trace& trace, SliceId activity) const {
  if (waits_.empty() || !activity.valid()) return {};
  const Lane& lane = trace.lane(activity);
  const std::uint64_t own = lane.correlation(activity.index);
  if (own == 0) return {};
  // What was issued to the stream between the activity before it and itself.
  std::uint64_t before = 0;
  for (std::uint32_t i = activity.index; i-- > 0 && before == 0;)
    if (is_gpu_activity(trace.category_class(lane.category(i)))) before = lane.correlation(i);
  const auto key = [](const Wait& w) { return std::tuple(w.stream, w.correlation); };
  const auto first = std::ranges::upper_bound(waits_, std::tuple(lane.track, before), {}, key);
  const auto last = std::ranges::lower_bound(waits_, std::tuple(lane.track, own), {}, key);
  SliceId target;
  for (auto wait = first; wait < last; ++wait)
    if (!target.valid() || trace.span(wait->target).end > trace.span(target).end) target = wait->target;
  return target;
}

}  // namespace lacuna
