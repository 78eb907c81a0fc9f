#include "model/report/time_use.h"

#include <algorithm>
#include <vector>

#include "model/base/parallel.h"
#include "model/base/stable_sort.h"
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

/// Collects the spans of each set, a track at a time.
class TimeUseIndex::Builder {
 public:
  using Spans = std::array<std::vector<TimeSpan>, kSets>;

  Builder(const Trace& trace, unsigned threads, TimeSpan only = TimeSpan::everything())
      : trace_(trace), threads_(threads), only_(only), name_facts_(trace.strings().size()) {}

  /// Which tracks count.
  template <class Wanted>
  void choose(Wanted&& wanted) {
    for (const Track& track : trace_.tracks())
      if (wanted(track)) tracks_.push_back(track.id);
    sort_stably(tracks_,
                [&](TrackId a, TrackId b) { return trace_.track(a).slice_count > trace_.track(b).slice_count; });
  }

  /// Fills the first `count` sets.
  void run(std::array<IntervalSet, kSets>& sets, std::size_t count) {
    only_ == TimeSpan::everything() ? look_at_names() : look_at_names_of_streams();
    std::vector<Spans> spans(tracks_.size());
    parallel_for(tracks_.size(), threads_, [&](std::size_t t) {
      const Track& track = trace_.track(tracks_[t]);
      track.kind == TrackKind::kThread ? add_thread(track, spans[t]) : add_stream(track, spans[t]);
    });
    parallel_for(count, threads_, [&](std::size_t s) {
      std::vector<TimeSpan> all;
      for (Spans& of_track : spans) {
        all.insert(all.end(), of_track[s].begin(), of_track[s].end());
        of_track[s] = {};
      }
      sets[s] = IntervalSet(std::move(all));
    });
  }

 private:
  enum NameFact : std::uint8_t {
    kIsCommunication = 1,
    kIsHostCommunication = 2,
    kIsDataLoading = 4,
    kIsAnnotation = 8,
    kIsWaiting = 16,
  };

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

  bool has(StringId name, NameFact fact) const { return (name_facts_[name.value] & fact) != 0; }

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
  std::vector<std::uint8_t> name_facts_;
  std::vector<TrackId> tracks_;
};

TimeUseIndex::TimeUseIndex(const Trace& trace, SourceId source, unsigned threads) {
  Builder builder(trace, std::max(threads, 1u));
  builder.choose([&](const Track& track) {
    return trace.process(track.process).source == source &&
           (track.kind == TrackKind::kThread || track.kind == TrackKind::kGpuStream);
  });
  builder.run(sets_, kSets);
}

TimeUseIndex TimeUseIndex::of_device(const Trace& trace, SourceId source, StringId device) const {
  TimeUseIndex index = *this;
  Builder builder(trace, 1);
  builder.choose([&](const Track& track) {
    return track.kind == TrackKind::kGpuStream && track.device == device &&
           trace.process(track.process).source == source;
  });
  builder.run(index.sets_, kGpuSets);
  return index;
}

TimeUse TimeUseIndex::of_gpu(const Trace& trace, SourceId source, StringId device, TimeSpan span) {
  TimeUseIndex index;
  Builder builder(trace, 1, span);
  builder.choose([&](const Track& track) {
    return track.kind == TrackKind::kGpuStream && track.device == device &&
           trace.process(track.process).source == source;
  });
  builder.run(index.sets_, kGpuSets);
  return index.over(span);
}

TimeUse TimeUseIndex::over(TimeSpan span) const {
  TimeUse use;
  use.span = span;
  use.wall = span.duration();
  if (span.empty()) return use;

  // Goes from one start or end of an interval to the next, with the sets that hold there as bits.
  struct Cursor {
    std::span<const TimeSpan> left;  // not over yet
    unsigned bit = 0;                // of its set
    bool inside = false;
    Nanos next = kMaxNanos;  // when `inside` changes

    void settle() { next = left.empty() ? kMaxNanos : inside ? left[0].end : left[0].begin; }
  };
  std::array<Cursor, kSets> all_cursors;
  std::size_t count = 0;  // of sets with anything in the span
  unsigned holds = 0;
  for (std::size_t s = 0; s < kSets; ++s) {
    const std::span<const TimeSpan> all = sets_[s].intervals();
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
  constexpr unsigned kKernelBit = 1u << index_of(TimeKind::kKernel);
  constexpr unsigned kCommunicationBit = 1u << index_of(TimeKind::kCommunication);
  constexpr unsigned kHostBit = 1u << kHostCommunication;
  constexpr unsigned kGpuBits = (1u << kGpuSets) - 1;
  for (Nanos now = span.begin; now < span.end;) {
    Nanos next = span.end;
    for (const Cursor& cursor : cursors) next = std::min(next, cursor.next);
    const Nanos length = next - now;
    const unsigned kinds = (holds & ~kHostBit) | ((holds & kHostBit) != 0 ? kCommunicationBit : 0);
    std::size_t kind = 0;
    while (kind + 1 < kTimeKindCount && (kinds & (1u << kind)) == 0) ++kind;
    use.by_kind[kind] += length;
    if ((holds & kGpuBits) != 0) use.gpu_busy += length;
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
