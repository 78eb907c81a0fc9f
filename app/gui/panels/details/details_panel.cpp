#include "app/gui/panels/details/details_panel.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/gui/application/commands.h"
#include "app/gui/panels/calls/call_panel.h"
#include "app/gui/panels/details/details_live.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/cache/trace_thinner.h"
#include "model/causes/start_delay.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostLinks = 50;  // a graph launch has hundreds of kernels

/// A list as written may be spread over lines: its white space outside of strings goes.
std::string on_one_line(std::string_view json) {
  std::string line;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      line += c;
      line += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
    line += c;
    if (!in_string && c == ',') line += ' ';
  }
  return line;
}

/// As in the file: microseconds, with the nanoseconds behind the point where there are any.
std::string ts_text(Nanos t) {
  const Nanos whole = t / 1000;
  const Nanos rest = t % 1000 < 0 ? -(t % 1000) : t % 1000;
  const char* sign = t < 0 && whole == 0 ? "-" : "";
  return rest == 0 ? fmt::format("{}{}", sign, whole) : fmt::format("{}{}.{:03}", sign, whole, rest);
}

/// How long an activity waited after its launch.
void launch_delay_rows(const UiContext& ui, SliceId launch, SliceId activity_id) {
  const Trace& trace = ui.workspace().trace();
  const TimeSpan activity = trace.span(activity_id);
  const TimeSpan call = trace.span(launch);
  const Nanos delay = std::max<Nanos>(0, saturating_sub(activity.begin, call.end));
  begin_fact_row(ui, "Launch delay");
  text(format_duration(delay));
  const Nanos since = saturating_sub(activity.begin, call.begin);
  muted_text(ui, since >= 0 ? fmt::format("{} after the call began", format_duration(since))
                            : fmt::format("it starts {} before the call: the clocks disagree",
                                          format_duration(saturating_sub(0, since))));
  if (const std::optional<StartDelay> why = start_delay(trace, activity_id)) {
    begin_fact_row(ui, "Why later");
    ImGui::PushTextWrapPos(0);
    if (!why->queued.empty()) text(queued_words(*why, format_duration));
    if (!why->latency.empty()) text(latency_words(trace, *why, format_duration));
    ImGui::PopTextWrapPos();
  }
  const std::size_t together = trace.links().activities_of(launch).size();
  if (together > 1) {
    begin_fact_row(ui, "Graph");
    text(fmt::format("one of {} activities of this launch", format_count(together)));
  } else if (activity.duration() < call.duration()) {
    begin_fact_row(ui, "Short");
    text(fmt::format("the call took {}", format_duration(call.duration())));
  }
}

/// Of the row whose slices are highlighted.
void draw_row_work(UiContext& ui) {
  const std::size_t slices = ui.workspace().occurrences().histogram().count;
  if (slices < 2) return;
  ImGui::PushID("row");
  if (ui.shown == nullptr) {
    if (link(ui, "Calls of these slices")) {
      const Occurrences& found = ui.workspace().occurrences();
      const std::string name =
          found.name().valid() ? std::string(ui.workspace().trace().text(found.name())) + ", " : "";
      ui.requests.add(ask::ShowCalls{name + counted(slices, "slice"), found.all()});
    }
    note_place(ui, "row_calls");
    tooltip("Flame graph and call tree of the row.");
  }
  draw_launched_work(ui, ui.workspace().row_work(), fmt::format("by all {}", counted(slices, "slice")));
  ImGui::PopID();
}

}  // namespace

void DetailsPanel::draw(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  ui.observed.kernel_sentence.clear();
  ui.observed.notes.clear();
  if (!workspace.has_trace()) return;
  const Selection& selection = workspace.selection();
  if (selection.slice.valid()) {
    slice(ui, selection.slice);
    return;
  }
  slice_ = SliceId{};
  if (selection.instant.valid()) return instant(ui, InstantRef(selection.instant));
  instant_ = {};
  arguments_.clear();
  argument_error_.clear();
  if (selection.gap.valid()) {
    draw_gap_details(ui, Selection(selection));
    draw_row_work(ui);
    return;
  }
  if (ui.shown == nullptr && ui.live.chosen()) return draw_live_details(ui, *ui.live.chosen());
  const bool has_row = draw_row_details(ui);
  draw_row_work(ui);
  if (workspace.area()) {
    draw_range_details(ui, *workspace.area());
  } else if (!has_row) {
    draw_trace_overview(ui);
  }
}

void DetailsPanel::load_arguments(const UiContext& ui, SliceId slice) {
  if (slice == slice_ && document_ == ui.workspace().document()) return;
  slice_ = slice;
  instant_ = {};
  document_ = ui.workspace().document();
  arguments_.clear();
  argument_error_.clear();
  if (document_->is_thinned) {
    const RemoteSlice* remote = remote_slice(*document_, slice);
    if (remote == nullptr) return;
    arguments_ = remote->arguments;
    argument_error_ = remote->problem;
    for (Argument& argument : arguments_)
      if (!argument.is_string) argument.value = on_one_line(argument.value);
    return;
  }
  keep_arguments(read_arguments(document_->trace, slice));
}

void DetailsPanel::load_arguments(const UiContext& ui, InstantRef instant) {
  if (instant == instant_ && document_ == ui.workspace().document()) return;
  instant_ = instant;
  document_ = ui.workspace().document();
  arguments_.clear();
  argument_error_.clear();
  if (document_->is_thinned) return;
  const Track& track = document_->trace.track(instant.track);
  keep_arguments(read_arguments(document_->trace.source_of(track), track.instants[instant.index].file_offset));
}

void DetailsPanel::keep_arguments(Result<std::vector<Argument>> read) {
  if (read) {
    arguments_ = std::move(*read);
    for (Argument& argument : arguments_) {
      if (!argument.is_string) argument.value = on_one_line(argument.value);
    }
  } else {
    argument_error_ = read.error().message();
  }
}

void DetailsPanel::slice(UiContext& ui, SliceId slice) {
  load_arguments(ui, slice);
  Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  const Lane& lane = trace.lane(slice);
  const TimeSpan span = trace.span(slice);
  const CategoryClass meaning = trace.category_class(slice);

  const KernelName* kernel = meaning == CategoryClass::kKernel ? &read_kernel(trace.name(slice)) : nullptr;
  const bool is_read = kernel != nullptr && kernel->is_known();
  details_heading(ui, ui.palette.slice(trace.name(slice), meaning), is_read ? kernel->title : trace.name(slice));
  ui.observed.details_title = trace.name(slice);
  if (is_read) draw_kernel_sentence(ui, *kernel);
  if (const auto said = workspace.slice_notes().answer(); said && said->slice == slice)
    draw_slice_notes(ui, said->notes);
  if (link(ui, "Copy name")) ui.commands.run("copy_name");
  beside_if_room(ui, "Copy JSON");
  if (link(ui, "Copy JSON")) ui.commands.run("copy_json");
  beside_if_room(ui, "Zoom");
  if (link(ui, "Zoom")) workspace.focus();
  tooltip("F");
  beside_if_room(ui, "All of this name");
  if (link(ui, "All of this name")) {
    workspace.highlight(lane.name(slice.index), lane.category(slice.index));
  }
  tooltip("Highlights every slice of this name; Enter steps through them.");
  if (ui.shown == nullptr) {
    beside_if_room(ui, "Calls");
    if (link(ui, "Calls")) ui.requests.add(ask::ShowCalls{std::string(trace.name(slice)), {slice}});
    tooltip("Flame graph and call tree of what runs inside it, or of what calls it.");
  }

  if (begin_facts(ui, "facts")) {
    fact_row(ui, "Category", trace.category_name(lane.category(slice.index)));
    if (kernel != nullptr && kernel->kernel_class != KernelClass::kOther) draw_kernel_class(ui, kernel->kernel_class);
    fact_row(ui, "Duration", format_duration(span.duration()));
    if (!is_gpu_activity(meaning)) {
      fact_row(ui, "Self", fmt::format("{} without what runs inside", format_duration(trace.self_time(slice))));
    }
    fact_row(ui, "Start", fmt::format("{}  (ts {})", time_text(ui, span.begin), ts_text(span.begin)));
    fact_row(ui, "Track", track_text(trace, trace.track_of(slice)));
    fact_row(ui, "Depth", std::to_string(lane.depth));
    if ((lane.flags(slice.index) & kSliceUnfinished) != 0) {
      begin_fact_row(ui, "Note");
      coloured_text(ui.theme.warning, "has no end in the file");
    }
    if ((lane.flags(slice.index) & kSliceRepairedTime) != 0) {
      begin_fact_row(ui, "Note");
      coloured_text(ui.theme.warning, "its duration was missing or unreadable");
    }
    if ((lane.flags(slice.index) & kSliceFolded) != 0) {
      begin_fact_row(ui, "Note");
      coloured_text(ui.theme.warning, fmt::format("stands for {} slices, which are not here yet",
                                                  format_count(lane.file_offset(slice.index))));
      muted_text(ui, "Zoom in to see single slices.");
    }
    if ((lane.flags(slice.index) & kSliceSpilled) != 0) {
      begin_fact_row(ui, "Note");
      muted_text(ui, "crosses other slices of its track");
    }
    end_facts();
  }
  if (is_read) draw_kernel_facts(ui, *kernel, trace.name(slice));
  if (workspace.document()->is_thinned) {
    draw_remote_links(ui, slice);
  } else {
    slice_links(ui, slice);
  }
  if (is_gpu_activity(meaning)) draw_stack(ui, slice, workspace.slice_work());
  draw_launched_work(ui, workspace.slice_work(), "inside it, on this thread");
  if (workspace.occurrences().current()) {
    draw_histogram(ui);
    draw_row_work(ui);
  }
  if (workspace.document()->is_thinned) draw_remote_arguments(ui, slice);
  argument_table(ui);
}

void DetailsPanel::slice_links(UiContext& ui, SliceId slice) {
  Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  const Links& links = trace.links();
  const TimeSpan span = trace.span(slice);
  const SliceId launch = links.launch_of(slice);
  const auto started = links.activities_of(slice);
  const auto flows_from = links.flows_from(slice);
  const auto flows_to = links.flows_to(slice);
  const GapRef gap = gap_before(*workspace.document(), slice);
  const bool is_gpu = is_gpu_activity(trace.category_class(slice));
  if (!launch.valid() && started.empty() && flows_from.empty() && flows_to.empty() && !gap.valid() && !is_gpu) {
    return;
  }
  section(ui, "Links");
  if (!begin_facts(ui, "links")) return;
  int id = 0;
  if (launch.valid()) {
    begin_fact_row(ui, "Launched by");
    slice_link(ui, launch, ++id);
    launch_delay_rows(ui, launch, slice);
  } else if (is_gpu) {
    begin_fact_row(ui, "Launched by");
    muted_text(ui, "not in the trace");
  }
  if (gap.valid()) {
    begin_fact_row(ui, "Idle before");
    text(format_duration(get(*workspace.document(), gap).duration()));
    ImGui::SameLine();
    if (link(ui, "Show the gap")) workspace.go_to(gap);
  }
  for (std::size_t i = 0; i < std::min(started.size(), kMostLinks); ++i) {
    begin_fact_row(ui, i == 0 ? "Launches" : "");
    slice_link(ui, started[i].activity, ++id);
    const TimeSpan kernel = trace.span(started[i].activity);
    muted_text(ui, fmt::format("{}, {}", format_duration(kernel.duration()), distance_text(span.begin, kernel.begin)));
  }
  if (started.size() > kMostLinks) {
    begin_fact_row(ui, "");
    muted_text(ui, fmt::format("and {} more", format_count(started.size() - kMostLinks)));
  }
  for (std::size_t i = 0; i < std::min(flows_from.size(), kMostLinks); ++i) {
    // The flow of a launch repeats what its correlation says already.
    if (!started.empty() && links.launch_of(flows_from[i].to) == slice) continue;
    begin_fact_row(ui, "Flows to");
    slice_link(ui, flows_from[i].to, ++id);
    muted_text(ui, trace.category_name(flows_from[i].category));
  }
  for (std::size_t i = 0; i < std::min(flows_to.size(), kMostLinks); ++i) {
    const FlowArrow& arrow = flows_to[i];
    if (arrow.from == launch) continue;
    begin_fact_row(ui, "Flows from");
    slice_link(ui, arrow.from, ++id);
    muted_text(ui, trace.category_name(arrow.category));
  }
  end_facts();
}

void DetailsPanel::instant(UiContext& ui, InstantRef ref) {
  load_arguments(ui, ref);
  const Trace& trace = ui.workspace().trace();
  const Track& track = trace.track(ref.track);
  const Instant& instant = track.instants[ref.index];
  details_heading(ui, ui.theme.instant, trace.text(instant.name));
  if (begin_facts(ui, "instant")) {
    if (const auto category = trace.category_name(instant.category); !category.empty())
      fact_row(ui, "Category", category);
    fact_row(ui, "At", fmt::format("{}  (ts {})", time_text(ui, instant.time), ts_text(instant.time)));
    fact_row(ui, "Track", track_text(trace, track));
    fact_row(ui, "Applies to",
             instant.scope == 'g'   ? "the whole trace"
             : instant.scope == 'p' ? "its process"
                                    : "its thread");
    // What the args of [memory] records say as plain numbers.
    for (const Argument& argument : arguments_) {
      std::int64_t bytes = 0;
      const char* const end = argument.value.data() + argument.value.size();
      if (argument.key.find("Bytes") == std::string::npos && argument.key.find("Total ") == std::string::npos) continue;
      if (std::from_chars(argument.value.data(), end, bytes).ptr != end) continue;
      const std::uint64_t size = bytes < 0 ? 0 - static_cast<std::uint64_t>(bytes) : static_cast<std::uint64_t>(bytes);
      fact_row(ui, argument.key, (bytes < 0 ? "-" : "") + format_bytes(size));
    }
    end_facts();
  }
  argument_table(ui);
}

void DetailsPanel::argument_table(UiContext& ui) {
  if (arguments_.empty() && argument_error_.empty()) return;
  section(ui, "Arguments");
  if (!argument_error_.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.warning, argument_error_);
    ImGui::PopTextWrapPos();
    return;
  }
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("args", 2, kFlags)) return;
  ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, ui.px(150));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  int id = 0;
  for (const Argument& argument : arguments_) {
    ImGui::PushID(++id);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    // A click anywhere on the row copies the value.
    if (ImGui::Selectable("##copy", false, ImGuiSelectableFlags_SpanAllColumns)) {
      ui.requests.add(ask::Copy{argument.value});
    }
    const bool hovered = ImGui::IsItemHovered();
    ImGui::SameLine(0, 0);
    fitted_text(ui, argument.key, 0, true);
    ImGui::TableNextColumn();
    push_font(ui.fonts.mono, ui.fonts.mono_px);
    ImGui::PushTextWrapPos(0);
    text(std::string_view(argument.value).substr(0, 4000));
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    if (hovered) {
      begin_tooltip(ui, 400);
      muted_text(ui, "Click copies the value");
      end_tooltip();
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace lacuna
