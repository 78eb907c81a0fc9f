#include "model/memory/memory_holders.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"

namespace lacuna {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, kMemoryCategories> kCategories{
    {{"parameter", "parameter"},
     {"optimizer state", "optimizerState"},
     {"input", "input"},
     {"temporary", "temporary"},
     {"activation", "activation"},
     {"gradient", "gradient"},
     {"autograd detail", "autogradDetail"},
     {"unknown", "unknown"}}};

bool is_python(std::string_view file) {
  return file.ends_with(".py") || file.starts_with('<');
}

bool is_of_torch(std::string_view file) {
  return file.find("/torch/") != std::string_view::npos || file.starts_with("torch/") || file.starts_with('<');
}

/// Native frames that every stack has: how it was taken and where the allocator is.
bool is_plumbing(std::string_view name) {
  constexpr std::array<std::string_view, 9> kPlumbing{
      "torch::unwind",      "torch::CapturedTraceback", "CachingAllocator", "gather_with_cpp", "empty_generic",
      "at::detail::empty_", "c10::StorageImpl",         "c10::cuda::",      "torch::cuda::"};
  return std::ranges::any_of(kPlumbing,
                             [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "aten::mm" of at::_ops::mm::call, "MmBackward0" of torch::autograd::generated::MmBackward0::apply; else empty.
std::string_view between(std::string_view name, std::string_view before, std::string_view after) {
  const std::size_t begin = name.find(before);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = name.find(after, begin + before.size());
  return name.substr(begin + before.size(), end == std::string_view::npos ? end : end - begin - before.size());
}

/// What the innermost telling frame says about the phase of the program.
StackNames::Phase phase_of(std::string_view name, std::string_view file) {
  using Phase = StackNames::Phase;
  if (holds(file, "torch/optim/")) return Phase::kOptimizer;
  if (holds(name, "autograd::Engine") || holds(file, "torch/autograd/") || holds(file, "torch/_tensor.py"))
    return name == "backward" || holds(name, "Engine") || holds(name, "run_backward") ? Phase::kBackward
                                                                                      : Phase::kUnknown;
  if (holds(file, "torch/utils/data/")) return Phase::kLoading;
  if (holds(file, "torch/nn/modules/module.py")) {
    if (name == "_apply" || name == "to" || name == "cuda" || name == "load_state_dict" || holds(name, "convert"))
      return Phase::kConstruction;
    return Phase::kForward;  // _call_impl
  }
  if (name == "__init__" && is_python(file)) return Phase::kConstruction;
  if (name == "forward" && is_python(file)) return Phase::kForward;
  if (holds(name, "THPVariable_to") || holds(name, "THPVariable_cuda") || name == "pin_memory") return Phase::kCopy;
  return Phase::kUnknown;
}

constexpr std::size_t kMostSteps = 200;

/// The times at which annotated steps end; empty when there are fewer than three.
std::vector<std::int64_t> step_ends(const MemorySnapshot& snapshot) {
  for (const std::string_view prefix : {"ProfilerStep", "Optimizer.step"}) {
    std::vector<std::int64_t> ends;
    for (const SnapshotAnnotation& annotation : snapshot.annotations)
      if (snapshot.text(annotation.stage) == "END" && snapshot.text(annotation.name).starts_with(prefix))
        ends.push_back(annotation.time_us);
    if (ends.size() >= 3) return ends;
  }
  return {};
}

}  // namespace

std::optional<HolderKey> holder_key(std::string_view text) {
  if (text == "frame") return HolderKey::kFrame;
  if (text == "category") return HolderKey::kCategory;
  if (text == "stack") return HolderKey::kStack;
  if (text == "segment") return HolderKey::kSegment;
  if (text == "phase") return HolderKey::kPhase;
  return std::nullopt;
}

std::string_view memory_category_name(MemoryCategory category) {
  return kCategories[static_cast<std::size_t>(category)].first;
}

std::string_view memory_category_key(MemoryCategory category) {
  return kCategories[static_cast<std::size_t>(category)].second;
}

std::string_view memory_phase_name(MemoryPhase phase) {
  constexpr std::array<std::string_view, 7> kPhases{
      "(phase not known)", "construction", "forward", "backward", "optimizer", "data loading", "copy to the device"};
  return kPhases[static_cast<std::size_t>(phase)];
}

struct StackNames::State {
  /// Of a stack; there may be millions.
  struct Facts {
    std::uint32_t text = 0;
    Phase phase = Phase::kUnknown;
    bool is_known = false;
  };
  /// Of a frame, which many stacks share.
  struct FrameFacts {
    std::string_view op;    // "mm" of at::_ops::mm::call
    std::string_view node;  // "MmBackward0"
    std::uint32_t text = kNoText;
    Phase phase = Phase::kUnknown;
    bool is_known = false;
    bool is_python = false;
    bool is_own = false;  // Python outside PyTorch
    bool is_plumbing = false;
  };
  static constexpr std::uint32_t kNoText = 0xffff'ffff;

  explicit State(const MemorySnapshot& of_snapshot) : snapshot_(of_snapshot) {}
  const Facts& of(std::uint32_t stack);
  const FrameFacts& of_frame(std::uint32_t frame);
  std::uint32_t text_of_frame(std::uint32_t frame);
  std::uint32_t number_of(std::string text);

  const MemorySnapshot& snapshot_;
  std::vector<Facts> facts_;
  std::vector<FrameFacts> frame_facts_;
  std::vector<std::uint32_t> frames_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t, SeededHash> numbers_;  // of texts_
};

StackNames::StackNames(const MemorySnapshot& snapshot) : state_(std::make_unique<State>(snapshot)) {}
StackNames::~StackNames() = default;

const std::string& StackNames::frame(std::uint32_t stack) {
  return state_->texts_[state_->of(stack).text];
}

std::uint32_t StackNames::frame_number(std::uint32_t stack) {
  return state_->of(stack).text;
}

StackNames::Phase StackNames::phase(std::uint32_t stack) {
  return state_->of(stack).phase;
}

std::uint32_t StackNames::State::number_of(std::string text) {
  if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(std::move(text)), number);
  return number;
}

const StackNames::State::FrameFacts& StackNames::State::of_frame(std::uint32_t id) {
  if (frame_facts_.size() <= id) frame_facts_.resize(snapshot_.stacks.frame_count());
  FrameFacts& facts = frame_facts_[id];
  if (facts.is_known) return facts;
  facts.is_known = true;
  const StackFrame& frame = snapshot_.stacks.frame(id);
  const std::string_view file = snapshot_.text(frame.file);
  const std::string_view name = snapshot_.text(frame.name);
  facts.is_python = is_python(file);
  facts.is_own = facts.is_python && !is_of_torch(file);
  if (!facts.is_python) {
    facts.is_plumbing = is_plumbing(name);
    facts.op = between(name, "at::_ops::", "::");
    facts.node = between(name, "torch::autograd::generated::", "::");
  }
  facts.phase = phase_of(name, file);
  return facts;
}

std::uint32_t StackNames::State::text_of_frame(std::uint32_t id) {
  FrameFacts& facts = frame_facts_[id];
  if (facts.text == kNoText) facts.text = number_of(snapshot_.describe(snapshot_.stacks.frame(id)));
  return facts.text;
}

const StackNames::State::Facts& StackNames::State::of(std::uint32_t stack) {
  if (facts_.empty()) facts_.resize(snapshot_.stacks.stack_count());
  Facts& facts = facts_[stack < facts_.size() ? stack : 0];
  if (facts.is_known) return facts;
  facts.is_known = true;
  snapshot_.stacks.read_stack(stack, frames_);
  std::uint32_t own = kNoText, python = kNoText, native = kNoText;  // frames
  std::string_view op;
  std::string_view node;
  Phase copy = Phase::kUnknown;
  for (const std::uint32_t id : frames_) {
    const FrameFacts& frame = of_frame(id);
    if (frame.is_python) {
      if (python == kNoText) python = id;
      if (own == kNoText && frame.is_own) own = id;
    } else {
      if (native == kNoText && !frame.is_plumbing) native = id;
      if (op.empty()) op = frame.op;
      if (node.empty()) node = frame.node;
    }
    if (facts.phase == Phase::kUnknown) (frame.phase == Phase::kCopy ? copy : facts.phase) = frame.phase;
  }
  if (facts.phase == Phase::kUnknown) facts.phase = copy;
  if (frames_.empty()) {
    facts.text = number_of("(stack not recorded)");
  } else if (python == kNoText && !(op.empty() && node.empty())) {
    // A backward pass runs on a thread without Python: its operator says more than where that allocates.
    facts.text = number_of(
        fmt::format("{}{}{}{}", op.empty() ? "" : "aten::", op, op.empty() || node.empty() ? "" : " in ", node));
  } else {
    facts.text = text_of_frame(own != kNoText      ? own
                               : python != kNoText ? python
                               : native != kNoText ? native
                                                   : frames_.front());
  }
  return facts;
}

std::uint32_t free_stack(const MemorySnapshot& snapshot, const DeviceHistory& history, const Allocation& allocation) {
  if (allocation.requested == Allocation::kNever || allocation.requested == 0) return 0;
  return snapshot.event(history, allocation.requested - 1).stack;
}

MemoryCategory categorize(const MemorySnapshot& snapshot, const DeviceMemory& memory, const Allocation& allocation,
                          StackNames& names) {
  using Phase = StackNames::Phase;
  const Phase made = names.phase(allocation.stack);
  const bool is_freed = allocation.requested != Allocation::kNever;
  const Phase freed = is_freed ? names.phase(free_stack(snapshot, *memory.history, allocation)) : Phase::kUnknown;
  switch (made) {
    case Phase::kConstruction:
      return MemoryCategory::kParameter;
    case Phase::kOptimizer:
      return is_freed && freed == Phase::kOptimizer ? MemoryCategory::kTemporary : MemoryCategory::kOptimizerState;
    case Phase::kLoading:
    case Phase::kCopy:
      return MemoryCategory::kInput;
    case Phase::kBackward:
      return is_freed && freed == Phase::kBackward ? MemoryCategory::kAutogradDetail : MemoryCategory::kGradient;
    case Phase::kForward:
      return is_freed && freed == Phase::kForward ? MemoryCategory::kTemporary : MemoryCategory::kActivation;
    case Phase::kUnknown:
      break;
  }
  return MemoryCategory::kUnknown;
}

std::vector<std::uint32_t> live_at(const DeviceMemory& memory, Moment moment) {
  std::vector<std::uint32_t> live;
  for (std::uint32_t a = 0; a < memory.allocations.size(); ++a)
    if (memory.allocations[a].is_held(moment)) live.push_back(a);
  std::ranges::stable_sort(
      live, [&](std::uint32_t a, std::uint32_t b) { return memory.allocations[a].size > memory.allocations[b].size; });
  return live;
}

std::vector<Holder> holders_at(const MemorySnapshot& snapshot, const DeviceMemory& memory, Moment moment, HolderKey key,
                               StackNames& names) {
  std::vector<Holder> holders;
  std::unordered_map<std::uint64_t, std::size_t, SeededHash> by_number;
  std::vector<std::uint32_t> segments;  // held then, by address
  if (key == HolderKey::kSegment) {
    for (std::uint32_t s = 0; s < memory.segments.size(); ++s)
      if (memory.segments[s].is_held(moment)) segments.push_back(s);
    std::ranges::sort(segments, {}, [&](std::uint32_t s) { return memory.segments[s].address; });
  }
  const auto holder_of = [&](const Allocation& allocation) -> Holder& {
    const auto place = [&](std::unordered_map<std::uint64_t, std::size_t, SeededHash>& map, std::uint64_t number) {
      const auto [found, is_new] = map.try_emplace(number, holders.size());
      if (is_new) holders.emplace_back();
      return std::pair<Holder&, bool>(holders[found->second], is_new);
    };
    switch (key) {
      case HolderKey::kStack: {
        const auto [holder, is_new] = place(by_number, allocation.stack);
        if (is_new) holder.name = names.frame(allocation.stack);
        return holder;
      }
      case HolderKey::kSegment: {
        const auto above = std::ranges::upper_bound(segments, allocation.address, {},
                                                    [&](std::uint32_t s) { return memory.segments[s].address; });
        const std::uint32_t at = above == segments.begin() ? 0xffff'ffff : *(above - 1);
        const bool is_inside =
            at != 0xffff'ffff && allocation.address - memory.segments[at].address < memory.segments[at].size;
        const auto [holder, is_new] = place(by_number, is_inside ? at : 0xffff'ffff);
        if (is_new && is_inside) {
          const SegmentSpan& span = memory.segments[at];
          holder.segment = at;
          holder.name = fmt::format("segment 0x{:x}, {}, stream {}", span.address, span.is_small ? "small" : "large",
                                    snapshot.streams[span.stream]);
        } else if (is_new) {
          holder.name = "(in no known segment)";
        }
        return holder;
      }
      case HolderKey::kCategory: {
        const MemoryCategory category = categorize(snapshot, memory, allocation, names);
        const auto [holder, is_new] = place(by_number, static_cast<std::uint64_t>(category));
        if (is_new) holder.name = memory_category_name(category);
        return holder;
      }
      case HolderKey::kPhase: {
        const MemoryPhase phase = names.phase(allocation.stack);
        const auto [holder, is_new] = place(by_number, static_cast<std::uint64_t>(phase));
        if (is_new) holder.name = memory_phase_name(phase);
        return holder;
      }
      case HolderKey::kFrame:
        break;
    }
    const auto [holder, is_new] = place(by_number, names.frame_number(allocation.stack));
    if (is_new) holder.name = names.frame(allocation.stack);
    return holder;
  };
  for (const Allocation& allocation : memory.allocations) {
    if (!allocation.is_held(moment)) continue;
    Holder& holder = holder_of(allocation);
    holder.bytes += allocation.size;
    ++holder.count;
    if (allocation.size > holder.largest || holder.count == 1) {
      holder.largest = allocation.size;
      holder.stack = allocation.stack;
    }
  }
  std::ranges::stable_sort(holders, [](const Holder& a, const Holder& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  return holders;
}

bool has_steps(const MemorySnapshot& snapshot) {
  return !step_ends(snapshot).empty();
}

std::vector<Moment> step_moments(const MemorySnapshot& snapshot, const DeviceHistory& history) {
  constexpr std::size_t kParts = 8;
  std::vector<Moment> moments;
  const std::vector<std::int64_t> ends = step_ends(snapshot);
  const std::size_t stride = std::max<std::size_t>(1, ends.size() / kMostSteps);
  for (std::size_t i = 0; i < ends.size(); i += stride) moments.push_back(moment_at(snapshot, history, ends[i]));
  std::ranges::sort(moments);
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  if (moments.size() >= 3) return moments;
  moments.clear();
  for (std::size_t i = 0; i <= kParts; ++i) moments.push_back(history.event_count * i / kParts);
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  return moments;
}

std::vector<Leak> find_leaks(const MemorySnapshot& snapshot, const DeviceMemory& memory,
                             const std::vector<Moment>& moments, StackNames& names) {
  (void)snapshot;
  std::vector<Leak> leaks;
  if (moments.size() < 3) return leaks;
  constexpr std::uint32_t kNoLeak = 0xffff'ffff;
  std::vector<std::uint32_t> by_number;  // of frames
  for (const Allocation& allocation : memory.allocations) {
    if (allocation.stack == 0) continue;
    const std::uint32_t number = names.frame_number(allocation.stack);
    if (by_number.size() <= number) by_number.resize(number + 1, kNoLeak);
    if (by_number[number] == kNoLeak) {
      by_number[number] = static_cast<std::uint32_t>(leaks.size());
      leaks.push_back({names.frame(allocation.stack), allocation.stack, std::vector<std::uint64_t>(moments.size())});
    }
    Leak& leak = leaks[by_number[number]];
    // Held from the first moment at or after its begin to the last before its end.
    auto first = std::ranges::lower_bound(moments, static_cast<Moment>(allocation.begin)) - moments.begin();
    const auto last = std::ranges::lower_bound(moments, static_cast<Moment>(allocation.end)) - moments.begin();
    for (; first < last; ++first) leak.bytes[static_cast<std::size_t>(first)] += allocation.size;
    if (allocation.is_held(moments.back())) leak.stack = allocation.stack;
  }
  std::erase_if(leaks, [](const Leak& leak) {
    std::size_t rises = 0;
    for (std::size_t i = 1; i < leak.bytes.size(); ++i) {
      if (leak.bytes[i] < leak.bytes[i - 1]) return true;
      rises += leak.bytes[i] > leak.bytes[i - 1];
    }
    return rises < 2 || rises + 1 < (leak.bytes.size() + 1) / 2;
  });
  std::ranges::stable_sort(leaks, [](const Leak& a, const Leak& b) { return a.growth() > b.growth(); });
  return leaks;
}

}  // namespace lacuna
