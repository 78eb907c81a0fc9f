#include "model/torch/torch_arguments.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/base/seeded_hash.h"
#include "model/formats/chrome/json_text.h"
#include "model/import/bulk_arguments.h"

namespace lacuna {
namespace {

/// Numbers equal texts alike.
class Numbers {
 public:
  /// The number of `text`, and whether it is new.
  std::pair<std::uint32_t, bool> of(std::string_view text) {
    const auto [it, is_new] = ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(ids_.size()));
    return {it->second, is_new};
  }

 private:
  std::unordered_map<std::string, std::uint32_t, SeededHash> ids_;
};

/// Index behind the value that starts at `at` of well-formed JSON.
std::size_t value_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return at;
}

/// Calls visit(text) for each element of a JSON list.
template <class Visit>
void for_each_element(std::string_view list, Visit&& visit) {
  for (std::size_t at = 1; at < list.size() && list[at] != ']';) {
    if (is_json_space(list[at]) || list[at] == ',') {
      ++at;
      continue;
    }
    const std::size_t end = value_end(list, at);
    visit(trim_right(list.substr(at, end - at)));
    at = std::max(end, at + 1);
  }
}

/// "[[2, 3], [], [[4], [5]]]" as Python prints torch's input_shapes: "[[2, 3], [], []]".
std::string shapes_text(std::string_view token) {
  const std::string_view list = token_content(token);
  std::string text = "[";
  for_each_element(list, [&](std::string_view shape) {
    if (text.size() > 1) text += ", ";
    if (!shape.starts_with('[')) {
      text += shape;
      return;
    }
    const bool is_tensor_list = shape.find('[', 1) != std::string_view::npos;
    text += '[';
    if (!is_tensor_list) {
      bool is_first = true;
      for_each_element(shape, [&](std::string_view size) {
        text.append(is_first ? "" : ", ").append(size);
        is_first = false;
      });
    }
    text += ']';
  });
  return text + ']';
}

/// profiler_util.py, _filter_stack_entry().
bool is_shown_frame(std::string_view entry) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kHidden{
      {{"autograd/__init__", "_make_grads"},
       {"autograd/__init__", "backward"},
       {"torch/tensor", "backward"},
       {"_internal/common_utils", "prof_callable"},
       {"_internal/common_utils", "prof_func_call"},
       {"_internal/common_utils", "prof_meth_call"}}};
  return std::ranges::none_of(kHidden, [&](const auto& hidden) {
    return entry.find(hidden.first) != std::string_view::npos && entry.find(hidden.second) != std::string_view::npos;
  });
}

std::vector<std::string> frames_of(std::string_view token, std::size_t most) {
  std::string text;
  append_unescaped(token_content(token), text);
  std::vector<std::string> frames;
  for (std::string_view rest = text; !rest.empty() && frames.size() < most;) {
    const std::string_view entry = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    if (!entry.empty() && is_shown_frame(entry)) frames.emplace_back(entry);
  }
  return frames;
}

std::int64_t number_or(std::string_view token, std::int64_t otherwise) {
  std::int64_t value = otherwise;
  const std::string_view text = token_content(token);
  const bool is_negative = text.starts_with('-');
  if (text.size() == (is_negative ? 1u : 0u)) return otherwise;
  value = 0;
  for (const char c : text.substr(is_negative ? 1 : 0)) {
    if (c < '0' || c > '9' || value > (std::int64_t{1} << 58)) return otherwise;
    value = value * 10 + (c - '0');
  }
  return is_negative ? -value : value;
}

/// What one operator says of autograd.
struct Autograd {
  std::int64_t sequence = -1;
  std::int64_t forward_thread = 0;
};

/// Gives backward operators, and what runs inside them, the stacks of their forward operators.
void set_backward_stacks(const TorchTree& tree, const std::vector<Autograd>& autograd,
                         std::vector<std::uint32_t>& stacks) {
  constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
  const TorchEvents& events = tree.events();
  const auto text = [&](std::uint32_t i) { return events.names().text(events.name(i)); };
  // Per event the backward operator around it: itself, or that of its parent, which comes first.
  std::vector<std::uint32_t> backward(events.size(), TorchTree::kNone);
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const std::uint32_t parent = tree.parent(i);
    if (parent == TorchTree::kNone) continue;
    const std::string_view outer = text(parent);
    const bool is_backward =
        is_torch_op(events.kind(i)) && outer.starts_with(kEvaluate) && outer.substr(kEvaluate.size()) == text(i);
    backward[i] = is_backward ? i : backward[parent];
  }
  // torch numbers its threads; the file has those of the system.
  std::map<std::int64_t, std::vector<std::uint32_t>> threads_of_sequence;
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (autograd[i].sequence >= 0 && autograd[i].forward_thread == 0) {
      std::vector<std::uint32_t>& threads = threads_of_sequence[autograd[i].sequence];
      if (std::ranges::find(threads, events.thread(i)) == threads.end()) threads.push_back(events.thread(i));
    }
  std::map<std::int64_t, std::map<std::uint32_t, std::uint64_t>> votes;
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (autograd[i].forward_thread != 0)
      for (const std::uint32_t thread : threads_of_sequence[autograd[i].sequence])
        ++votes[autograd[i].forward_thread][thread];
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> forward;  // (sequence, thread) -> stack
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (backward[i] == TorchTree::kNone && !tree.is_duplicate(i) && autograd[i].sequence >= 0)
      forward.try_emplace({autograd[i].sequence, events.thread(i)}, stacks[i]);

  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (backward[i] == TorchTree::kNone) continue;
    const Autograd& own = autograd[backward[i]];
    stacks[i] = 0;
    const auto voted = votes.find(own.forward_thread);
    if (voted == votes.end()) continue;
    const auto most = std::ranges::max_element(voted->second, {}, [](const auto& v) { return v.second; });
    const auto found = forward.find({own.sequence, most->first});
    if (found != forward.end()) stacks[i] = found->second;
  }
}

}  // namespace

Result<TorchGroups> read_torch_groups(const TorchTree& tree, bool shapes, std::size_t frames) {
  TorchGroups groups;
  const TorchEvents& events = tree.events();
  const std::uint32_t n = events.size();
  Numbers shape_numbers, stack_numbers;
  if (shapes) groups.shapes.assign(n, shape_numbers.of("[]").first);
  groups.shape_texts = {"[]"};
  if (frames > 0) groups.stacks.assign(n, stack_numbers.of("").first);
  groups.stack_entries.emplace_back();
  if (!shapes && frames == 0) return groups;

  // The file often repeats one text; its meaning is worked out once.
  Numbers dims_tokens, stack_tokens;
  std::vector<std::uint32_t> shape_of_token, stack_of_token;
  std::vector<Autograd> autograd(frames > 0 ? n : 0);
  constexpr std::array<std::string_view, 4> kKeys{"Input Dims", "Call stack", "Sequence number", "Fwd thread id"};
  for (const TorchEvents::Part& part : events.parts()) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> wanted;  // (offset, event)
    for (std::uint32_t i = part.first; i < part.last; ++i) {
      const SliceId slice = events.slice(i);
      const bool has_stack = frames > 0 && events.kind(i) == TorchKind::kPython;
      if (is_torch_op(events.kind(i)) || has_stack)
        wanted.emplace_back(events.trace().lane(slice).file_offset(slice.index), i);
    }
    std::ranges::sort(wanted);
    std::vector<std::uint64_t> offsets(wanted.size());
    std::ranges::transform(wanted, offsets.begin(), [](const auto& w) { return w.first; });
    const auto read = read_arguments_in_bulk(events.trace().sources()[part.source.value], offsets, kKeys,
                                             [&](std::size_t k, std::span<const std::string_view> values) {
                                               const std::uint32_t i = wanted[k].second;
                                               if (shapes && !values[0].empty() && is_torch_op(events.kind(i))) {
                                                 const auto [token, is_new] = dims_tokens.of(values[0]);
                                                 if (is_new) {
                                                   std::string text = shapes_text(values[0]);
                                                   const auto [shape, is_new_shape] = shape_numbers.of(text);
                                                   if (is_new_shape) groups.shape_texts.push_back(std::move(text));
                                                   shape_of_token.push_back(shape);
                                                 }
                                                 groups.shapes[i] = shape_of_token[token];
                                               }
                                               if (frames == 0) return;
                                               autograd[i] = {number_or(values[2], -1), number_or(values[3], 0)};
                                               if (values[1].empty()) return;
                                               const auto [token, is_new] = stack_tokens.of(values[1]);
                                               if (is_new) {
                                                 std::vector<std::string> entries = frames_of(values[1], frames);
                                                 std::string joined;
                                                 for (const std::string& entry : entries) joined.append(entry) += ';';
                                                 const auto [stack, is_new_stack] = stack_numbers.of(joined);
                                                 if (is_new_stack) groups.stack_entries.push_back(std::move(entries));
                                                 stack_of_token.push_back(stack);
                                               }
                                               groups.stacks[i] = stack_of_token[token];
                                             });
    if (!read) return tl::make_unexpected(read.error());
  }
  if (frames > 0) set_backward_stacks(tree, autograd, groups.stacks);
  return groups;
}

}  // namespace lacuna
