#include "app/gui/models/tracks/track_arrangement.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/search/regular_expression.h"
#include "render/header_layout.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostMatched = 400;  // characters of a title; names can have thousands

/// What the filter looks at.
std::string full_title(const Trace& trace, const Track& track) {
  std::string title;
  append_process_title(trace, trace.process(track.process), title);
  title.append(" \xC2\xB7 ").append(trace.text(track.name));
  if (title.size() > kMostMatched) title.resize(kMostMatched);
  return title;
}

/// Number of a GPU, or a large number for what has none.
std::uint64_t device_number(const Trace& trace, const Process& process) {
  for (const TrackId id : process.tracks) {
    const std::string_view text = trace.text(trace.track(id).device);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return number;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

std::string rank_title(const TraceSource& source) {
  if (!source.label.empty()) return source.label;
  if (source.rank) return fmt::format("rank {}", *source.rank);
  return source.path.substr(source.path.find_last_of('/') + 1);
}

}  // namespace

bool has_content(const Track& track) {
  return track.slice_count > 0 || !track.instants.empty() || !track.counter.times.empty();
}

void TrackArrangement::reset(const Trace* trace) {
  const std::uint64_t version = version_;
  *this = TrackArrangement{};
  trace_ = trace;
  version_ = version + 1;
  if (trace_ == nullptr) return;
  hidden_.assign(trace_->tracks().size(), 0);
  worth_ = judge_tracks(*trace_);
}

void TrackArrangement::move_to(const Trace& trace, const SameTracks& same) {
  TrackArrangement old = std::move(*this);
  *this = TrackArrangement{};
  trace_ = &trace;
  version_ = old.version_;
  grouping_ = old.grouping_;
  shows_single_instants_ = old.shows_single_instants_;
  hidden_.assign(trace.tracks().size(), 0);
  worth_ = judge_tracks(trace);
  for (const TrackId pin : old.pins_)
    if (const TrackId now = same.track(pin); now.valid()) pins_.push_back(now);
  for (std::uint32_t t = 0; t < old.hidden_.size(); ++t) {
    const TrackId now = same.track(TrackId{t});
    if (!now.valid()) continue;
    hidden_[now.value] = old.hidden_[t];
    if (t < old.row_scales_.size() && old.row_scales_[t] != 1) set_row_scale(now, old.row_scales_[t]);
  }
  // The order: moved tracks in the order in which they were, new ones where they are.
  if (!old.ranks_.empty()) {
    std::vector<TrackId> order(old.ranks_.size());
    for (std::uint32_t t = 0; t < order.size(); ++t) order[t] = TrackId{t};
    sort_stably(order, {}, [&](TrackId t) { return old.ranks_[t.value]; });
    for (TrackId& t : order) t = same.track(t);
    set_track_order(order);
  }
  for (const ProcessId p : old.process_order_)
    if (const ProcessId now = same.process(p); now.valid()) process_order_.push_back(now);
  set_filter(old.filter_);
  version_ = old.version_;
}

bool TrackArrangement::is_pinned(TrackId track) const {
  return std::ranges::find(pins_, track) != pins_.end();
}

void TrackArrangement::set_pinned(TrackId track, bool pinned) {
  if (!knows(track) || is_pinned(track) == pinned || (pinned && pins_.size() >= kMostPins)) return;
  if (pinned) {
    pins_.push_back(track);
  } else {
    std::erase(pins_, track);
  }
  ++version_;
}

void TrackArrangement::move_pin(TrackId track, std::size_t place) {
  const auto at = std::ranges::find(pins_, track);
  if (at == pins_.end()) return;
  const auto from = static_cast<std::size_t>(at - pins_.begin());
  pins_.erase(at);
  if (place > from) --place;
  pins_.insert(pins_.begin() + static_cast<std::ptrdiff_t>(std::min(place, pins_.size())), track);
  ++version_;
}

bool TrackArrangement::is_hidden(TrackId track) const {
  return track.value < hidden_.size() && hidden_[track.value] != 0;
}

std::size_t TrackArrangement::single_instants() const {
  return static_cast<std::size_t>(std::ranges::count(worth_.is_single_instant, 1));
}

void TrackArrangement::show_single_instants(bool shows) {
  shows_single_instants_ = shows;
  ++version_;
}

void TrackArrangement::set_hidden(TrackId track, bool hidden) {
  if (!knows(track)) return;
  hidden_[track.value] = hidden ? 1 : 0;
  ++version_;
}

void TrackArrangement::set_hidden(ProcessId process, bool hidden) {
  if (!knows(process)) return;
  for (const TrackId track : trace_->process(process).tracks) set_hidden(track, hidden);
}

void TrackArrangement::show_only(TrackId track) {
  if (!knows(track)) return;
  std::ranges::fill(hidden_, std::uint8_t{1});
  set_hidden(track, false);
}

void TrackArrangement::show_all() {
  std::ranges::fill(hidden_, std::uint8_t{0});
  set_filter({});
  ++version_;
}

std::size_t TrackArrangement::hidden_count() const {
  std::size_t count = 0;
  for (std::uint32_t t = 0; t < hidden_.size(); ++t)
    if (hidden_[t] != 0 && has_content(trace_->tracks()[t])) ++count;
  return count;
}

std::size_t TrackArrangement::filtered_count() const {
  std::size_t count = 0;
  for (std::uint32_t t = 0; t < filtered_.size(); ++t)
    if (filtered_[t] != 0 && hidden_[t] == 0 && has_content(trace_->tracks()[t])) ++count;
  return count;
}

void TrackArrangement::set_filter(std::string_view expression) {
  filter_ = expression;
  match_filter();
}

void TrackArrangement::match_filter() {
  filtered_.clear();
  filter_error_.clear();
  if (trace_ == nullptr || filter_.empty()) return;
  const auto pattern = RegularExpression::compile(filter_, true);
  if (!pattern) {
    filter_error_ = pattern.error().cause;
    return;
  }
  filtered_.assign(trace_->tracks().size(), 0);
  for (const Track& track : trace_->tracks())
    if (!pattern->matches(full_title(*trace_, track))) filtered_[track.id.value] = 1;
}

void TrackArrangement::move_track(TrackId track, TrackId before) {
  if (!knows(track) || track == before) return;
  const Process& process = trace_->process(trace_->track(track).process);
  std::vector<TrackId> order = order_of(process);
  std::erase(order, track);
  order.insert(std::ranges::find(order, before), track);
  set_track_order(order);
}

std::vector<TrackId> TrackArrangement::order_of(const Process& process) const {
  std::vector<TrackId> order = process.tracks;
  const std::vector<std::uint32_t>& ranks = ranks_.empty() ? worth_.ranks : ranks_;
  if (!ranks.empty()) sort_stably(order, {}, [&](TrackId id) { return ranks[id.value]; });
  return order;
}

void TrackArrangement::set_track_order(std::span<const TrackId> order) {
  if (trace_ == nullptr) return;
  if (ranks_.empty() && !worth_.ranks.empty()) ranks_ = worth_.ranks;
  if (ranks_.empty()) {
    ranks_.resize(trace_->tracks().size());
    for (const Process& process : trace_->processes())
      for (std::uint32_t i = 0; i < process.tracks.size(); ++i) ranks_[process.tracks[i].value] = i;
  }
  // Those named take the ranks that they have among them, in the new order.
  std::vector<TrackId> known;
  for (const TrackId id : order)
    if (knows(id) && std::ranges::find(known, id) == known.end()) known.push_back(id);
  for (const Process& process : trace_->processes()) {
    std::vector<std::uint32_t> taken;
    for (const TrackId id : known)
      if (trace_->track(id).process == process.id) taken.push_back(ranks_[id.value]);
    std::ranges::sort(taken);
    std::size_t next = 0;
    for (const TrackId id : known)
      if (trace_->track(id).process == process.id) ranks_[id.value] = taken[next++];
  }
  ++version_;
}

void TrackArrangement::move_process(ProcessId process, ProcessId before, std::span<const ProcessId> shown_order) {
  if (!knows(process) || process == before) return;
  std::vector<ProcessId> order(shown_order.begin(), shown_order.end());
  std::erase(order, process);
  order.insert(std::ranges::find(order, before), process);
  set_process_order(std::move(order));
  grouping_ = TrackGrouping::kProcess;
}

void TrackArrangement::set_process_order(std::vector<ProcessId> order) {
  process_order_.clear();
  for (const ProcessId id : order)
    if (knows(id) && std::ranges::find(process_order_, id) == process_order_.end()) process_order_.push_back(id);
  ++version_;
}

void TrackArrangement::reset_order() {
  process_order_.clear();
  ranks_.clear();
  ++version_;
}

float TrackArrangement::row_scale(TrackId track) const {
  return track.value < row_scales_.size() ? row_scales_[track.value] : 1.0f;
}

void TrackArrangement::set_row_scale(TrackId track, float scale) {
  if (!knows(track)) return;
  if (row_scales_.empty()) row_scales_.assign(trace_->tracks().size(), 1.0f);
  row_scales_[track.value] = std::clamp(scale, kLeastRowScale, kMostRowScale);
  ++version_;
}

void TrackArrangement::apply(bool gpu_first, TimelineInput& input) const {
  input.arrangement.groups.clear();
  input.arrangement.process_order.clear();
  input.arrangement.track_rank = ranks_.empty() ? worth_.ranks : ranks_;
  if (trace_ == nullptr) return;
  input.arrangement.tracks.resize(trace_->tracks().size());
  for (std::uint32_t t = 0; t < input.arrangement.tracks.size(); ++t) {
    const bool filtered = t < filtered_.size() && filtered_[t] != 0;
    const bool is_minor =
        !shows_single_instants_ && t < worth_.is_single_instant.size() && worth_.is_single_instant[t] != 0;
    input.arrangement.tracks[t].is_hidden = filtered || hidden_[t] != 0 || is_minor;
    input.arrangement.tracks[t].row_scale = row_scale(TrackId{t});
    input.arrangement.tracks[t].waits = waits(TrackId{t});
  }
  const std::span<const ProcessId> usual = trace_->process_order();
  input.arrangement.process_order.assign(usual.begin(), usual.end());
  const auto is_gpu = [this](ProcessId id) { return trace_->process(id).is_gpu; };
  switch (grouping_) {
    case TrackGrouping::kProcess:
      if (gpu_first)
        std::stable_partition(input.arrangement.process_order.begin(), input.arrangement.process_order.end(), is_gpu);
      // Processes all of whose threads wait come last.
      std::stable_partition(input.arrangement.process_order.begin(), input.arrangement.process_order.end(),
                            [this](ProcessId id) {
                              const std::vector<TrackId>& tracks = trace_->process(id).tracks;
                              return tracks.empty() || !std::ranges::all_of(tracks, [this](TrackId track) {
                                       return waits(track) || !has_content(trace_->track(track));
                                     });
                            });
      if (!process_order_.empty()) {
        // Those that the order does not name come after it.
        std::vector<ProcessId> order = process_order_;
        for (const ProcessId id : input.arrangement.process_order)
          if (std::ranges::find(order, id) == order.end()) order.push_back(id);
        input.arrangement.process_order = std::move(order);
      }
      break;
    case TrackGrouping::kRank:
      group_by_rank(input);
      break;
    case TrackGrouping::kDevice:
      group_by_device(input);
      break;
  }
}

void TrackArrangement::group_by_rank(TimelineInput& input) const {
  const auto key = [this](ProcessId id) {
    const Process& process = trace_->process(id);
    const TraceSource& source = trace_->sources()[process.source.value];
    const std::int64_t rank = source.rank.value_or(std::numeric_limits<std::int64_t>::max());
    return std::tuple(rank, process.source.value, !process.is_gpu);
  };
  sort_stably(input.arrangement.process_order, {}, key);
  for (const ProcessId id : input.arrangement.process_order) {
    const TraceSource& source = trace_->sources()[trace_->process(id).source.value];
    if (!input.arrangement.groups.empty() &&
        trace_->process(input.arrangement.groups.back().first).source == trace_->process(id).source)
      continue;
    input.arrangement.groups.push_back({id, rank_title(source)});
  }
}

void TrackArrangement::group_by_device(TimelineInput& input) const {
  const auto device = [this](ProcessId id) {
    const Process& process = trace_->process(id);
    return process.is_gpu ? device_number(*trace_, process) : std::numeric_limits<std::uint64_t>::max();
  };
  const auto key = [&](ProcessId id) { return std::tuple(!trace_->process(id).is_gpu, device(id)); };
  sort_stably(input.arrangement.process_order, {}, key);
  for (const ProcessId id : input.arrangement.process_order) {
    if (!input.arrangement.groups.empty() && key(input.arrangement.groups.back().first) == key(id)) continue;
    const bool is_gpu = trace_->process(id).is_gpu;
    const bool is_known = device(id) != std::numeric_limits<std::uint64_t>::max();
    input.arrangement.groups.push_back({id, !is_gpu    ? "CPU"
                                            : is_known ? fmt::format("GPU {}", device(id))
                                                       : "GPUs without a number"});
  }
}

}  // namespace lacuna
