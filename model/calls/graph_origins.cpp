#include "model/calls/graph_origins.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/base/seeded_hash.h"
#include "model/calls/launched_work.h"
#include "model/causes/known_names.h"
#include "model/columns/argument_columns.h"

namespace lacuna {
namespace {

/// Launches that a stream recorded instead of running them, in their order.
struct GraphCapture {
  SourceId source;
  Nanos end = 0;
  std::vector<SliceId> calls;
};

/// What a call launches, as far as its name tells.
CategoryClass kind_launched(std::string_view call) {
  if (call.find("Memcpy") != std::string_view::npos) return CategoryClass::kMemcpy;
  if (call.find("Memset") != std::string_view::npos) return CategoryClass::kMemset;
  return CategoryClass::kKernel;
}

}  // namespace

class GraphOrigins::Finder {
 public:
  Finder(const Trace& trace, GraphOrigins& found)
      : trace_(trace), found_(found), is_launch_(trace.strings(), is_graph_launch) {}

  Result<void> run(unsigned threads, const std::atomic<bool>* cancel) {
    find_graphs();
    if (graphs_.empty()) return {};
    columns_.resize(trace_.sources().size());
    for (const auto& graph : graphs_) {
      ArgumentColumns::GpuPtr& column = columns_[source_of(graph.front().launch).value];
      if (column || !trace_.sources()[source_of(graph.front().launch).value].bytes) continue;
      auto read = argument_columns(trace_).gpu(trace_, source_of(graph.front().launch), threads, cancel);
      if (!read) return tl::make_unexpected(read.error());
      column = std::move(*read);
    }
    find_captures();
    for (const auto& graph : graphs_) attribute(graph);
    std::ranges::sort(found_.entries_, {}, &Entry::activity);
    return {};
  }

 private:
  SourceId source_of(SliceId slice) const { return trace_.process(trace_.track_of(slice).process).source; }

  void find_graphs() {
    const auto& links = trace_.links().launches();
    for (std::size_t begin = 0; begin < links.size();) {
      std::size_t end = begin;
      while (end < links.size() && links[end].launch == links[begin].launch) ++end;
      if (is_launch_(trace_.lane(links[begin].launch).name(links[begin].launch.index)))
        graphs_.push_back(links.subrange(begin, end - begin));
      begin = end;
    }
  }

  void find_captures() {
    for (const Track& track : trace_.tracks()) {
      if (track.kind != TrackKind::kThread) continue;
      std::vector<SliceId> calls;  // of captures, and what they may have captured
      bool captures = false;
      for (std::uint32_t k = 0; k < track.lane_count; ++k) {
        const LaneId id{track.first_lane.value + k};
        const Lane& lane = trace_.lane(id);
        for (std::uint32_t i = 0; i < lane.size(); ++i) {
          if (trace_.category_class(lane.category(i)) != CategoryClass::kRuntime) continue;
          const std::string_view name = trace_.text(lane.name(i));
          const bool is_bound = name.find("BeginCapture") != name.npos || name.find("EndCapture") != name.npos;
          captures = captures || is_bound;
          if (is_bound || (is_launching_call(name) && trace_.links().activities_of({id, i}).empty()))
            calls.push_back({id, i});
        }
      }
      if (captures) add_captures(trace_.process(track.process).source, std::move(calls));
    }
  }

  void add_captures(SourceId source, std::vector<SliceId> calls) {
    std::ranges::stable_sort(calls, {}, [&](SliceId call) { return trace_.span(call).begin; });
    std::optional<GraphCapture> open;
    for (const SliceId call : calls) {
      const std::string_view name = trace_.name(call);
      if (name.find("BeginCapture") != name.npos) {
        open = GraphCapture{source, 0, {}};
      } else if (name.find("EndCapture") != name.npos) {
        if (open && !open->calls.empty()) {
          open->end = trace_.span(call).end;
          captures_.push_back(std::move(*open));
        }
        open.reset();
      } else if (open && !is_graph_launch(name)) {
        open->calls.push_back(call);
      }
    }
  }

  const GpuArguments* said_of(SliceId activity) const {
    const auto& column = columns_[source_of(activity).value];
    return column ? &column->of(activity) : nullptr;
  }

  void attribute(LinkTable<LaunchLink>::Range graph) {
    std::vector<std::pair<std::uint64_t, SliceId>> nodes;
    bool has_ids = true;
    for (const LaunchLink& link : graph) {
      const GpuArguments* said = said_of(link.activity);
      nodes.emplace_back(said == nullptr ? 0 : said->graph_node, link.activity);
      has_ids = has_ids && nodes.back().first != 0;
    }
    // Nodes have ascending ids as they are captured; without ids they are known by when they ran.
    std::ranges::sort(nodes, [&](const auto& a, const auto& b) {
      if (has_ids && a.first != b.first) return a.first < b.first;
      return trace_.span(a.second).begin != trace_.span(b.second).begin
                 ? trace_.span(a.second).begin < trace_.span(b.second).begin
                 : a.second < b.second;
    });
    std::vector<const GraphCapture*> candidates;
    for (const GraphCapture& capture : captures_)
      if (capture.source == source_of(graph.front().launch) && capture.calls.size() == nodes.size() &&
          capture.end <= trace_.span(graph.front().launch).begin && is_alike(capture, nodes))
        candidates.push_back(&capture);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      Entry entry{nodes[n].second, {}, 0};
      if (const GpuArguments* said = said_of(entry.activity); said != nullptr)
        entry.annotation = number(said->annotation);
      if (!candidates.empty()) {
        const SliceId call = candidates.back()->calls[n];
        const auto place = place_of(call);
        if (std::ranges::all_of(candidates, [&](const GraphCapture* c) { return place_of(c->calls[n]) == place; }))
          entry.captured_by = call;
      }
      found_.entries_.push_back(entry);
    }
  }

  bool is_alike(const GraphCapture& capture, const std::vector<std::pair<std::uint64_t, SliceId>>& nodes) const {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (kind_launched(trace_.name(capture.calls[n])) != trace_.category_class(nodes[n].second)) return false;
    return true;
  }

  /// Innermost operator and module around a call.
  std::pair<StringId, StringId> place_of(SliceId call) const {
    StringId op = kEmptyString, module = kEmptyString;
    for (SliceId s = trace_.parent(call); s.valid(); s = trace_.parent(s)) {
      const StringId name = trace_.lane(s).name(s.index);
      const CategoryClass meaning = trace_.category_class(s);
      if (meaning == CategoryClass::kCpuOperator && op == kEmptyString && !is_annotation_name(trace_.text(name)))
        op = name;
      if (meaning == CategoryClass::kPythonFunction && module == kEmptyString && is_module_frame(trace_.text(name)))
        module = name;
    }
    return {op, module};
  }

  std::uint32_t number(const std::string& annotation) {
    if (annotation.empty()) return 0;
    const auto [at, is_new] = numbers_.try_emplace(annotation, static_cast<std::uint32_t>(found_.annotations_.size()));
    if (is_new) found_.annotations_.push_back(annotation);
    return at->second;
  }

  const Trace& trace_;
  GraphOrigins& found_;
  NameMemo is_launch_;
  std::vector<LinkTable<LaunchLink>::Range> graphs_;
  std::vector<ArgumentColumns::GpuPtr> columns_;  // by source
  std::vector<GraphCapture> captures_;
  std::unordered_map<std::string, std::uint32_t, SeededHash> numbers_;
};

Result<GraphOrigins> GraphOrigins::find(const Trace& trace, unsigned threads, const std::atomic<bool>* cancel) {
  GraphOrigins found;
  if (const auto read = Finder(trace, found).run(threads, cancel); !read) return tl::make_unexpected(read.error());
  return found;
}

const GraphOrigins::Entry* GraphOrigins::entry(SliceId activity) const {
  const auto at = std::ranges::lower_bound(entries_, activity, {}, &Entry::activity);
  return at != entries_.end() && at->activity == activity ? &*at : nullptr;
}

SliceId GraphOrigins::captured_by(SliceId activity) const {
  const Entry* found = entry(activity);
  return found == nullptr ? SliceId{} : found->captured_by;
}

std::string_view GraphOrigins::annotation(SliceId activity) const {
  const Entry* found = entry(activity);
  return found == nullptr ? std::string_view{} : annotations_[found->annotation];
}

}  // namespace lacuna
