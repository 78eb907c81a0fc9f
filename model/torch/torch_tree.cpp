#include "model/torch/torch_tree.h"

#include <utility>

#include "model/torch/torch_format.h"

namespace lacuna {
namespace {

/// What the children of an event add up to, and its own kernels: what a parent takes over from a
/// duplicate.
struct Share {
  PythonSum children_cpu;
  PythonSum children_device;
  TorchMemory children_memory;
  double kernels = 0;
};

/// An event that may still get children.
struct Open {
  std::uint32_t event = 0;
  std::uint32_t children = 0;
  std::uint32_t first_child = TorchTree::kNone;
  Share share;
  Share of_first_child;  // while it is the only one
};

/// Per event: the durations of its kernels, added up as Python does.
std::vector<double> sum_kernels(const TorchEvents& events) {
  std::vector<double> result;
  if (events.launches().empty()) return result;
  std::vector<PythonSum> sums(events.size());
  for (const auto& [op, work] : events.launches()) sums[op].add(events.elapsed_us(work));
  result.reserve(sums.size());
  for (const PythonSum& sum : sums) result.push_back(sum.value());
  return result;
}

}  // namespace

class TorchTree::Builder {
 public:
  explicit Builder(TorchTree& tree)
      : tree_(tree),
        events_(tree.events_),
        kernels_(sum_kernels(events_)),
        stacks_(events_.thread_count()) {}

  void build() {
    const std::uint32_t n = events_.size();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (is_on_gpu(events_.kind(i))) {
        tree_.device_total_[i] = tree_.self_device_[i] = events_.elapsed_us(i);
      } else if (!events_.is_async(i)) {
        add(i);
      }
    }
    for (std::vector<Open>& stack : stacks_)
      while (!stack.empty()) close(stack);
  }

 private:
  void add(std::uint32_t i) {
    std::vector<Open>& stack = stacks_[events_.thread(i)];
    while (!stack.empty()) {
      const Nanos end = events_.end(stack.back().event);
      if (events_.start(i) < end && events_.end(i) <= end) break;
      close(stack);
    }
    if (!stack.empty()) tree_.parents_[i] = stack.back().event;
    Open& open = stack.emplace_back();
    open.event = i;
    if (!kernels_.empty()) open.share.kernels = kernels_[i];
  }

  /// The innermost event of `stack` is complete.
  void close(std::vector<Open>& stack) {
    Open open = std::move(stack.back());
    stack.pop_back();
    const std::uint32_t i = open.event;
    if (open.children == 1 && events_.name(open.first_child) == events_.name(i)) {
      tree_.duplicates_[open.first_child] = true;
      if (!tree_.lost_kernels_.empty()) tree_.lost_kernels_[i] = true;
      open.share = open.of_first_child;
    }
    const Share& share = open.share;
    const double total = events_.elapsed_us(i);
    tree_.self_cpu_[i] = total - share.children_cpu.value();
    double device_total = 0;
    if (!tree_.device_total_.empty()) {
      device_total = share.kernels + share.children_device.value();
      tree_.device_total_[i] = device_total;
      tree_.self_device_[i] = device_total - share.children_device.value();
    }
    const TorchMemory memory = tree_.memory(i);
    if (tree_.has_memory())
      tree_.self_memory_[i] = {memory.cpu - share.children_memory.cpu,
                               memory.device - share.children_memory.device};
    if (tree_.parents_[i] == kNone) return;

    Open& parent = stack.back();
    if (parent.children++ == 0) {
      parent.first_child = i;
      parent.of_first_child = share;
    }
    parent.share.children_cpu.add(total);
    parent.share.children_device.add(device_total);
    parent.share.children_memory.cpu += memory.cpu;
    parent.share.children_memory.device += memory.device;
  }

  TorchTree& tree_;
  const TorchEvents& events_;
  const std::vector<double> kernels_;
  std::vector<std::vector<Open>> stacks_;
};

TorchTree::TorchTree(const TorchEvents& events, std::vector<TorchMemory> memory)
    : events_(events), memory_(std::move(memory)) {
  const std::uint32_t n = events.size();
  parents_.assign(n, kNone);
  duplicates_.assign(n, false);
  self_cpu_.assign(n, 0.0);
  if (!events.device_name().empty()) {
    lost_kernels_.assign(n, false);
    device_total_.assign(n, 0.0);
    self_device_.assign(n, 0.0);
  }
  if (!memory_.empty()) self_memory_.assign(n, {});
  Builder(*this).build();
}

}  // namespace lacuna
