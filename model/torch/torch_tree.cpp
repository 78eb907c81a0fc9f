#include "model/torch/torch_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/base/parallel.h"
#include "model/base/stable_sort.h"
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

/// The durations of the kernels of each operator, added up as Python does.
class KernelSums {
 public:
  explicit KernelSums(const TorchEvents& events) {
    if (events.launches().empty()) return;
    index_.assign(events.size(), TorchTree::kNone);
    for (const auto& [op, work] : events.launches()) {
      if (index_[op] == TorchTree::kNone) {
        index_[op] = static_cast<std::uint32_t>(sums_.size());
        sums_.emplace_back();
      }
      sums_[index_[op]].add(events.elapsed_us(work));
    }
  }
  double of(std::uint32_t event) const {
    return index_.empty() || index_[event] == TorchTree::kNone ? 0 : sums_[index_[event]].value();
  }

 private:
  std::vector<std::uint32_t> index_;  // by event
  std::vector<PythonSum> sums_;
};

}  // namespace

class TorchTree::Builder {
 public:
  explicit Builder(TorchTree& tree)
      : tree_(tree), events_(tree.events_), kernels_(events_), stacks_(events_.thread_count()) {}

  void build(unsigned threads) {
    // Threads of the trace that are built by one of ours, the largest first.
    std::vector<std::size_t> counts(events_.thread_count(), 0);
    for (std::uint32_t i = 0; i < events_.size(); ++i) ++counts[events_.thread(i)];
    const unsigned parts = std::max(threads, 1u);
    std::vector<std::size_t> load(parts, 0);
    std::vector<std::uint8_t> part_of(counts.size(), 0);
    std::vector<std::uint32_t> order(counts.size());
    std::iota(order.begin(), order.end(), 0u);
    sort_stably(order, std::ranges::greater{}, [&](std::uint32_t t) { return counts[t]; });
    for (const std::uint32_t t : order) {
      const auto least = std::ranges::min_element(load);
      part_of[t] = static_cast<std::uint8_t>(least - load.begin());
      *least += counts[t];
    }
    parallel_for(parts, parts, [&](std::size_t part) {
      for (std::uint32_t i = 0; i < events_.size(); ++i)
        if (part_of[events_.thread(i)] == part) visit(i);
      for (std::size_t t = 0; t < stacks_.size(); ++t)
        while (part_of[t] == part && !stacks_[t].empty()) close(stacks_[t]);
    });
  }

 private:
  void visit(std::uint32_t i) {
    tree_.parents_[i] = kNone;
    tree_.self_cpu_[i] = 0;
    const bool on_gpu = is_on_gpu(events_.kind(i));
    if (!tree_.device_total_.empty())
      tree_.device_total_[i] = tree_.self_device_[i] = on_gpu ? events_.elapsed_us(i) : 0;
    if (!on_gpu && !events_.is_async(i)) add(i);
  }

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
    open.share.kernels = kernels_.of(i);
  }

  /// The innermost event of `stack` is complete.
  void close(std::vector<Open>& stack) {
    Open open = std::move(stack.back());
    stack.pop_back();
    const std::uint32_t i = open.event;
    if (open.children == 1 && events_.name(open.first_child) == events_.name(i)) {
      tree_.duplicates_[open.first_child] = 1;
      if (!tree_.lost_kernels_.empty()) tree_.lost_kernels_[i] = 1;
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
      tree_.self_memory_[i] = {memory.cpu - share.children_memory.cpu, memory.device - share.children_memory.device};
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
  const KernelSums kernels_;
  std::vector<std::vector<Open>> stacks_;
};

TorchTree::TorchTree(const TorchEvents& events, std::vector<TorchMemory> memory, unsigned threads)
    : events_(events), memory_(std::move(memory)) {
  const std::uint32_t n = events.size();
  parents_.resize(n);
  duplicates_.assign(n, 0);
  self_cpu_.resize(n);
  if (!events.device_name().empty()) {
    lost_kernels_.assign(n, 0);
    device_total_.resize(n);
    self_device_.resize(n);
  }
  if (!memory_.empty()) self_memory_.assign(n, {});
  Builder(*this).build(std::min(threads, 64u));
}

}  // namespace lacuna
