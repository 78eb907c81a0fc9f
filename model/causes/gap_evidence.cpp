#include "model/causes/gap_evidence.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "model/causes/gap_rules.h"
#include "model/causes/known_names.h"

namespace lacuna {
namespace {

CpuShare most_at(const Trace& trace, const CpuTimeline& timeline, CpuLevel level, TimeSpan window) {
  struct Sum {
    CpuShare share;
    Nanos longest_time = 0;  // of one slice; a slice may have several stretches
    SliceId current;
    Nanos current_time = 0;
  };
  std::unordered_map<StringId, Sum> sums;
  timeline.for_each(level, window, [&](TimeSpan span, SliceId slice) {
    if (!slice.valid()) return;
    const StringId name = trace.lane(slice).name(slice.index);
    Sum& sum = sums[name];
    sum.share.name = name;
    sum.share.time += span.duration();
    ++sum.share.stretches;
    if (sum.current != slice) {
      sum.current = slice;
      sum.current_time = 0;
    }
    sum.current_time += span.duration();
    if (sum.current_time > sum.longest_time) {
      sum.longest_time = sum.current_time;
      sum.share.longest = slice;
    }
  });
  CpuShare best;
  for (const auto& [name, sum] : sums) {
    const bool wins = sum.share.time != best.time ? sum.share.time > best.time : name < best.name;
    if (sum.share.time > 0 && (!best.longest.valid() || wins)) best = sum.share;
  }
  return best;
}

/// Time in which none of the levels that tell of work has a slice.
Nanos unrecorded(const CpuTimeline& timeline, TimeSpan window) {
  Nanos sum = 0;
  const auto add_unless = [&](CpuLevel level, auto&& otherwise) {
    return [&timeline, level, otherwise](TimeSpan outer) {
      timeline.for_each(level, outer, [&](TimeSpan span, SliceId slice) {
        if (!slice.valid()) otherwise(span);
      });
    };
  };
  const auto count = [&sum](TimeSpan span) { sum += span.duration(); };
  add_unless(CpuLevel::kCalledOperator, add_unless(CpuLevel::kPython, add_unless(CpuLevel::kRuntime, count)))(window);
  return sum;
}

std::string cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  // Not inside a code point.
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return fmt::format("{}…", text.substr(0, limit));
}

constexpr std::size_t kNameLimit = 64;

/// "2.9 ms in aten::index", or in Python, or in a runtime call: whatever took the most of the
/// window.
std::string describe_doing(const Trace& trace, const GapEvidence& evidence, std::string (*duration)(Nanos)) {
  const CpuShare& called = evidence.at(CpuLevel::kCalledOperator);
  const CpuShare& inner = evidence.at(CpuLevel::kOperator);
  const CpuShare& python = evidence.at(CpuLevel::kPython);
  const CpuShare& runtime = evidence.at(CpuLevel::kRuntime);
  const Nanos window = evidence.window.duration();
  const auto name = [&](const CpuShare& share) { return cut(trace.text(share.name), kNameLimit); };
  std::string text;
  // Frames enclose operators: a frame matters where operators do not fill the time.
  const bool python_matters = python.time > called.time && called.time < window / 2;
  if (!python_matters && called.time > 0 && called.time >= runtime.time / 2) {
    text = fmt::format("{} in {}", duration(called.time), name(called));
    if (inner.name != called.name && inner.time >= called.time / 2) text += fmt::format(" (most in {})", name(inner));
    if (runtime.time >= called.time / 2) text += fmt::format(", {} in {}", duration(runtime.time), name(runtime));
  } else if (python_matters && python.time >= runtime.time) {
    text = fmt::format("{} in Python {}", duration(python.time), name(python));
    if (called.time >= window / 10) text += fmt::format(" and below, {} in {}", duration(called.time), name(called));
  } else if (runtime.time > 0) {
    text = fmt::format("{} in {}", duration(runtime.time), name(runtime));
  }
  // Silence is a finding, too, where it is most of the time.
  if (evidence.unrecorded > window / 2)
    text = fmt::format("nothing recorded on {} for {}{}", trace.text(trace.track(evidence.thread).name),
                       duration(evidence.unrecorded), text.empty() ? "" : ", " + text);
  const CpuShare& annotation = evidence.at(CpuLevel::kAnnotation);
  if (annotation.time >= window / 2 && annotation.time > 0) text += fmt::format(", in {}", name(annotation));
  return text;
}

bool is_operator(const Trace& trace, SliceId slice) {
  return trace.category_class(slice) == CategoryClass::kCpuOperator && !is_annotation_name(trace.name(slice));
}

/// The call, and the operator that the program called to get there: "cudaMemcpyAsync of
/// aten::item".
std::string describe_sync(const Trace& trace, SliceId call, SliceId called) {
  if (!call.valid()) return "a call";
  return called.valid() ? fmt::format("{} of {}", trace.name(call), cut(trace.name(called), kNameLimit))
                        : std::string(trace.name(call));
}

std::string describe_waited(const Trace& trace, SliceId activity) {
  if (!activity.valid()) return "something";
  return fmt::format("{} on stream {}", short_kernel_name(trace.name(activity)),
                     trace.text(trace.track_of(activity).stream));
}

std::string describe_issue(const Trace& trace, const Gap& gap, const GapDiagnosis& diagnosis,
                           std::string (*duration)(Nanos)) {
  if (!gap.launch.valid()) return "at an unknown time";
  if (diagnosis.before_issue > 0) return fmt::format("{} into the gap", duration(diagnosis.before_issue));
  return fmt::format("{} before the gap", duration(saturating_sub(gap.start, trace.span(gap.launch).begin)));
}

}  // namespace

GapEvidence gather_evidence(const Trace& trace, const Gap& gap, const GapDiagnosis& diagnosis) {
  return GapEvidences(trace).of(gap, diagnosis);
}

GapEvidences::GapEvidences(const Trace& trace) : trace_(trace), beside_(trace) {}

GapEvidence GapEvidences::of(const Gap& gap, const GapDiagnosis& diagnosis) {
  GapEvidence evidence;
  evidence.thread = diagnosis.thread;
  evidence.window = {gap.start,
                     diagnosis.before_issue > 0 ? saturating_add(gap.start, diagnosis.before_issue) : gap.end};
  if (diagnosis.sync_call.valid()) evidence.sync_operator = outermost_operator(trace_.parent(diagnosis.sync_call));
  if (!diagnosis.thread.valid()) {
    evidence.unrecorded = evidence.window.duration();
    return evidence;
  }
  const Track& track = trace_.track(diagnosis.thread);
  OfThread& known = threads_[diagnosis.thread];
  known.looked_at += track.lane_count;
  // By now parts of the thread have been as much work as all of it.
  if (!known.whole && known.looked_at > track.lane_count + track.slice_count)
    known.whole.emplace(trace_, diagnosis.thread, track.span.unite(trace_.span()));
  const bool is_known = known.whole && known.whole->window().unite(evidence.window) == known.whole->window();
  CpuTimeline own;
  if (!is_known) {
    own = CpuTimeline(trace_, diagnosis.thread, evidence.window);
    for (std::size_t l = 0; l < kCpuLevelCount; ++l) known.looked_at += own.level(static_cast<CpuLevel>(l)).size();
  }
  const CpuTimeline& timeline = is_known ? *known.whole : own;
  for (std::size_t l = 0; l < kCpuLevelCount; ++l)
    evidence.most[l] = most_at(trace_, timeline, static_cast<CpuLevel>(l), evidence.window);
  evidence.unrecorded = unrecorded(timeline, evidence.window);
  evidence.outside = look_from_outside(trace_, beside_.of(trace_, diagnosis.thread), evidence.window);
  return evidence;
}

SliceId GapEvidences::outermost_operator(SliceId call) {
  std::vector<SliceId> path;
  SliceId found;
  for (SliceId s = call; s.valid(); s = trace_.parent(s)) {
    if (const auto known = operators_.find(s); known != operators_.end()) {
      found = known->second;
      break;
    }
    path.push_back(s);
  }
  for (; !path.empty(); path.pop_back()) {
    if (!found.valid() && is_operator(trace_, path.back())) found = path.back();
    operators_.emplace(path.back(), found);
  }
  return found;
}

std::string explain_gap(const Trace& trace, const Gap& gap, const GapDiagnosis& diagnosis, const GapEvidence& evidence,
                        std::string (*duration)(Nanos)) {
  const auto value = [&](std::string_view key) -> std::string {
    if (key == "gap") return duration(gap.duration());
    if (key == "after") return short_kernel_name(trace.name(gap.after));
    if (key == "launch") return gap.launch.valid() ? std::string(trace.name(gap.launch)) : "the launch";
    if (key == "late") return duration(diagnosis.before_issue);
    if (key == "in_queue") return duration(diagnosis.in_queue);
    if (key == "issued") return describe_issue(trace, gap, diagnosis, duration);
    if (key == "profiler") return duration(diagnosis.profiler_time);
    if (key == "saves") return duration(diagnosis.sync_time);
    if (key == "missing") return fmt::format("{} of {} nodes", diagnosis.missing_nodes, diagnosis.graph_nodes);
    if (key == "rank_wait") return duration(diagnosis.rank_wait);
    if (key == "rank") return fmt::format("rank {}", diagnosis.late_rank);
    if (key == "doing") return describe_doing(trace, evidence, duration);
    if (key == "sync") return describe_sync(trace, diagnosis.sync_call, evidence.sync_operator);
    if (key == "event") {  // the nodes of a graph wait without one
      const bool is_node = gap.launch.valid() && diagnosis.waited_for.valid() &&
                           trace.links().launch_of(diagnosis.waited_for) == gap.launch;
      return is_node ? "" : "an event after ";
    }
    if (key == "waited") return describe_waited(trace, diagnosis.waited_for);
    if (key == "loading")
      return diagnosis.code_loading == 0 ? ""
                                         : fmt::format("; CUDA loaded code for {}", duration(diagnosis.code_loading));
    if (key == "queue")
      return diagnosis.in_queue <= kLaunchLatencyNs
                 ? ""
                 : fmt::format(
                       "; then {} in the queue{}", duration(diagnosis.in_queue),
                       diagnosis.waited_for.valid() ? " for " + describe_waited(trace, diagnosis.waited_for) : "");
    return "?";
  };
  std::string_view rest = gap_rules()[diagnosis.rule].sentence;
  std::string text;
  for (std::size_t open; (open = rest.find('{')) != rest.npos;) {
    const std::size_t close = rest.find('}', open);
    text += rest.substr(0, open);
    text += value(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
  text += rest;
  // Who waits for the GPU is off the CPU for that; it is said already.
  if (diagnosis.before_issue > 0 && diagnosis.cause != GapCause::kSynchronisation) {
    const std::string outside = describe_outside(trace, evidence.thread, evidence.window, evidence.outside, duration);
    if (!outside.empty()) text += "; " + outside;
  }
  return text;
}

std::string short_kernel_name(std::string_view name, std::size_t limit) {
  std::string_view rest = name;
  for (const std::string_view prefix : {"void ", "__global__ ", "static "})
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string_view tail = rest.substr(i);
    // "(anonymous namespace)::" is part of a path; any other parenthesis begins the parameters.
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    if (depth == 0 && tail.starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    const char c = rest[i];
    // "Memcpy DtoH (Device -> Pageable)" is no function.
    if (c == '(' && depth == 0 && i > 0 && rest[i - 1] != ' ') {
      if (const std::size_t type = text.rfind(' '); type != text.npos && text.find("operator") == text.npos)
        text.erase(0, type + 1);
      break;
    }
    if (c == '<') ++depth;
    if (depth == 0) text += c;
    if (c == '>' && depth > 0) --depth;
  }
  if (text.empty()) text = name;
  return cut(text, limit);
}

}  // namespace lacuna
