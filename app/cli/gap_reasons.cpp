#include "app/cli/gap_reasons.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/causes/cause_ranking.h"
#include "model/causes/gap_rules.h"
#include "render/format.h"

namespace lacuna {
namespace {

Json share_json(const Trace& trace, const CpuShare& share) {
  if (!share.longest.valid()) return {};
  return {{"name", trace.text(share.name)},
          {"timeNs", share.time},
          {"stretches", share.stretches},
          {"longestStartNs", trace.span(share.longest).begin},
          {"longestDurationNs", trace.span(share.longest).duration()}};
}

Json slice_json(const Trace& trace, SliceId slice) {
  if (!slice.valid()) return {};
  return {{"name", trace.name(slice)}, {"startNs", trace.span(slice).begin}, {"endNs", trace.span(slice).end}};
}

Json states_json(const Trace& trace, const OutsideEvidence& evidence) {
  if (!evidence.has_states) return {};
  return {{"notScheduledNs", evidence.not_scheduled()},
          {"waitingNs", evidence.waiting},
          {"preemptedNs", evidence.preempted},
          {"mostWaited", trace.text(evidence.most_waited)}};
}

Json sampled_json(const Trace& trace, const OutsideEvidence& evidence) {
  if (evidence.samples == 0) return {};
  return {{"frame", trace.text(evidence.frame)}, {"samples", evidence.in_frame}, {"of", evidence.samples}};
}

Json verdict_json(const Trace& trace, const Gap& gap, const GapDiagnosis& diagnosis, const GapEvidence& evidence) {
  Json sync = slice_json(trace, diagnosis.sync_call);
  if (!sync.is_null()) sync["savesNs"] = diagnosis.sync_time;
  Json waited = slice_json(trace, diagnosis.waited_for);
  if (!waited.is_null()) waited["stream"] = trace.text(trace.track_of(diagnosis.waited_for).stream);
  Json cpu;
  if (evidence.thread.valid()) {
    cpu = {{"thread", trace.text(trace.track(evidence.thread).name)},
           {"tid", trace.text(trace.track(evidence.thread).tid)},
           {"windowStartNs", evidence.window.begin},
           {"windowEndNs", evidence.window.end},
           {"annotation", share_json(trace, evidence.at(CpuLevel::kAnnotation))},
           {"calledOperator", share_json(trace, evidence.at(CpuLevel::kCalledOperator))},
           {"operator", share_json(trace, evidence.at(CpuLevel::kOperator))},
           {"python", share_json(trace, evidence.at(CpuLevel::kPython))},
           {"runtime", share_json(trace, evidence.at(CpuLevel::kRuntime))},
           {"unrecordedNs", evidence.unrecorded},
           {"states", states_json(trace, evidence.outside)},
           {"sampled", sampled_json(trace, evidence.outside)}};
  }
  return {{"cause", cause_key(diagnosis.cause)},
          {"why", explain_gap(trace, gap, diagnosis, evidence, format_duration)},
          {"late", diagnosis.late},
          {"beforeIssueNs", diagnosis.before_issue},
          {"inQueueNs", diagnosis.in_queue},
          {"sync", std::move(sync)},
          {"waitedFor", std::move(waited)},
          {"rankWaitNs", diagnosis.rank_wait},
          {"lateRank", diagnosis.late_rank < 0 ? Json() : Json(diagnosis.late_rank)},
          {"cpu", std::move(cpu)}};
}

}  // namespace

std::string GapReasons::cause(const Gap& gap) const {
  return std::string(cause_name(index_.diagnose(gap).cause));
}

void GapReasons::add_to(Json& object, const StreamActivity& stream, const Gap& gap) {
  const auto at = std::ranges::lower_bound(stream.gaps, gap.start, {}, &Gap::start);
  object["id"] = gap_label(index_.trace(), stream, static_cast<std::uint32_t>(at - stream.gaps.begin()));
  const GapDiagnosis diagnosis = index_.diagnose(gap);
  object.update(verdict_json(index_.trace(), gap, diagnosis, evidences_.of(gap, diagnosis)));
}

void GapReasons::print(const Table& table, std::span<const Gap> gaps, std::size_t width, Output& out) {
  constexpr std::string_view kIndent = "      ";
  std::string text;
  Output lines(text);
  print_table(table, width, lines, 2);
  if (!lines.finish()) return;  // writing into a string cannot fail
  std::string_view rest = text;
  for (std::size_t line = 0; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    out.write(rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
    if (line == 0 || line > gaps.size()) continue;
    const Gap& gap = gaps[line - 1];
    const GapDiagnosis diagnosis = index_.diagnose(gap);
    const std::string why = explain_gap(index_.trace(), gap, diagnosis, evidences_.of(gap, diagnosis), format_duration);
    const std::size_t room = std::max(width, kIndent.size() + 40) - kIndent.size();
    for (const std::string& part : wrapped(printable(why), room)) out.write(fmt::format("{}{}\n", kIndent, part));
  }
}

std::string gap_causes_explained() {
  std::string text = "Causes of a gap; the first that holds, in the order of model/causes/gap_rules.cpp:\n";
  for (const GapCause cause : all_gap_causes())
    text += fmt::format("  {}\n    {}\n", cause_name(cause), cause_definition(cause));
  return text +
         fmt::format(
             "  An activity that was queued for at most {} has kernel spacing. One that was queued for more than "
             "{}\n  waited for something, which ended at most {} (or 1/{} of the wait) before the activity "
             "started.\n",
             format_duration(kKernelSpacingNs), format_duration(kLaunchLatencyNs), format_duration(kReleaseDelayNs),
             kReleaseShare);
}

std::string_view gap_reasons_help() {
  return R"help(JSON keys of a gap's cause:
  id             the gap's number on its stream: "0:7#12"; the same in every run on the same file
  cause          as above, with _ for spaces: launch_bound, first_use, late_rank …
  why            one sentence
  late           the launch started after the gap did
  beforeIssueNs  the part of the gap before the activity was issued; 0 without a launch
  inQueueNs      the rest of the gap
  rankWaitNs, lateRank   part of the gap in which collectives of the GPU waited for ranks that came later, and
                 which one came last (null: none; needs the traces of several ranks)
  sync           the synchronising call that held the CPU up longest, or null: name, startNs, endNs,
    savesNs      how much earlier the launch could have come without such calls
  waitedFor      what ended on another stream while the activity was queued, or null:
                 name, startNs, endNs, stream
  cpu            what the responsible thread did in [windowStartNs, windowEndNs), which is
                 beforeIssueNs long (or the whole gap when that is 0); null without a launch
    thread, tid, unrecordedNs (no operator, call or Python frame)
    annotation, calledOperator, operator, python, runtime
                 the name with the most time, or null: innermost annotation, outermost operator,
                 innermost operator, Python frame, runtime call
      name, timeNs, stretches, longestStartNs, longestDurationNs (its slice with the most time)
    states       when that thread ran and waited, or null: notScheduledNs = waitingNs + preemptedNs, mostWaited
    sampled      samples of its stack, or null: the innermost frame that half of them share: frame, samples, of)help";
}

}  // namespace lacuna
