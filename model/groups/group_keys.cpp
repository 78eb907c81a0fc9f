#include "model/groups/group_keys.h"

#include <algorithm>
#include <array>

#include "model/causes/known_names.h"
#include "model/groups/kernel_family.h"
#include "model/import/bulk_arguments.h"
#include "model/import/json_text.h"
#include "model/parallel.h"
#include "model/report/report_steps.h"

namespace lacuna {
namespace {

constexpr std::string_view kModule = "nn.Module: ";

/// Numbers equal texts alike, in the order in which they come.
class TextNumbers {
 public:
  std::uint32_t of(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    texts_.emplace_back(text);
    return numbers_.emplace(texts_.back(), static_cast<std::uint32_t>(texts_.size() - 1))
        .first->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::string> texts_;
};

/// A JSON list with one space after each comma, however the file has it.
std::string tidy_list(std::string_view token) {
  std::string text;
  for (const char c : token) {
    if (is_json_space(c)) continue;
    text += c;
    if (c == ',') text += ' ';
  }
  return text;
}

}  // namespace

SliceId innermost_operator(const Trace& trace, SliceId call) {
  while (call.valid() && trace.category_class(call) != CategoryClass::kCpuOperator)
    call = trace.parent(call);
  return call;
}

GroupKeys::GroupKeys(const Trace& trace, const GroupOptions& options)
    : trace_(trace), options_(options) {
  key_of_track_.assign(trace.tracks().size(), kNone);
  if (options.by == GroupBy::kFamily || options.by == GroupBy::kShape)
    key_of_name_.assign(trace.strings().size(), kNone);
  if (options.by == GroupBy::kModule || options.by == GroupBy::kStack) spread_context();
  if (options.by == GroupBy::kStep) {
    steps_.resize(trace.sources().size());
    for (std::uint32_t s = 0; s < steps_.size(); ++s)
      for (const ReportStep& step : find_report_steps(trace, SourceId{s}).steps)
        steps_[s].push_back({step.span, intern(std::string(trace.text(step.name)))});
  }
}

Result<void> GroupKeys::prepare() {
  if (options_.by != GroupBy::kShape) return {};
  shapes_.resize(trace_.lanes().size());
  none_ = intern("");
  for (std::uint32_t s = 0; s < trace_.sources().size(); ++s) {
    std::vector<SliceId> operators;
    for (std::uint32_t l = 0; l < trace_.lanes().size(); ++l) {
      const Lane& lane = trace_.lanes()[l];
      const Track& track = trace_.track(lane.track);
      if (track.kind != TrackKind::kThread || trace_.process(track.process).source.value != s)
        continue;
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (trace_.category_class(lane.category(i)) == CategoryClass::kCpuOperator) {
          if (shapes_[l].empty()) shapes_[l].assign(lane.size(), none_);
          operators.push_back({LaneId{l}, i});
        }
    }
    if (const auto read = read_shapes(SourceId{s}, operators); !read) return read;
  }
  return {};
}

Result<void> GroupKeys::read_shapes(SourceId source, std::span<const SliceId> operators) {
  constexpr std::array<std::string_view, 1> kKeys{"Input Dims"};
  constexpr std::size_t kPart = 50'000;
  const FileOrder order = in_file_order(trace_, operators);
  const auto slot = [&](std::size_t k) -> std::uint32_t& {
    const SliceId slice = operators[order.indices[k]];
    return shapes_[slice.lane.value][slice.index];
  };
  // Each part numbers the texts that it meets; the numbers are made the same afterwards.
  const std::size_t parts = (operators.size() + kPart - 1) / kPart;
  std::vector<TextNumbers> texts(parts);
  std::vector<Result<void>> outcomes(parts);
  parallel_for(parts, options_.threads, [&](std::size_t p) {
    const std::size_t from = p * kPart;
    const std::size_t count = std::min(kPart, operators.size() - from);
    outcomes[p] = read_arguments_in_bulk(
        trace_.sources()[source.value], std::span(order.offsets).subspan(from, count), kKeys,
        [&](std::size_t k, std::span<const std::string_view> values) {
          slot(from + k) = texts[p].of(values[0]);
        });
  });
  for (std::size_t p = 0; p < parts; ++p) {
    if (!outcomes[p]) return outcomes[p];
    std::vector<std::uint32_t> keys;
    for (const std::string& text : texts[p].texts()) keys.push_back(intern(tidy_list(text)));
    for (std::size_t k = p * kPart; k < std::min((p + 1) * kPart, operators.size()); ++k)
      slot(k) = keys[slot(k)];
  }
  return {};
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
  std::unordered_map<std::uint64_t, std::uint32_t> known;  // (outer, name)
  context_.resize(trace_.lanes().size());
  for (std::uint32_t l = 0; l < trace_.lanes().size(); ++l) {
    const Lane& lane = trace_.lanes()[l];
    if (trace_.track(lane.track).kind != TrackKind::kThread) continue;
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
        const auto [found, is_new] = known.try_emplace(std::uint64_t{outer} << 32 | name.value,
                                                       static_cast<std::uint32_t>(frames_.size()));
        if (is_new) frames_.push_back({outer, name});
        frame = found->second;
      }
      context_[l][i] = frame;
    }
  }
  key_of_frame_.assign(frames_.size(), kNone);
}

SliceId GroupKeys::on_cpu(SliceId slice) const {
  return trace_.track_of(slice).kind == TrackKind::kGpuStream ? trace_.links().launch_of(slice)
                                                              : slice;
}

std::uint32_t GroupKeys::context_of(SliceId slice) const {
  slice = on_cpu(slice);
  if (!slice.valid() || context_[slice.lane.value].empty()) return 0;
  return context_[slice.lane.value][slice.index];
}

std::uint32_t GroupKeys::step_of(SliceId slice) {
  const std::uint32_t s = trace_.process(trace_.track_of(slice).process).source.value;
  const SliceId cpu = on_cpu(slice);
  const Nanos time = trace_.span(cpu.valid() ? cpu : slice).begin;
  const auto next = std::ranges::upper_bound(steps_[s], time, {},
                                             [](const Step& step) { return step.span.begin; });
  if (next != steps_[s].begin() && (next - 1)->span.contains(time)) return (next - 1)->key;
  if (outside_steps_ == kNone) outside_steps_ = intern("(outside steps)");
  return outside_steps_;
}

std::uint32_t GroupKeys::shape_of(SliceId slice) const {
  SliceId cpu = on_cpu(slice);
  if (cpu.valid() && !(cpu == slice)) cpu = innermost_operator(trace_, cpu);
  if (!cpu.valid() || shapes_[cpu.lane.value].empty()) return none_;
  return shapes_[cpu.lane.value][cpu.index];
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
    case GroupBy::kShape: {
      const std::uint32_t shape = shape_of(slice);
      std::uint32_t& key = shape == none_ ? key_of_name_[name.value]
                                          : key_of_shape_.try_emplace({name.value, shape}, kNone)
                                                .first->second;
      if (key == kNone)
        key = intern(std::string(trace_.text(name)) +
                     (shape == none_ ? std::string() : "  " + labels_[shape]));
      return key;
    }
    case GroupBy::kModule:
    case GroupBy::kStack: {
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

std::string GroupKeys::where(const Track& track) const {
  const std::string name = track.kind == TrackKind::kGpuStream
                               ? "GPU " + std::string(trace_.text(track.device)) + ", stream " +
                                     std::string(trace_.text(track.stream))
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
