// Details of a gap: where it is, why it is there, and the evidence.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/gaps/gaps_panel.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

struct Level {
  CpuLevel level;
  const char* label;
};
constexpr std::array kLevels = {Level{CpuLevel::kAnnotation, "Annotation"},
                                Level{CpuLevel::kCalledOperator, "Operator"}, Level{CpuLevel::kOperator, "Innermost"},
                                Level{CpuLevel::kPython, "Python"}, Level{CpuLevel::kRuntime, "Runtime"}};

/// The gap as a bar: before the launch was issued, and in the queue.
void parts_bar(UiContext& ui, const GapDiagnosis& diagnosis, Nanos whole) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x - ui.px(8));
  const float height = std::round(ui.px(8));
  const float part =
      whole > 0 ? static_cast<float>(static_cast<double>(diagnosis.before_issue) / static_cast<double>(whole)) : 0;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + ui.px(3);
  draw.AddRectFilled({at.x, y}, {at.x + width, y + height}, to_imgui(with_alpha(ui.theme.muted, 0.35f)), ui.px(2));
  draw.AddRectFilled({at.x, y}, {at.x + width * part, y + height}, to_imgui(ui.theme.gap_colour(diagnosis.cause)),
                     ui.px(2));
  ImGui::Dummy({width, height + ui.px(4)});
  tooltip(column_definition("details", "Parts"));
}

void evidence_rows(UiContext& ui, const GapEvidence& evidence) {
  const Trace& trace = ui.workspace().trace();
  int id = 100;
  for (const Level& level : kLevels) {
    const CpuShare& share = evidence.at(level.level);
    if (!share.longest.valid()) continue;
    // The innermost operator says nothing when it is the outermost one.
    if (level.level == CpuLevel::kOperator && share.name == evidence.at(CpuLevel::kCalledOperator).name) continue;
    begin_fact_row(ui, level.label);
    slice_link(ui, share.longest, ++id);
    const std::string more = share.stretches > 1 ? fmt::format(" in {} stretches", format_count(share.stretches)) : "";
    muted_text(ui, format_duration(share.time) + more);
  }
  const OutsideEvidence& outside = evidence.outside;
  if (outside.longest_off.valid()) {
    begin_fact_row(ui, "Off the CPU");
    slice_link(ui, outside.longest_off, 120);
    muted_text(ui, fmt::format("{} waiting, {} preempted", format_duration(outside.waiting),
                               format_duration(outside.preempted)));
  }
  if (outside.frame_slice.valid()) {
    begin_fact_row(ui, "Sampled in");
    slice_link(ui, outside.frame_slice, 121);
    muted_text(ui, fmt::format("{} of {} samples", format_count(static_cast<std::uint64_t>(outside.in_frame)),
                               format_count(static_cast<std::uint64_t>(outside.samples))));
  }
  if (evidence.unrecorded > 0) {
    begin_fact_row(ui, "Unrecorded");
    text(format_duration(evidence.unrecorded));
  }
  if (evidence.thread.valid()) fact_row(ui, "Thread", track_text(trace, trace.track(evidence.thread)));
}

void why(UiContext& ui, GapKey ref, const Gap& gap) {
  GapCauses& causes = ui.workspace().causes();
  if (ui.workspace().document()->is_thinned) return draw_remote_why(ui, ui.workspace().selection().gap);
  const GapDiagnosis* diagnosis = causes.diagnosis(ref);
  section(ui, "Why");
  if (diagnosis == nullptr) {
    muted_text(ui, causes.is_not_yet(ref) ? "Not yet known: not all that happened meanwhile has been recorded yet."
                                          : "Looking for causes\xE2\x80\xA6");
    return;
  }
  cause_text(ui, diagnosis->cause);
  const GapStory* story = causes.story(ref);
  ImGui::PushTextWrapPos(0);
  if (story != nullptr) {
    text(story->sentence);
  } else {
    muted_text(ui, cause_definition(diagnosis->cause));
  }
  ImGui::PopTextWrapPos();
  if (!begin_facts(ui, "why")) return;
  if (gap.launch.valid()) {
    begin_fact_row(ui, "Parts");
    parts_bar(ui, *diagnosis, gap.duration());
    fact_row(ui, "Before launch", format_duration(diagnosis->before_issue));
    fact_row(ui, "In the queue", format_duration(diagnosis->in_queue));
  }
  if (diagnosis->sync_call.valid()) {
    begin_fact_row(ui, "Held up by");
    slice_link(ui, diagnosis->sync_call, 90);
    muted_text(ui, fmt::format("without such calls {} earlier", format_duration(diagnosis->sync_time)));
  }
  if (diagnosis->waited_for.valid()) {
    begin_fact_row(ui, "Waited for");
    slice_link(ui, diagnosis->waited_for, 91);
    muted_text(ui, track_text(ui.workspace().trace(), ui.workspace().trace().track_of(diagnosis->waited_for)));
  }
  end_facts();
  if (story == nullptr || !story->evidence.thread.valid()) return;
  section(ui, diagnosis->before_issue > 0 ? "Meanwhile on the CPU, before the launch" : "Meanwhile on the CPU");
  if (!begin_facts(ui, "evidence")) return;
  evidence_rows(ui, story->evidence);
  end_facts();
}

}  // namespace

void draw_gap_details(UiContext& ui, const Selection& selection) {
  Workspace& workspace = ui.workspace();
  const Document& document = *workspace.document();
  const Trace& trace = document.trace;
  const StreamActivity& stream = document.streams[selection.gap.stream];
  const CauseAnalysis* analysis = workspace.causes().analysis();
  const bool whole_gpu = selection.on_device.valid() && analysis != nullptr;
  const GapKey ref = whole_gpu ? GapKey(selection.on_device) : GapKey(selection.gap);
  const Gap& gap = *workspace.selected_gap();
  const GapDiagnosis* diagnosis = workspace.causes().diagnosis(ref);
  details_heading(ui, diagnosis == nullptr ? ui.theme.gap : ui.theme.gap_colour(diagnosis->cause),
                  fmt::format("{} for {}", whole_gpu ? "GPU idle" : "Idle", format_duration(gap.duration())));
  if (whole_gpu) tooltip("All streams of this GPU were idle.");
  if (link(ui, "Zoom")) workspace.focus();
  tooltip("F");
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Previous")) workspace.step_gap(-1);
  tooltip(with_key(ui, "The gap before it", "previous_gap"));
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Next")) workspace.step_gap(1);
  tooltip("The gap after it (N)");
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Make it the range")) workspace.area_from_selection();
  tooltip("R: the statistics then show what happened meanwhile.");

  why(ui, ref, gap);

  section(ui, "Around it");
  if (begin_facts(ui, "ends")) {
    begin_fact_row(ui, "After");
    if (gap.before.valid()) slice_link(ui, gap.before, 1);
    begin_fact_row(ui, "Before");
    if (gap.after.valid()) slice_link(ui, gap.after, 2);
    begin_fact_row(ui, "Launched by");
    if (gap.launch.valid()) {
      slice_link(ui, gap.launch, 3);
      const Nanos late = saturating_sub(trace.span(gap.launch).begin, gap.start);
      muted_text(ui, late >= 0 ? fmt::format("{} after it fell idle", format_duration(late))
                               : fmt::format("{} before it fell idle", format_duration(saturating_sub(0, late))));
    } else if (const RemoteGap* remote = document.is_thinned ? remote_gap(document, selection.gap) : nullptr;
               remote != nullptr && !remote->launch.empty()) {
      text(remote->launch);
    } else {
      muted_text(ui, "not in the trace");
    }
    end_facts();
  }
  section(ui, "Where");
  if (!begin_facts(ui, "gap")) return;
  fact_row(ui, "Stream", stream_text(trace, stream));
  if (whole_gpu)
    fact_row(ui, "GPU",
             fmt::format("{}: none of its streams had anything to do",
                         trace.text(analysis->devices[selection.on_device.device].device)));
  fact_row(ui, "Start", time_text(ui, gap.start));
  fact_row(ui, "End", time_text(ui, gap.end));
  fact_row(ui, "Duration", format_duration_exact(gap.duration()));
  const Nanos idle = whole_gpu ? analysis->devices[selection.on_device.device].idle() : stream.idle();
  if (idle > 0)
    fact_row(ui, "Share",
             fmt::format("{} of the idle time of this {}",
                         format_percent(static_cast<double>(gap.duration()) / static_cast<double>(idle)),
                         whole_gpu ? "GPU" : "stream"));
  end_facts();
}

}  // namespace lacuna
