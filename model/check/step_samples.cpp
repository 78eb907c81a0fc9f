#include "model/check/step_samples.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "model/causes/cause_index.h"
#include "model/causes/operator_costs.h"
#include "model/causes/window_gaps.h"
#include "model/diff/trace_diff.h"
#include "model/job/late_waits.h"
#include "model/kernels/kernel_class.h"
#include "model/report/report.h"
#include "model/steps/measured_steps.h"
#include "model/trace/nearest_above.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

constexpr std::string_view kModuleFrame = "nn.Module: ";

/// Fills in the samples of one file.
class StepSampler {
 public:
  StepSampler(const Trace& trace, SourceId source) : trace_(trace), source_(source) {
    const MeasuredSteps measured = find_measured_steps(trace, source);
    for (std::size_t s = measured.warm_up_count; s < measured.steps.size(); ++s)
      spans_.push_back(measured.steps[s].paced);
    samples_.has_steps = !spans_.empty();
    if (spans_.empty() && measured.window.begin < measured.window.end) spans_.push_back(measured.window);
    samples_.path = trace.sources()[source.value].path;
    samples_.steps = spans_.size();
  }

  StepSamples run() {
    for (std::size_t s = 0; s < spans_.size(); ++s) add({SampleKind::kStep, {}}, s, spans_[s].duration());
    add_idle_time();
    add_gpu_work();
    if (!has_gpu_) add_cpu_work();
    return std::move(samples_);
  }

 private:
  void add(const StepSamples::Key& key, std::size_t step, Nanos time) {
    std::vector<double>& values = samples_.values[key];
    if (values.empty()) values.resize(spans_.size(), 0.0);
    values[step] += static_cast<double>(time);
  }

  void add_idle_time() {
    const LateRanksPtr late = trace_.sources().size() > 1 ? late_ranks_or_none(trace_) : nullptr;
    const CauseIndex causes(trace_, late);
    std::vector<CausedGaps> sets;
    std::vector<std::size_t> step_of;
    for (std::size_t s = 0; s < spans_.size(); ++s)
      for (WindowGaps& device : diagnose_window(causes, source_, spans_[s])) {
        has_gpu_ = true;
        add({SampleKind::kBusy, {}}, s, device.gaps.busy);
        add({SampleKind::kIdle, {}}, s, device.gaps.idle());
        for (std::size_t g = 0; g < device.gaps.gaps.size(); ++g) {
          device.gaps.diagnoses[g].for_each_part(device.gaps.gaps[g].duration(),
                                                 [&](GapCause cause, Nanos time) { add_cause(cause, s, time); });
        }
        sets.push_back(std::move(device.gaps));
        step_of.push_back(s);
      }
    std::vector<std::span<const CausedGaps>> groups;
    for (const CausedGaps& set : sets) groups.emplace_back(&set, 1);
    const std::vector<OperatorCosts> costs = charge_operators_each(trace_, groups);
    for (std::size_t g = 0; g < costs.size(); ++g)
      for (const OperatorCost& cost : costs[g].rows)
        if (cost.name != kEmptyString)
          add({SampleKind::kBlamed, name_across_traces(trace_.text(cost.name))}, step_of[g], cost.lost);
  }
  void add_cause(GapCause cause, std::size_t step, Nanos time) {
    add({SampleKind::kCause, std::string(cause_key(cause))}, step, time);
  }

  void add_gpu_work() {
    for (const Track& track : tracks_of(trace_, TrackKind::kGpuStream, source_)) {
      for (std::uint32_t k = 0; k < track.lane_count; ++k) add_gpu_lane({track.first_lane.value + k});
    }
  }
  void add_gpu_lane(LaneId id) {
    const Lane& lane = trace_.lane(id);
    for (std::size_t s = 0; s < spans_.size(); ++s)
      for (std::uint32_t i = lane.first_visible_from(spans_[s].begin); i < lane.size() && lane.start(i) < spans_[s].end;
           ++i) {
        const CategoryClass category = trace_.category_class(lane.category(i));
        if (!is_gpu_activity(category)) continue;
        const Nanos time = lane.span(i).intersect(spans_[s]).duration();
        const std::string& name = known_name(lane.name(i));
        add({SampleKind::kKernel, name}, s, time);
        add({SampleKind::kClass, std::string(kernel_class_key(kernel_class(category, name)))}, s, time);
        if (spans_[s].contains(lane.start(i))) add({SampleKind::kActivities, {}}, s, 1);
        const SliceId launch = trace_.links().launch_of({id, i});
        const std::string module = module_of(launch);
        if (!module.empty()) add({SampleKind::kModule, module}, s, time);
        std::string owner = operator_name(launch, lane.name(i));
        if (!module.empty()) owner += " in " + module;
        add({SampleKind::kOperator, std::move(owner)}, s, time);
      }
  }
  /// Of the operator that made a call; where none is around it, which times that were rounded do to some calls, of the
  /// one that launches all other kernels of this name; else the kernel's own.
  std::string operator_name(SliceId call, StringId kernel) {
    if (const SliceId op = operators_.operator_of(call); op.valid()) return std::string(trace_.name(op));
    if (owners_.empty()) find_owners();
    const StringId owner = owners_[kernel.value];
    return owner == kEmptyString ? known_name(kernel) : std::string(trace_.text(owner));
  }
  void find_owners() {
    owners_.assign(trace_.strings().size(), kEmptyString);
    std::vector<bool> is_shared(owners_.size(), false);
    for (const LaunchLink& link : trace_.links().launches()) {
      const SliceId op = operators_.operator_of(link.launch);
      if (!op.valid()) continue;
      const StringId kernel = trace_.lane(link.activity).name(link.activity.index);
      const StringId name = trace_.lane(op).name(op.index);
      StringId& owner = owners_[kernel.value];
      if (owner != kEmptyString && owner != name) is_shared[kernel.value] = true;
      owner = name;
    }
    for (std::size_t k = 0; k < owners_.size(); ++k)
      if (is_shared[k]) owners_[k] = kEmptyString;
  }
  /// "Embedding_0" of the innermost "nn.Module: Embedding_0" around a call; empty without any.
  std::string module_of(SliceId call) {
    const SliceId frame = modules_.of(call, [&](SliceId s) { return trace_.name(s).starts_with(kModuleFrame); });
    return frame.valid() ? std::string(trace_.name(frame).substr(kModuleFrame.size())) : std::string();
  }
  const std::string& known_name(StringId name) {
    const auto [found, is_new] = names_.try_emplace(name.value);
    if (is_new) found->second = name_across_traces(trace_.text(name));
    return found->second;
  }

  void add_cpu_work() {
    const Report report = compute_report(trace_, source_);
    const std::vector<CpuUse>& uses = report.cpu.by_step;  // of all steps, warm-up first
    for (std::size_t s = 0; samples_.has_steps && s < spans_.size() && uses.size() >= spans_.size(); ++s)
      for (std::size_t k = 0; k < kCpuKindCount; ++k)
        if (const Nanos time = uses[uses.size() - spans_.size() + s].by_kind[k]; time > 0)
          add({SampleKind::kCpu, std::string(cpu_kind_key(static_cast<CpuKind>(k)))}, s, time);
    for (const Track& track : tracks_of(trace_, TrackKind::kThread, source_)) {
      for (std::uint32_t k = 0; k < track.lane_count; ++k) {
        const LaneId id{track.first_lane.value + k};
        const Lane& lane = trace_.lane(id);
        for (std::size_t s = 0; s < spans_.size(); ++s)
          for (std::uint32_t i = lane.first_starting_from(spans_[s].begin);
               i < lane.size() && lane.start(i) < spans_[s].end; ++i)
            if (trace_.category_class(lane.category(i)) == CategoryClass::kCpuOperator)
              add({SampleKind::kCpuOperator, known_name(lane.name(i))}, s, trace_.self_time({id, i}));
      }
    }
  }

  const Trace& trace_;
  const SourceId source_;
  std::vector<TimeSpan> spans_;
  StepSamples samples_;
  bool has_gpu_ = false;
  NearestAbove operators_{trace_}, modules_{trace_};
  std::unordered_map<std::uint32_t, std::string> names_;
  std::vector<StringId> owners_;  // by name of kernel; none where several operators launch it
};

}  // namespace

std::string_view sample_kind_key(SampleKind kind) {
  constexpr std::array<std::string_view, 12> kKeys{"step",   "busy",  "idle",        "cause",
                                                   "blamed", "class", "module",      "operator",
                                                   "kernel", "cpu",   "cpuOperator", "activities"};
  return kKeys[static_cast<std::size_t>(kind)];
}

StepSamples sample_steps(const Trace& trace, SourceId source) {
  return StepSampler(trace, source).run();
}

}  // namespace lacuna
