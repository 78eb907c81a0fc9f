#include "model/report/time_use.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/parallel.h"
#include "model/base/stable_sort.h"
#include "model/causes/interval_walk.h"
#include "model/causes/known_names.h"
#include "model/kernels/kernel_class.h"

namespace lacuna {
namespace {

constexpr std::size_t index_of(TimeKind kind) {
  return static_cast<std::size_t>(kind);
}

}  // namespace

std::string_view time_kind_name(TimeKind kind) {
  constexpr std::array<std::string_view, kTimeKindCount> kNames{"kernel",        "memcpy",         "memset",
                                                                "communication", "waiting kernel", "runtime",
                                                                "data loading",  "CPU operators",  "other"};
  return kNames[index_of(kind)];
}

std::string_view time_kind_key(TimeKind kind) {
  constexpr std::array<std::string_view, kTimeKindCount> kKeys{
      "kernel", "memcpy", "memset", "communication", "waitingKernel", "runtime", "dataLoading", "cpu", "other"};
  return kKeys[index_of(kind)];
}

std::string_view time_kind_definition(TimeKind kind) {
  return kTimeKindDefinitions[index_of(kind)];
}

/// What all GPUs of a file share.
struct TimeUseIndex::Host {
  static constexpr std::array kKinds{TimeKind::kCommunication, TimeKind::kRuntime, TimeKind::kDataLoading,
                                     TimeKind::kCpu};

  std::array<IntervalSet, kKinds.size()> sets;  // of kKinds; what is in one is in none that follows
  std::vector<std::uint8_t> name_facts;
  std::map<StringId, std::vector<TrackId>> streams;  // by device
};

/// Collects the spans of each set, a track at a time.
class TimeUseIndex::Builder {
 public:
  /// The kinds of TimeKind, with communication on the CPU told apart from that on the GPU.
  static constexpr std::size_t kSets = 9;
  static constexpr std::size_t kHostCommunication = 8;
  using Spans = std::array<std::vector<TimeSpan>, kSets>;
  using Sets = std::array<IntervalSet, kSets>;

  /// `facts`: of names, where they are known.
  Builder(const Trace& trace, unsigned threads, TimeSpan only = TimeSpan::everything(),
          const std::vector<std::uint8_t>* facts = nullptr)
      : trace_(trace), threads_(threads), only_(only), known_facts_(facts) {}

  /// Which tracks count.
  template <class Wanted>
  void choose_where(Wanted&& wanted) {
    std::vector<TrackId> tracks;
    for (const Track& track : trace_.tracks())
      if (wanted(track)) tracks.push_back(track.id);
    choose(std::move(tracks));
  }
  void choose(std::vector<TrackId> tracks) {
    tracks_ = std::move(tracks);
    sort_stably(tracks_,
                [&](TrackId a, TrackId b) { return trace_.track(a).slice_count > trace_.track(b).slice_count; });
  }

  /// The sets of the work on GPUs.
  std::array<IntervalSet, kGpuSets> gpu() {
    Sets sets = run(kGpuSets);
    std::array<IntervalSet, kGpuSets> gpu;
    std::move(sets.begin(), sets.begin() + kGpuSets, gpu.begin());
    return gpu;
  }

  /// All sets.
  std::pair<std::array<IntervalSet, kGpuSets>, std::shared_ptr<const Host>> gpu_and_host() {
    Sets sets = run(kSets);
    auto host = std::make_shared<Host>();
    IntervalSet earlier;
    for (std::size_t k = 0; k < Host::kKinds.size(); ++k) {
      const IntervalSet& all = sets[k == 0 ? kHostCommunication : index_of(Host::kKinds[k])];
      host->sets[k] = difference(all, earlier);
      earlier = united(earlier, host->sets[k]);
    }
    host->name_facts = std::move(name_facts_);
    for (const TrackId id : tracks_)
      if (const Track& track = trace_.track(id); track.kind == TrackKind::kGpuStream)
        host->streams[track.device].push_back(id);
    std::array<IntervalSet, kGpuSets> gpu;
    std::move(sets.begin(), sets.begin() + kGpuSets, gpu.begin());
    return {std::move(gpu), std::move(host)};
  }

 private:
  enum NameFact : std::uint8_t {
    kIsCommunication = 1,
    kIsHostCommunication = 2,
    kIsDataLoading = 4,
    kIsAnnotation = 8,
    kIsWaiting = 16,
  };

  static IntervalSet united(const IntervalSet& a, const IntervalSet& b) {
    std::vector<TimeSpan> spans(a.intervals().begin(), a.intervals().end());
    spans.insert(spans.end(), b.intervals().begin(), b.intervals().end());
    return IntervalSet(std::move(spans));
  }

  /// The first `count` sets.
  Sets run(std::size_t count) {
    if (known_facts_ == nullptr) {
      name_facts_.resize(trace_.strings().size());
      only_ == TimeSpan::everything() ? look_at_names() : look_at_names_of_streams();
    }
    std::vector<Spans> spans(tracks_.size());
    parallel_for(tracks_.size(), threads_, [&](std::size_t t) {
      const Track& track = trace_.track(tracks_[t]);
      track.kind == TrackKind::kThread ? add_thread(track, spans[t]) : add_stream(track, spans[t]);
    });
    Sets sets;
    parallel_for(count, threads_, [&](std::size_t s) {
      std::vector<TimeSpan> all;
      for (Spans& of_track : spans) {
        all.insert(all.end(), of_track[s].begin(), of_track[s].end());
        of_track[s] = {};
      }
      sets[s] = IntervalSet(std::move(all));
    });
    return sets;
  }

  /// Names are few and asked for often, from several threads.
  void look_at_names() {
    const StringPool& strings = trace_.strings();
    parallel_for(threads_, threads_, [&](std::size_t part) {
      const std::size_t from = strings.size() * part / threads_;
      const std::size_t to = strings.size() * (part + 1) / threads_;
      for (std::size_t i = from; i < to; ++i) {
        const std::string_view name = strings.get(StringId{static_cast<std::uint32_t>(i)});
        name_facts_[i] = static_cast<std::uint8_t>(
            facts_of_kernel(name) | (is_host_communication(name) ? kIsHostCommunication : 0) |
            (is_data_loading(name) ? kIsDataLoading : 0) | (is_annotation_name(name) ? kIsAnnotation : 0));
      }
    });
  }

  static int facts_of_kernel(std::string_view name) {
    const KernelClass of_kernel = kernel_class(name);
    return (of_kernel == KernelClass::kCommunication ? kIsCommunication : 0) |
           (of_kernel == KernelClass::kWaiting ? kIsWaiting : 0);
  }

  /// In a short stretch of time few of the names occur.
  void look_at_names_of_streams() {
    std::vector<bool> looked_at(name_facts_.size(), false);
    for (const TrackId track : tracks_)
      for (const Lane& lane : trace_.lanes_of(trace_.track(track)))
        for (std::uint32_t i = lane.first_visible_from(only_.begin); i < lane.size() && lane.start(i) < only_.end;
             ++i) {
          const StringId name = lane.name(i);
          if (looked_at[name.value]) continue;
          looked_at[name.value] = true;
          name_facts_[name.value] = static_cast<std::uint8_t>(facts_of_kernel(trace_.text(name)));
        }
  }

  bool has(StringId name, NameFact fact) const {
    return ((known_facts_ != nullptr ? *known_facts_ : name_facts_)[name.value] & fact) != 0;
  }

  TimeKind kind_of_kernel(StringId name) const {
    if (has(name, kIsCommunication)) return TimeKind::kCommunication;
    return has(name, kIsWaiting) ? TimeKind::kWaiting : TimeKind::kKernel;
  }

  void add_stream(const Track& track, Spans& spans) const {
    for (const Lane& lane : trace_.lanes_of(track))
      for (std::uint32_t i = lane.first_visible_from(only_.begin); i < lane.size() && lane.start(i) < only_.end; ++i) {
        switch (trace_.category_class(lane.category(i))) {
          case CategoryClass::kKernel:
            spans[index_of(kind_of_kernel(lane.name(i)))].push_back(lane.span(i));
            break;
          case CategoryClass::kMemcpy:
            spans[index_of(TimeKind::kMemcpy)].push_back(lane.span(i));
            break;
          case CategoryClass::kMemset:
            spans[index_of(TimeKind::kMemset)].push_back(lane.span(i));
            break;
          default:
            break;
        }
      }
  }

  bool is_operator(const Lane& lane, std::uint32_t i) const {
    return trace_.category_class(lane.category(i)) == CategoryClass::kCpuOperator && !has(lane.name(i), kIsAnnotation);
  }

  void add_thread(const Track& track, Spans& spans) const {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      const Lane* above = k > 0 && lane.depth > 0 ? &trace_.lane(LaneId{id.value - 1}) : nullptr;
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const CategoryClass c = trace_.category_class(lane.category(i));
        if (c == CategoryClass::kRuntime) {
          spans[index_of(TimeKind::kRuntime)].push_back(lane.span(i));
          continue;
        }
        if (c != CategoryClass::kCpuOperator && c != CategoryClass::kCpuAnnotation &&
            c != CategoryClass::kPythonFunction)
          continue;
        const StringId name = lane.name(i);
        if (has(name, kIsDataLoading)) spans[index_of(TimeKind::kDataLoading)].push_back(lane.span(i));
        if (has(name, kIsHostCommunication)) spans[kHostCommunication].push_back(lane.span(i));
        // An operator inside another adds nothing.
        if (is_operator(lane, i) &&
            !(above != nullptr && lane.parent(i) != Lane::kNoParent && is_operator(*above, lane.parent(i))))
          spans[index_of(TimeKind::kCpu)].push_back(lane.span(i));
      }
    }
  }

  const Trace& trace_;
  const unsigned threads_;
  const TimeSpan only_;  // of streams
  const std::vector<std::uint8_t>* const known_facts_;
  std::vector<std::uint8_t> name_facts_;  // where they are not known
  std::vector<TrackId> tracks_;
};

TimeUseIndex::TimeUseIndex(const Trace& trace, SourceId source, unsigned threads) {
  Builder builder(trace, std::max(threads, 1u));
  builder.choose_where([&](const Track& track) {
    return trace.process(track.process).source == source && traits_of(track.kind).is_work;
  });
  std::tie(gpu_, host_) = builder.gpu_and_host();
}

TimeUseIndex TimeUseIndex::of_device(const Trace& trace, StringId device) const {
  TimeUseIndex index;
  index.host_ = host_;
  const auto streams = host_->streams.find(device);
  if (streams == host_->streams.end()) return index;
  Builder builder(trace, 1, TimeSpan::everything(), &host_->name_facts);
  builder.choose(streams->second);
  index.gpu_ = builder.gpu();
  return index;
}

TimeUse TimeUseIndex::of_gpu(const Trace& trace, SourceId source, StringId device, TimeSpan span) {
  TimeUseIndex index;
  Builder builder(trace, 1, span);
  builder.choose_where([&](const Track& track) {
    return track.kind == TrackKind::kGpuStream && track.device == device &&
           trace.process(track.process).source == source;
  });
  index.gpu_ = builder.gpu();
  return index.over(span);
}

TimeUse TimeUseIndex::over(TimeSpan span) const {
  TimeUse use;
  use.span = span;
  use.wall = span.duration();
  if (span.empty()) return use;

  // Goes from one start or end of an interval of the GPUs to the next, with the sets that hold there as bits.
  struct Cursor {
    std::span<const TimeSpan> left;  // not over yet
    unsigned bit = 0;                // of its set
    bool inside = false;
    Nanos next = kMaxNanos;  // when `inside` changes

    void settle() { next = left.empty() ? kMaxNanos : inside ? left[0].end : left[0].begin; }
  };
  std::array<Cursor, kGpuSets> all_cursors;
  std::size_t count = 0;  // of sets with anything in the span
  unsigned holds = 0;
  for (std::size_t s = 0; s < kGpuSets; ++s) {
    const std::span<const TimeSpan> all = gpu_[s].intervals();
    const auto first = std::ranges::upper_bound(all, span.begin, {}, &TimeSpan::end);
    if (first == all.end() || first->begin >= span.end) continue;
    Cursor& cursor = all_cursors[count++];
    cursor = {.left = all.subspan(static_cast<std::size_t>(first - all.begin())),
              .bit = 1u << s,
              .inside = first->begin <= span.begin};
    cursor.settle();
    if (cursor.inside) holds |= cursor.bit;
  }
  const std::span<Cursor> cursors(all_cursors.data(), count);
  std::vector<IntervalWalk> walks;  // by kind of Host
  if (host_ != nullptr)
    for (const IntervalSet& set : host_->sets) walks.emplace_back(set, span.begin);
  std::array<Nanos, Host::kKinds.size()> on_host{};
  constexpr unsigned kKernelBit = 1u << index_of(TimeKind::kKernel);
  constexpr unsigned kCommunicationBit = 1u << index_of(TimeKind::kCommunication);
  for (Nanos now = span.begin; now < span.end;) {
    Nanos next = span.end;
    for (const Cursor& cursor : cursors) next = std::min(next, cursor.next);
    const Nanos length = next - now;
    for (std::size_t k = 0; k < walks.size(); ++k) on_host[k] = walks[k].to(next);
    std::size_t kind = 0;
    while (kind < kGpuSets && (holds & (1u << kind)) == 0) ++kind;
    if (kind < index_of(TimeKind::kWaiting)) {
      use.by_kind[kind] += length;
    } else {
      Nanos rest = length;
      for (std::size_t k = 0; k < on_host.size(); ++k) {
        if (kind == index_of(TimeKind::kWaiting) && k > 0)
          break;  // only communication comes before a kernel that waits
        use.by_kind[index_of(Host::kKinds[k])] += on_host[k];
        rest -= on_host[k];
      }
      use.by_kind[kind < kGpuSets ? kind : index_of(TimeKind::kOther)] += rest;
    }
    if (holds != 0) use.gpu_busy += length;
    if ((holds & kKernelBit) != 0) use.compute += length;
    if ((holds & kCommunicationBit) != 0) use.communication += length;
    if ((holds & kKernelBit) != 0 && (holds & kCommunicationBit) != 0) use.overlap += length;
    now = next;
    for (Cursor& cursor : cursors) {
      if (cursor.next > now || cursor.left.empty()) continue;
      if (cursor.inside) cursor.left = cursor.left.subspan(1);
      cursor.inside = !cursor.inside;
      cursor.settle();
      holds ^= cursor.bit;
    }
  }
  return use;
}

}  // namespace lacuna
