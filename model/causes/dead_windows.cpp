#include "model/causes/dead_windows.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/causes/interval_set.h"
#include "model/causes/known_names.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// A slice that ends a dead window, or a call that started GPU work.
struct Mark {
  Nanos start = 0;
  SliceId slice;
};

bool earlier(const Mark& a, const Mark& b) {
  return a.start < b.start;
}

class Finder {
 public:
  explicit Finder(const Trace& trace)
      : trace_(trace),
        is_profiler_step_(trace.strings(), is_profiler_step),
        is_annotation_(trace.strings(), is_annotation_name) {
    for (std::uint32_t s = 0; s < trace.sources().size(); ++s)
      for (const StepMark& mark : find_step_marks(trace, SourceId{s})) steps_.try_emplace(mark.name, mark.from);
  }

  std::vector<DeadWindowGroup> run() {
    for (const Track& track : tracks_of(trace_, TrackKind::kThread)) search(track);
    for (DeadWindowGroup& group : groups_) summarise(group);
    sort_stably(groups_, std::ranges::greater{}, &DeadWindowGroup::total);
    return std::move(groups_);
  }

 private:
  void search(const Track& track) {
    std::vector<Mark> annotations;
    std::vector<Mark> children;
    std::vector<Mark> launches;
    // Links are in the order of their launches, which is that of this loop.
    const auto& links = trace_.links().launches();
    auto link = links.lower_bound(SliceId{track.first_lane, 0}, &LaunchLink::launch);
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        CategoryClass category = trace_.category_class(lane.category(i));
        if (category == CategoryClass::kCpuOperator && is_annotation_(lane.name(i)))
          category = CategoryClass::kCpuAnnotation;
        const Mark mark{lane.start(i), {id, i}};
        if (category == CategoryClass::kCpuAnnotation) annotations.push_back(mark);
        if (category == CategoryClass::kCpuAnnotation || category == CategoryClass::kCpuOperator ||
            category == CategoryClass::kRuntime)
          children.push_back(mark);
        while (link != links.end() && link->launch < mark.slice) ++link;
        if (link != links.end() && link->launch == mark.slice) launches.push_back(mark);
      }
    }
    if (annotations.empty()) return;
    // Rows come outermost first, so that of equal starts the outer slice is before the inner one.
    merge_runs(annotations, earlier);
    merge_runs(children, earlier);
    merge_runs(launches, earlier);
    for (const Mark& annotation : annotations) {
      DeadWindow window = look_inside(annotation.slice, children);
      look_at_gpu(window, launches);
      group_of(annotation.slice).instances.push_back(window);
    }
  }

  DeadWindow look_inside(SliceId annotation, const std::vector<Mark>& children) const {
    DeadWindow window;
    window.annotation = annotation;
    const TimeSpan span = trace_.span(annotation);
    window.dead = span.duration();
    for (auto it = std::ranges::lower_bound(children, span.begin, {}, &Mark::start);
         it != children.end() && it->start < span.end; ++it) {
      // What starts at the same time may be the annotation itself or something around it.
      if (it->start == span.begin && it->slice.lane <= annotation.lane) continue;
      window.first_child = it->slice;
      window.dead = it->start - span.begin;
      break;
    }
    return window;
  }

  void look_at_gpu(DeadWindow& window, const std::vector<Mark>& launches) const {
    const TimeSpan span = trace_.span(window.annotation);
    const auto first = std::ranges::lower_bound(launches, span.begin, {}, &Mark::start);
    if (first == launches.end() || first->start >= span.end) return;
    for (const LaunchLink& link : trace_.links().activities_of(first->slice)) {
      const Nanos delay = std::max<Nanos>(0, trace_.span(link.activity).begin - span.begin);
      if (window.first_activity.valid() && delay >= window.dead_on_gpu) continue;
      window.first_activity = link.activity;
      window.dead_on_gpu = delay;
    }
  }

  DeadWindowGroup& group_of(SliceId annotation) {
    const StringId name = trace_.lane(annotation).name(annotation.index);
    const auto step = steps_.find(name);
    const bool is_step = step != steps_.end() || is_profiler_step_(name);
    // Every step has a name of its own.
    const auto [found, is_new] =
        index_.try_emplace(is_step ? StringId{} : name, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) {
      groups_.emplace_back();
      groups_.back().name = name;
      groups_.back().is_step = is_step;
      if (step != steps_.end()) groups_.back().from = step->second;
    }
    return groups_[found->second];
  }

  /// Marks what is far above the rest; returns the median.
  template <class Value, class Marker>
  static Nanos mark_outliers(std::vector<DeadWindow>& windows, Value value, Marker mark) {
    std::vector<Nanos> values;
    for (const DeadWindow& window : windows)
      if (const auto v = value(window)) values.push_back(*v);
    if (values.empty()) return 0;
    std::ranges::sort(values);
    // The lower value where a quartile falls between two.
    const auto quartile = [&](std::size_t q) { return values[(values.size() - 1) * q / 4]; };
    const Nanos median = quartile(2);
    if (values.size() < kDeadWindowMinGroup) return median;
    const Nanos spread = quartile(3) - quartile(1);
    for (DeadWindow& window : windows) {
      const auto v = value(window);
      if (v && (*v - quartile(3)) / kDeadWindowFactor > spread && *v - median >= kDeadWindowExcessNs) mark(window);
    }
    return median;
  }

  static void summarise(DeadWindowGroup& group) {
    using Length = std::optional<Nanos>;
    group.median = mark_outliers(
        group.instances, [](const DeadWindow& w) { return Length{w.dead}; },
        [](DeadWindow& w) { w.is_outlier = true; });
    group.median_on_gpu = mark_outliers(
        group.instances,
        [](const DeadWindow& w) { return w.first_activity.valid() ? Length{w.dead_on_gpu} : Length{}; },
        [](DeadWindow& w) { w.is_outlier_on_gpu = true; });
    for (const DeadWindow& window : group.instances) {
      group.total = saturating_add(group.total, window.dead);
      group.longest = std::max(group.longest, window.dead);
      group.outliers += window.is_outlier || window.is_outlier_on_gpu;
    }
  }

  const Trace& trace_;
  NameMemo is_profiler_step_;                      // on threads that mark no steps, too
  std::unordered_map<StringId, StepsFrom> steps_;  // by name
  NameMemo is_annotation_;
  std::vector<DeadWindowGroup> groups_;
  std::unordered_map<StringId, std::uint32_t> index_;
};

}  // namespace

std::string DeadWindowGroup::label(const Trace& trace) const {
  if (!is_step) return std::string(trace.text(name));
  if (from == StepsFrom::kProfiler) return "ProfilerStep#*";
  if (from == StepsFrom::kPattern) return trace.steps_from();
  return fmt::format("steps ({})", steps_from_key(from));
}

std::vector<DeadWindowGroup> find_dead_windows(const Trace& trace) {
  return Finder(trace).run();
}

}  // namespace lacuna
