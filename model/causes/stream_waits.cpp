#include "model/causes/stream_waits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "model/formats/chrome/json_text.h"
#include "model/import/bulk_arguments.h"
#include "model/trace/tracks_of.h"

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

/// A stream of a GPU, or null.
const Track* find_stream(const Trace& trace, SourceId source, std::string_view device, std::string_view stream) {
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, source))
    if (trace.text(track.device) == device && trace.text(track.stream) == stream) return &track;
  return nullptr;
}

}  // namespace

const StreamWaits::OfTrack& StreamWaits::issued_on(const Trace& trace, const LaneGrowth& growth, const Track& track) {
  OfTrack& own = tracks_[track.id.value];
  if (own.is_current) return own;
  own.is_current = true;
  own.looked_at.resize(track.lane_count);
  const auto middle = static_cast<std::ptrdiff_t>(own.issued.size());
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& lane = trace.lane(id);
    const std::uint32_t ended = growth.ended(id);
    for (std::uint32_t i = own.looked_at[k]; i < lane.size(); ++i)
      if (lane.correlation(i) != 0 && is_gpu_activity(trace.category_class(lane.category(i))))
        (i < ended ? own.issued : own.open_issued).push_back({lane.correlation(i), {id, i}});
    own.looked_at[k] = std::max(own.looked_at[k], ended);
  }
  const auto before = [](const Issued& a, const Issued& b) {
    return a.correlation != b.correlation ? a.correlation < b.correlation : a.slice < b.slice;
  };
  if (!std::is_sorted(own.issued.begin() + middle, own.issued.end(), before))
    std::sort(own.issued.begin() + middle, own.issued.end(), before);
  if (middle > 0 && middle < static_cast<std::ptrdiff_t>(own.issued.size())) {
    const auto from = std::upper_bound(own.issued.begin(), own.issued.begin() + middle, own.issued[middle], before);
    std::inplace_merge(from, own.issued.begin() + middle, own.issued.end(), before);
  }
  std::ranges::sort(own.open_issued, before);
  return own;
}

void StreamWaits::look_at(const Trace& trace, const LaneGrowth& growth,
                          const std::vector<std::vector<SliceId>>& by_source, bool have_ended) {
  constexpr std::array<std::string_view, 4> kKeys{"wait_on_stream", "wait_on_cuda_event_record_corr_id", "stream",
                                                  "device"};
  for (std::uint32_t s = 0; s < by_source.size(); ++s) {
    if (by_source[s].empty()) continue;
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
          const OfTrack& works = issued_on(trace, growth, *other);
          const std::uint64_t own = trace.lane(wait).correlation(wait.index);
          const std::int64_t record = number(values[1]);
          const std::uint64_t until = record > 0 ? static_cast<std::uint64_t>(record) : own;
          const Issued* last = nullptr;
          for (const std::vector<Issued>* list : {&works.issued, &works.open_issued}) {
            const auto next = std::ranges::lower_bound(*list, until, {}, &Issued::correlation);
            if (next != list->begin() && (last == nullptr || last->correlation <= (next - 1)->correlation))
              last = &*(next - 1);
          }
          if (last == nullptr) return;
          OfTrack& of_stream = tracks_[stream->id.value];
          (have_ended ? of_stream.waits : of_stream.open_waits).push_back({own, last->slice});
        });
  }
}

StreamWaits::StreamWaits(const Trace& trace) {
  LaneGrowth growth;
  const LaneGrowth::News news = growth.update(trace, kMaxNanos);
  update(trace, growth, news);
}

void StreamWaits::update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news) {
  if (news.starts_over) tracks_.clear();
  const StringId name = trace.strings().find(kWaitName);
  if (!name.valid()) return;
  tracks_.resize(trace.tracks().size());
  for (OfTrack& track : tracks_) {
    track.open_waits.clear();
    track.open_issued.clear();
    track.is_current = false;
    if (!news.has_moved) continue;
    for (Wait& wait : track.waits) wait.target = growth.moved(wait.target);
    track.issued.clear();
    track.looked_at.clear();
  }
  std::vector<std::vector<SliceId>> ended(trace.sources().size());
  std::vector<std::vector<SliceId>> open(trace.sources().size());
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const LaneId id{l};
    const Lane& lane = trace.lane(id);
    const Track& track = trace.track(lane.track);
    if (!lane.has_ids()) continue;
    for (std::uint32_t i = growth.first_new(id); i < lane.size(); ++i)
      if (lane.name(i) == name && lane.correlation(i) != 0)
        (i < growth.ended(id) ? ended : open)[trace.process(track.process).source.value].push_back({id, i});
  }
  std::vector<std::size_t> known;
  for (const OfTrack& track : tracks_) known.push_back(track.waits.size());
  look_at(trace, growth, ended, true);
  look_at(trace, growth, open, false);
  const auto before = [](const Wait& a, const Wait& b) { return a.correlation < b.correlation; };
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    std::vector<Wait>& waits = tracks_[t].waits;
    const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(known[t]);
    std::sort(middle, waits.end(), before);
    if (middle != waits.end() && middle != waits.begin())
      std::inplace_merge(std::upper_bound(waits.begin(), middle, *middle, before), middle, waits.end(), before);
    std::ranges::sort(tracks_[t].open_waits, before);
  }
}

SliceId StreamWaits::target(const Trace& trace, SliceId activity) const {
  if (!activity.valid()) return {};
  SliceId target = event_target(trace, activity);
  for (const FlowArrow& arrow : trace.links().flows_to(activity)) {
    const SliceId node = arrow.from;
    if (node.lane == activity.lane || !is_gpu_activity(trace.category_class(node))) continue;
    if (trace.span(node).begin >= trace.span(activity).begin) continue;
    if (!target.valid() || trace.span(node).end > trace.span(target).end) target = node;
  }
  return target;
}

SliceId StreamWaits::event_target(const Trace& trace, SliceId activity) const {
  if (tracks_.empty()) return {};
  const Lane& lane = trace.lane(activity);
  const std::uint64_t own = lane.correlation(activity.index);
  if (own == 0) return {};
  const OfTrack& track = tracks_[lane.track.value];
  if (track.waits.empty() && track.open_waits.empty()) return {};
  // What was issued to the stream between the activity before it and itself.
  std::uint64_t before = 0;
  for (std::uint32_t i = activity.index; i-- > 0 && before == 0;)
    if (is_gpu_activity(trace.category_class(lane.category(i)))) before = lane.correlation(i);
  SliceId target;
  for (const std::vector<Wait>* waits : {&track.waits, &track.open_waits}) {
    const auto first = std::ranges::upper_bound(*waits, before, {}, &Wait::correlation);
    const auto last = std::ranges::lower_bound(*waits, own, {}, &Wait::correlation);
    for (auto wait = first; wait < last; ++wait)
      if (!target.valid() || trace.span(wait->target).end > trace.span(target).end) target = wait->target;
  }
  return target;
}

}  // namespace lacuna
