#include "model/groups/group_keys.h"

#include <algorithm>

#include "model/causes/known_names.h"
#include "model/columns/input_shapes.h"
#include "model/groups/kernel_family.h"
#include "model/steps/steps.h"

namespace lacuna {
namespace {

constexpr std::string_view kModule = "nn.Module: ";

}  // namespace

GroupKeys::GroupKeys(const Trace& trace, const GroupOptions& options)
    : trace_(trace), options_(options), launches_(trace.links()), operators_above_(trace) {
  key_of_class_.fill(kNone);
  key_of_track_.assign(trace.tracks().size(), kNone);
  if (options.by == GroupBy::kFamily || options.by == GroupBy::kShape || options.by == GroupBy::kClass)
    key_of_name_.assign(trace.strings().size(), kNone);
  if (options.by == GroupBy::kModule || options.by == GroupBy::kStack) spread_context();
  if (options.by == GroupBy::kStep) {
    steps_.resize(trace.sources().size());
    for (std::uint32_t s = 0; s < steps_.size(); ++s)
      for (const StepMark& step : find_step_marks(trace, SourceId{s}))
        steps_[s].push_back({step.span, intern(std::string(trace.text(step.name)))});
  }
}

Result<void> GroupKeys::prepare() {
  if (options_.by == GroupBy::kModule || options_.by == GroupBy::kStack || options_.by == GroupBy::kShape ||
      options_.columns.gpu_time) {
    auto graphs = GraphOrigins::find(trace_, options_.threads, options_.cancel);
    if (!graphs) return tl::make_unexpected(graphs.error());
    graphs_ = std::move(*graphs);
  }
  if (options_.by != GroupBy::kShape) return {};
  none_ = intern("");
  for (std::uint32_t s = 0; s < trace_.sources().size(); ++s) {
    auto column = argument_columns(trace_).operators(trace_, SourceId{s}, options_.threads, options_.cancel);
    if (!column) return tl::make_unexpected(column.error());
    std::vector<std::uint32_t>& keys = key_of_entry_.emplace_back();
    for (const OperatorArguments& entry : (*column)->entries) keys.push_back(intern(tidy_list(entry.dims)));
    operators_.push_back(std::move(*column));
  }
  return {};
}

SliceId GroupKeys::LaunchCursor::launch_of(SliceId activity) {
  const LinkTable<LaunchLink>& links = links_.by_activity();
  const auto is_next = [&] { return next_ != links.end() && next_->activity == activity; };
  if (!is_next()) {
    next_ = links.lower_bound(activity, &LaunchLink::activity);
    if (!is_next()) return {};
  }
  return (next_++)->launch;
}

std::uint32_t GroupKeys::intern(const std::string& text) {
  const auto [found, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(labels_.size()));
  if (is_new) labels_.push_back(text);
  return found->second;
}

void GroupKeys::spread_context() {
  NameMemo builtin(trace_.strings(), is_builtin_frame);
  NameMemo module(trace_.strings(), [](std::string_view n) { return n.starts_with(kModule); });
  const bool modules = options_.by == GroupBy::kModule;
  frames_.emplace_back();
  NumberMap known;  // (outer, name)
  context_.resize(trace_.lanes().size());
  for (std::uint32_t l = 0; l < trace_.lanes().size(); ++l) {
    const Lane& lane = trace_.lanes()[l];
    if (!traits_of(trace_.track(lane.track).kind).is_cpu_code) continue;
    context_[l].resize(lane.size());
    const std::vector<std::uint32_t>* above = l > 0 && lane.depth > 0 ? &context_[l - 1] : nullptr;
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const std::uint32_t parent = lane.parent(i);
      std::uint32_t frame = above == nullptr || parent == Lane::kNoParent ? 0 : (*above)[parent];
      const StringId name = lane.name(i);
      if (trace_.category_class(lane.category(i)) == CategoryClass::kPythonFunction &&
          (modules ? module(name) : !builtin(name))) {
        // Of modules only the innermost one matters.
        const std::uint32_t outer = modules ? 0 : frame;
        const auto [found, is_new] =
            known.try_put(std::uint64_t{outer} << 32 | name.value, static_cast<std::uint32_t>(frames_.size()));
        if (is_new) frames_.push_back({outer, name});
        frame = found;
      }
      context_[l][i] = frame;
    }
  }
  key_of_frame_.assign(frames_.size(), kNone);
}

SliceId GroupKeys::on_cpu(SliceId slice) {
  return trace_.track_of(slice).kind == TrackKind::kGpuStream ? launches_.launch_of(slice) : slice;
}

std::uint32_t GroupKeys::context_of(SliceId slice) {
  const SliceId captured = graphs_.captured_by(slice);
  slice = captured.valid() ? captured : on_cpu(slice);
  if (!slice.valid() || context_[slice.lane.value].empty()) return 0;
  return context_[slice.lane.value][slice.index];
}

std::uint32_t GroupKeys::key_of_graph_node(SliceId slice) {
  if (!graphs_.contains(slice)) return kNone;
  if (const std::string_view said = graphs_.annotation(slice); options_.by == GroupBy::kModule && !said.empty())
    return intern(std::string(said));
  return context_of(slice) == 0 ? intern(std::string(kUnattributed)) : kNone;
}

std::uint32_t GroupKeys::step_of(SliceId slice) {
  const std::uint32_t s = trace_.process(trace_.track_of(slice).process).source.value;
  const SliceId cpu = on_cpu(slice);
  const Nanos time = trace_.span(cpu.valid() ? cpu : slice).begin;
  const auto next = std::ranges::upper_bound(steps_[s], time, {}, [](const Step& step) { return step.span.begin; });
  if (next != steps_[s].begin() && (next - 1)->span.contains(time)) return (next - 1)->key;
  if (outside_steps_ == kNone) outside_steps_ = intern("(outside steps)");
  return outside_steps_;
}

std::uint32_t GroupKeys::shape_of(SliceId slice) {
  const SliceId captured = graphs_.captured_by(slice);
  SliceId cpu = captured.valid() ? captured : on_cpu(slice);
  if (cpu.valid() && !(cpu == slice)) cpu = operators_above_.operator_of(cpu);
  if (!cpu.valid() || trace_.category_class(cpu) != CategoryClass::kCpuOperator) return none_;
  const std::uint32_t source = trace_.process(trace_.track_of(cpu).process).source.value;
  return key_of_entry_[source][operators_[source]->id(cpu)];
}

std::uint32_t GroupKeys::of(SliceId slice) {
  const StringId name = trace_.lane(slice).name(slice.index);
  const Track& track = trace_.track_of(slice);
  switch (options_.by) {
    case GroupBy::kName:
      return name.value;
    case GroupBy::kFamily: {
      std::uint32_t& key = key_of_name_[name.value];
      if (key == kNone)
        key = intern(track.kind == TrackKind::kGpuStream ? kernel_family(trace_.text(name))
                                                         : std::string(trace_.text(name)));
      return key;
    }
    case GroupBy::kClass: {
      const CategoryClass category = trace_.category_class(slice);
      if (!is_gpu_activity(category)) return key_of_class(std::nullopt);
      if (category != CategoryClass::kKernel) return key_of_class(KernelClass::kCopy);
      std::uint32_t& key = key_of_name_[name.value];
      if (key == kNone) key = key_of_class(kernel_class(trace_.text(name)));
      return key;
    }
    case GroupBy::kShape: {
      const std::uint32_t shape = shape_of(slice);
      if (shape == none_) {
        std::uint32_t& key = key_of_name_[name.value];
        if (key == kNone) key = intern(std::string(trace_.text(name)));
        return key;
      }
      const std::uint64_t pair = std::uint64_t{name.value} << 32 | shape;
      std::uint32_t key = key_of_shape_.find(pair);
      if (key == kNone) key_of_shape_.put(pair, key = intern(std::string(trace_.text(name)) + "  " + labels_[shape]));
      return key;
    }
    case GroupBy::kModule:
    case GroupBy::kStack: {
      if (const std::uint32_t node = key_of_graph_node(slice); node != kNone) return node;
      const std::uint32_t frame = context_of(slice);
      std::uint32_t& key = key_of_frame_[frame];
      if (key != kNone) return key;
      std::string text;
      std::size_t left = options_.by == GroupBy::kModule ? 1 : options_.stack_frames;
      for (std::uint32_t f = frame; f != 0 && left > 0; f = frames_[f].outer, --left)
        text += (text.empty() ? "" : " < ") + std::string(trace_.text(frames_[f].name));
      if (text.empty()) text = options_.by == GroupBy::kModule ? "(no module)" : "(no Python frame)";
      return key = intern(text);
    }
    case GroupBy::kStep:
      return step_of(slice);
    case GroupBy::kStream:
    case GroupBy::kRank: {
      std::uint32_t& key = key_of_track_[track.id.value];
      if (key == kNone) key = intern(options_.by == GroupBy::kStream ? where(track) : rank(track));
      return key;
    }
  }
  return 0;
}

std::uint32_t GroupKeys::key_of_class(std::optional<KernelClass> of) {
  std::uint32_t& key = key_of_class_[of ? static_cast<std::size_t>(*of) : kKernelClassCount];
  if (key == kNone) key = intern(of ? std::string(kernel_class_name(*of)) : "(no GPU work)");
  return key;
}

std::string GroupKeys::where(const Track& track) const {
  const std::string name =
      track.kind == TrackKind::kGpuStream
          ? "GPU " + std::string(trace_.text(track.device)) + ", stream " + std::string(trace_.text(track.stream))
          : std::string(trace_.text(track.name));
  return trace_.sources().size() > 1 ? trace_.source_of(track).path + ": " + name : name;
}

std::string GroupKeys::rank(const Track& track) const {
  const TraceSource& source = trace_.source_of(track);
  return source.rank ? "rank " + std::to_string(*source.rank) : source.path;
}

std::string GroupKeys::label(std::uint32_t key) const {
  return options_.by == GroupBy::kName ? std::string(trace_.text(StringId{key})) : labels_[key];
}

}  // namespace lacuna
