#include "model/calls/graph_origins.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/base/seeded_hash.h"
#include "model/calls/graph_captures.h"
#include "model/calls/launched_work.h"
#include "model/calls/sequence_alignment.h"
#include "model/causes/known_names.h"
#include "model/columns/argument_columns.h"
#include "model/trace/engine_steps.h"

namespace lacuna {
namespace {

/// Which call of a capture each node of a graph was.
struct CaptureMatch {
  std::vector<std::uint32_t> calls;  // by node; kUnaligned: none
  std::size_t matched = 0;
  bool by_name = false;
};

constexpr std::uint32_t kKindTokens = 0xf0000000;  // what has no name that calls would say

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
    auto captures = find_graph_captures(trace_, threads, cancel);
    if (!captures) return tl::make_unexpected(captures.error());
    captures_ = std::move(*captures);
    number_graphs_of_steps();
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
    std::vector<const GraphCapture*> candidates = captures_before(graph.front().launch, nodes);
    const bool is_of_trace = !candidates.empty();
    std::vector<CaptureMatch> matches(candidates.size());
    if (!is_of_trace) matches = match_capture_traces(graph.front().launch, nodes, candidates);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      Entry entry{nodes[n].second, {}, 0, 0};
      if (const GpuArguments* said = said_of(entry.activity); said != nullptr)
        entry.annotation = number(said->annotation);
      bool by_name = false;
      if (!candidates.empty()) {
        const auto call_of = [&](std::size_t c) {
          const std::size_t call = is_of_trace ? n : matches[c].calls[n];
          return call < candidates[c]->calls.size() ? candidates[c]->calls[call].slice : SliceId{};
        };
        const std::size_t last = candidates.size() - 1;
        bool agree = call_of(last).valid();
        for (std::size_t c = 0; c < last && agree; ++c)
          agree = call_of(c).valid() && place_of(call_of(c)) == place_of(call_of(last));
        if (agree) {
          entry.captured_by = call_of(last);
          entry.capture_begin = candidates[last]->begin;
          by_name = !is_of_trace && matches[last].by_name;
        }
      }
      count(entry, is_of_trace, by_name);
      found_.entries_.push_back(entry);
    }
  }

  using Nodes = std::vector<std::pair<std::uint64_t, SliceId>>;

  void count(const Entry& entry, bool is_of_trace, bool by_name) {
    Counts& counts = found_.counts_;
    ++counts.nodes;
    if (entry.annotation != 0) ++counts.annotated;
    if (entry.captured_by.valid()) ++(is_of_trace ? counts.of_trace : counts.of_capture_trace);
    if (by_name) ++counts.by_name;
    if (entry.annotation == 0 && !entry.captured_by.valid()) ++counts.unknown;
  }

  /// Captures of the trace itself that can have become the graph.
  std::vector<const GraphCapture*> captures_before(SliceId launch, const Nodes& nodes) const {
    std::vector<const GraphCapture*> candidates;
    for (const GraphCapture& capture : captures_)
      if (!capture.is_from_capture_trace && capture.source == source_of(launch) &&
          capture.calls.size() == nodes.size() && capture.end <= trace_.span(launch).begin && is_alike(capture, nodes))
        candidates.push_back(&capture);
    return candidates;
  }

  /// Sets `candidates` to those of capture traces that match best, and returns how.
  std::vector<CaptureMatch> match_capture_traces(SliceId launch, const Nodes& nodes,
                                                 std::vector<const GraphCapture*>& candidates) {
    std::vector<CaptureMatch> best;
    std::size_t most = nodes.size() / 2;  // a capture that explains no more is another's
    const StepOfLaunch step = step_of(launch);
    for (const GraphCapture& capture : captures_) {
      if (!capture.is_from_capture_trace || !may_be_of_step(capture, step)) continue;
      CaptureMatch match = match_calls(capture, nodes);
      if (match.matched <= most && (match.matched != most || best.empty())) continue;
      if (match.matched > most) {
        best.clear();
        candidates.clear();
      }
      most = match.matched;
      best.push_back(std::move(match));
      candidates.push_back(&capture);
    }
    return best;
  }

  CaptureMatch match_calls(const GraphCapture& capture, const Nodes& nodes) {
    CaptureMatch match;
    if (!capture.has_names()) {
      if (capture.calls.size() != nodes.size() || !is_alike(capture, nodes)) return match;
      match.matched = nodes.size();
      for (std::uint32_t n = 0; n < nodes.size(); ++n) match.calls.push_back(n);
      return match;
    }
    std::vector<std::uint32_t> replayed;
    for (const auto& [id, node] : nodes) {
      const CategoryClass kind = trace_.category_class(node);
      replayed.push_back(kind == CategoryClass::kKernel ? trace_.lane(node).name(node.index).value
                                                        : kKindTokens + static_cast<std::uint32_t>(kind));
    }
    // Mostly the same few graphs are replayed again and again.
    const auto [known, is_new] = aligned_.try_emplace({&capture, std::move(replayed)});
    if (is_new) {
      std::vector<std::uint32_t> calls;
      for (const GraphCapture::Call& call : capture.calls)
        calls.push_back(call.names_kernel ? call.kernel.value : kKindTokens + static_cast<std::uint32_t>(call.kind));
      known->second.by_name = true;
      known->second.calls = align_sequences(calls, known->first.second);
      known->second.matched =
          nodes.size() - static_cast<std::size_t>(std::ranges::count(known->second.calls, kUnaligned));
    }
    return known->second;
  }

  /// The step of an inference server around a launch of a graph, and which of its graphs it launches.
  struct StepOfLaunch {
    SliceId slice;
    std::int64_t batch_size = 0;
    std::size_t graph = 0, graphs = 1;
  };

  void number_graphs_of_steps() {
    std::map<SliceId, std::vector<SliceId>> launches;
    for (const auto& graph : graphs_) {
      const SliceId launch = graph.front().launch;
      StepOfLaunch& step = steps_[launch];
      for (SliceId above = trace_.parent(launch); above.valid(); above = trace_.parent(above)) {
        const auto said = parse_engine_step(trace_.name(above));
        if (!said || said->batch_size <= 0) continue;
        step.slice = above;
        step.batch_size = said->batch_size;
        launches[above].push_back(launch);
        break;
      }
    }
    for (auto& [step, of_step] : launches) {
      std::ranges::stable_sort(of_step, {}, [&](SliceId launch) { return trace_.span(launch).begin; });
      for (std::size_t g = 0; g < of_step.size(); ++g) {
        steps_[of_step[g]].graph = g;
        steps_[of_step[g]].graphs = of_step.size();
      }
    }
    for (const GraphCapture& capture : captures_) {
      if (!capture.is_from_capture_trace) continue;
      captures_of_[capture.source].push_back(&capture);
      if (capture.batch_size > 0) batch_sizes_.push_back(capture.batch_size);
    }
    std::ranges::sort(batch_sizes_);
  }

  const StepOfLaunch& step_of(SliceId launch) { return steps_[launch]; }

  /// Servers pad to the next batch size that was captured.
  bool may_be_of_step(const GraphCapture& capture, const StepOfLaunch& step) const {
    const std::vector<const GraphCapture*>& together = captures_of_.at(capture.source);
    if (step.batch_size > 0 && capture.batch_size > 0) {
      const auto padded = std::ranges::lower_bound(batch_sizes_, step.batch_size);
      if (padded == batch_sizes_.end() || *padded != capture.batch_size) return false;
    }
    if (step.graphs > 1 && together.size() == step.graphs) return together[step.graph] == &capture;
    return true;
  }

  bool is_alike(const GraphCapture& capture, const Nodes& nodes) const {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (capture.calls[n].kind != trace_.category_class(nodes[n].second)) return false;
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
  std::unordered_map<SliceId, StepOfLaunch> steps_;  // by launch
  std::map<SourceId, std::vector<const GraphCapture*>> captures_of_;
  std::vector<std::int64_t> batch_sizes_;  // of capture traces, ascending
  std::map<std::pair<const GraphCapture*, std::vector<std::uint32_t>>, CaptureMatch> aligned_;
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

std::vector<SliceId> GraphOrigins::captured_in(const Trace& trace, SliceId activity) const {
  std::vector<SliceId> around;
  const Entry* found = entry(activity);
  if (found == nullptr) return around;
  for (SliceId s = found->captured_by; s.valid() && trace.span(s).begin >= found->capture_begin; s = trace.parent(s))
    around.push_back(s);
  return around;
}

std::string_view GraphOrigins::annotation(SliceId activity) const {
  const Entry* found = entry(activity);
  return found == nullptr ? std::string_view{} : annotations_[found->annotation];
}

}  // namespace lacuna
