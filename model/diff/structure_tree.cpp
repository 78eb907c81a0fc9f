#include "model/diff/structure_tree.h"

#include <algorithm>
#include <numeric>

#include "model/calls/call_paths.h"
#include "model/diff/trace_diff.h"

namespace lacuna {
namespace {

constexpr std::string_view kFxGraph = "CompiledFxGraph";

/// Modules that only hold another one: runs that are compared differ by them.
bool is_wrapper_module(std::string_view label) {
  constexpr std::string_view kWrappers[] = {"OptimizedModule", "DataParallel", "DistributedDataParallel",
                                            "FullyShardedDataParallel", "DeepSpeedEngine"};
  label.remove_prefix(label.rfind(' ') + 1);
  return std::ranges::find(kWrappers, label) != std::end(kWrappers);
}

/// "CompiledFxGraph" of "## Call CompiledFxGraph fal4xpiah2v6… ##".
std::string structure_name(std::string_view name) {
  return name.find(kFxGraph) != name.npos ? std::string(kFxGraph) : name_across_traces(name);
}

class StructureBuilder {
 public:
  StructureBuilder(const DiffSide& side, bool with_modules, StructureNames& names)
      : trace_(*side.trace), with_modules_(with_modules), names_(names), by_string_(trace_.strings().size(), kNoIndex) {
    tree_.nodes.emplace_back();
    tree_.nodes[0].name = names_.of("");
    for (const Track& track : trace_.tracks()) {
      if (trace_.process(track.process).source != side.source) continue;
      if (track.kind == TrackKind::kThread) threads_.push_back(track.id);
      if (track.kind == TrackKind::kGpuStream) streams_.push_back(track.id);
    }
  }

  StructureTree build(TimeSpan window) {
    CallTreeOptions options;
    options.hides_python = true;
    options.range = window;
    // No tracks would mean all of them.
    if (options.tracks = threads_; !threads_.empty()) add_calls(build_call_paths(trace_, options));
    options.metric = CallMetric::kGpuTime;
    if (options.tracks = streams_; !streams_.empty()) add_kernels(build_call_paths(trace_, options));
    add_up();
    sort_children();
    return std::move(tree_);
  }

 private:
  void add_calls(const CallPaths& calls) {
    std::vector<Nanos> totals(calls.nodes().size());
    for (std::size_t c = totals.size(); c-- > 0;) {
      totals[c] = saturating_add(totals[c], calls.nodes()[c].self);
      if (c != CallPaths::kRoot)
        totals[calls.nodes()[c].parent] = saturating_add(totals[calls.nodes()[c].parent], totals[c]);
    }
    const std::vector<std::uint32_t> own = places_of(calls);
    for (std::uint32_t c = 1; c < own.size(); ++c) {
      const CallPaths::Node& call = calls.nodes()[c];
      if (own[c] == own[call.parent]) continue;  // it counts for what is around it
      StructureNode& node = tree_.nodes[own[c]];
      node.count += call.count;
      node.host = saturating_add(node.host, totals[c]);
      take_slices(node, call);
    }
    tree_.nodes[0].host = totals[CallPaths::kRoot];
  }

  void add_kernels(const CallPaths& work) {
    const std::vector<std::uint32_t> own = places_of(work);
    for (std::uint32_t c = 1; c < own.size(); ++c) {
      const CallPaths::Node& call = work.nodes()[c];
      StructureNode& node = tree_.nodes[own[c]];
      if (node.kind != StructureKind::kKernel) continue;
      node.kernels = node.count += call.count;
      node.time = saturating_add(node.time, call.self);
      take_slices(node, call);
    }
  }

  /// Of each frame the node that it is or belongs to.
  std::vector<std::uint32_t> places_of(const CallPaths& calls) {
    std::vector<std::uint32_t> own(calls.nodes().size(), 0);
    for (std::uint32_t c = 1; c < own.size(); ++c)
      own[c] = place_of(own[calls.nodes()[c].parent], calls.nodes()[c].key);
    return own;
  }

  std::uint32_t place_of(std::uint32_t parent, const CallKey& key) {
    switch (key.kind) {
      case CallKind::kModules:
        tree_.has_modules = true;
        if (const std::string label = call_label(trace_, key); with_modules_ && !is_wrapper_module(label))
          return child(parent, StructureKind::kModule, names_.of(label));
        return parent;
      case CallKind::kNoLaunch:
        return child(parent, StructureKind::kNoLaunch, names_.of(call_label(trace_, key)));
      case CallKind::kSlices:
        break;
      default:
        return parent;
    }
    std::uint32_t& name = by_string_[key.name.value];
    const CategoryClass category = trace_.category_class(key.category);
    if (category != CategoryClass::kKernel && category != CategoryClass::kCpuOperator &&
        category != CategoryClass::kCpuAnnotation)
      return parent;
    const bool is_region = is_compiled_region(trace_.text(key.name));
    if (category == CategoryClass::kCpuAnnotation && !is_region) return parent;
    if (name == kNoIndex) name = names_.of(structure_name(trace_.text(key.name)));
    return child(parent,
                 category == CategoryClass::kKernel ? StructureKind::kKernel
                 : is_region                        ? StructureKind::kRegion
                                                    : StructureKind::kOperator,
                 name);
  }

  std::uint32_t child(std::uint32_t parent, StructureKind kind, std::uint32_t name) {
    const bool is_kernel = kind == StructureKind::kKernel;
    const std::uint64_t key = std::uint64_t{parent} << 32 | std::uint64_t{name} << 1 | (is_kernel ? 1 : 0);
    const auto [found, is_new] = children_.try_emplace(key, static_cast<std::uint32_t>(tree_.nodes.size()));
    if (is_new) {
      StructureNode& node = tree_.nodes.emplace_back();
      node.kind = kind;
      node.name = name;
      node.parent = parent;
    }
    return found->second;
  }

  static void take_slices(StructureNode& node, const CallPaths::Node& call) {
    node.first = std::min(node.first, call.first);
    if (!call.longest.valid() || call.longest_time <= node.longest_time) return;
    node.longest = call.longest;
    node.longest_time = call.longest_time;
  }

  /// Kernels count for all that is around them.
  void add_up() {
    for (std::size_t n = tree_.nodes.size(); n-- > 1;) {
      const StructureNode& node = tree_.nodes[n];
      StructureNode& parent = tree_.nodes[node.parent];
      parent.kernels += node.kernels;
      parent.time = saturating_add(parent.time, node.time);
      // What ran outside of the window stands where its kernels do.
      if (parent.count == 0) parent.first = std::min(parent.first, node.first);
    }
  }

  void sort_children() {
    const std::vector<StructureNode>& nodes = tree_.nodes;
    tree_.begins.assign(nodes.size() + 1, 0);
    for (std::size_t n = 1; n < nodes.size(); ++n) ++tree_.begins[nodes[n].parent + 1];
    std::partial_sum(tree_.begins.begin(), tree_.begins.end(), tree_.begins.begin());
    std::vector<std::uint32_t> next(tree_.begins.begin(), tree_.begins.end() - 1);
    tree_.order.resize(nodes.size() - 1);
    for (std::uint32_t n = 1; n < nodes.size(); ++n) tree_.order[next[nodes[n].parent]++] = n;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      std::sort(tree_.order.begin() + tree_.begins[n], tree_.order.begin() + tree_.begins[n + 1],
                [&](std::uint32_t x, std::uint32_t y) {
                  return nodes[x].first != nodes[y].first ? nodes[x].first < nodes[y].first : x < y;
                });
  }

  const Trace& trace_;
  const bool with_modules_;
  StructureNames& names_;
  std::vector<std::uint32_t> by_string_;  // by name in the trace
  std::vector<TrackId> threads_, streams_;
  std::unordered_map<std::uint64_t, std::uint32_t, SeededHash> children_;
  StructureTree tree_;
};

}  // namespace

std::string_view structure_kind_key(StructureKind kind) {
  constexpr std::string_view kKeys[] = {"root", "module", "operator", "region", "noLaunch", "kernel"};
  return kKeys[static_cast<std::size_t>(kind)];
}

bool is_compiled_region(std::string_view name) {
  return name.starts_with("Torch-Compiled Region") || name.find(kFxGraph) != name.npos ||
         name.find("CompiledFunction") != name.npos || is_triton_kernel(name);
}

std::uint32_t StructureNames::of(std::string_view text) {
  const auto [found, is_new] = numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(&found->first);
  return found->second;
}

StructureTree build_structure_tree(const DiffSide& side, TimeSpan window, bool with_modules, StructureNames& names) {
  return StructureBuilder(side, with_modules, names).build(window);
}

}  // namespace lacuna
