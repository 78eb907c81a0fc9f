#include "app/gui/panels/calls/call_panel.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/gui/panels/statistics/statistics_panel.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/calls/launched_work.h"
#include "render/format.h"
#include "render/paint/short_name.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kFlameRowPx = 19;
constexpr float kSearchPx = 120;
constexpr float kLabelRoomPx = 5;
constexpr const char* kFrameMenu = "frame_menu";

struct MetricChoice {
  CallMetric metric;
  const char* label;
  const char* place;
  const char* help;
  const char* whole;  ///< what the root is
};
constexpr std::array kMetricChoices = {
    MetricChoice{CallMetric::kCpuTime, "CPU", "calls_cpu",
                 "Time of slices on CPU threads, each without what runs inside it.", "self time on CPU threads"},
    MetricChoice{CallMetric::kGpuTime, "GPU", "calls_gpu",
                 "Time of kernels, copies and sets, below the calls that launched them.", "of GPU work"},
    MetricChoice{CallMetric::kIdleTime, "Idle", "calls_idle",
                 "Idle time of the GPUs from their first to their last activity, charged to what the CPU did "
                 "meanwhile: the gaps page's, by stack.",
                 "of idle GPU"},
    MetricChoice{
        CallMetric::kPath, "Path", "calls_path",
        "Time of the critical path by what was around it; GPU work below the calls that launched it, its waits "
        "with it.",
        "of critical path"},
    MetricChoice{CallMetric::kSamples, "Samples", "calls_samples", "Time of the frames of sampled stacks: an estimate.",
                 "of sampled stacks, an estimate"}};

const MetricChoice& choice_of(CallMetric metric) {
  return *std::ranges::find(kMetricChoices, metric, &MetricChoice::metric);
}

const std::vector<TableColumn> kCallColumns = {{.title = "Frame", .can_sort = false},
                                               {.title = "Total", .sample = "123.4 ms", .can_sort = false},
                                               {.title = "Share", .sample = "100.0 %", .can_sort = false},
                                               {.title = "Self", .sample = "123.4 ms", .can_sort = false},
                                               {.title = "Count", .sample = "1,234,567", .can_sort = false}};

/// Frames that stand for no slices: what is left over needs no colour.
Rgba neutral_fill(const Theme& theme) {
  return mix(theme.hovered, theme.muted, 0.18f);
}

Rgba frame_colour(const UiContext& ui, const CallView& view, const CallKey& key) {
  switch (key.kind) {
    case CallKind::kSlices:
    case CallKind::kModules:
      return ui.palette.slice(view.names().get(key.name), view.document()->trace.category_class(key.category));
    case CallKind::kSteps:
      return ui.palette.slice("ProfilerStep#", CategoryClass::kCpuAnnotation);
    default:
      return neutral_fill(ui.theme);
  }
}

/// A time of the tree; marked where it is an estimate.
std::string call_time(const CallTreeOptions& options, Nanos t) {
  return options.metric == CallMetric::kSamples ? marked_as_estimate(format_duration(t)) : format_duration(t);
}

/// "12.3 ms (4 %), 1.2 ms of it self, 72 slices".
std::string node_facts(const CallTree& tree, const CallTreeOptions& options, const CallNode& node) {
  const bool counts_slices = options.metric == CallMetric::kCpuTime || options.metric == CallMetric::kSamples;
  const std::string_view what = counts_slices                            ? "slice"
                                : options.metric == CallMetric::kGpuTime ? "activity"
                                                                         : "charge";
  const std::string count = options.metric == CallMetric::kGpuTime && node.count != 1
                                ? format_count(node.count) + " activities"
                                : counted(node.count, what);
  std::string facts = fmt::format("{} ({})", call_time(options, node.total), share_text(node.total, tree.root().total));
  if (!options.bottom_up) facts += fmt::format(", self {}", call_time(options, node.self));
  return facts + ", " + count;
}

/// Everything that the page's numbers depend on.
CallView::Selected selected_of(const UiContext& ui, const PathView& path) {
  Workspace& workspace = ui.workspace();
  const TimeSpan range = workspace.area().value_or(TimeSpan::everything());
  // Gaps of any length: the whole is then the idle time that the track titles and the report speak of.
  return {workspace.document(),
          range,
          workspace.counted_tracks(),
          workspace.causes().shared_analysis(),
          path.answer_of(workspace.document(), range),
          {0, range},
          true};
}

}  // namespace

void CallPanel::draw(UiContext& ui) {
  view_.ask(selected_of(ui, path_));
  view_.update();
  if (view_.asked_there() != nullptr) ui.state.asked_page = *view_.asked_there();
  toolbar(ui);
  const bool is_elsewhere = ui.workspace().document()->is_thinned;
  if (is_elsewhere && (view_.tree() == nullptr || view_.is_computing()))
    return asked_text(ui, "The other machine computes the calls\xE2\x80\xA6");
  if (is_elsewhere && !view_.problem().empty()) return coloured_text(ui.theme.warning, view_.problem());
  const bool waits_for_causes =
      !is_elsewhere && view_.metric == CallMetric::kIdleTime && ui.workspace().causes().shared_analysis() == nullptr;
  const bool waits_for_path =
      !is_elsewhere && view_.metric == CallMetric::kPath &&
      path_.answer_of(ui.workspace().document(), ui.workspace().area().value_or(TimeSpan::everything())) == nullptr;
  const CallTree* tree = view_.tree();
  if (tree == nullptr || waits_for_causes || waits_for_path) {
    muted_text(ui, waits_for_path ? "Following the path back from the end\xE2\x80\xA6"
                   : waits_for_causes && ui.workspace().document()->is_partial
                       ? "Causes are computed once the whole trace is loaded."
                   : waits_for_causes ? "Looking for causes\xE2\x80\xA6"
                                      : "computing\xE2\x80\xA6");
    return;
  }
  if (tree->root().total == 0) {
    muted_text(ui, view_.is_computing()                    ? "computing\xE2\x80\xA6"
                   : view_.metric == CallMetric::kGpuTime  ? "No GPU work here."
                   : view_.metric == CallMetric::kIdleTime ? "No idle GPU here."
                   : view_.metric == CallMetric::kSamples  ? "No sampled stacks here."
                                                           : "No CPU time here.");
    return;
  }
  view_.as_table ? table(ui) : flames(ui);
  footer(ui);
  menu(ui);
}

void CallPanel::toolbar(UiContext& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  for (const MetricChoice& choice : kMetricChoices) {
    if (choice.metric == CallMetric::kSamples && ui.workspace().document()->statistics.sampled_self == 0) continue;
    if (choice.metric != CallMetric::kCpuTime) ImGui::SameLine();
    if (segment(ui, choice.label, view_.metric == choice.metric)) view_.metric = choice.metric;
    note_place(ui, choice.place);
    tooltip(choice.help);
  }
  ImGui::SameLine(0, ui.px(8));
  if (segment(ui, "Top-down", !view_.bottom_up)) view_.bottom_up = false;
  note_place(ui, "calls_top_down");
  tooltip("Below each frame what it calls.");
  ImGui::SameLine();
  if (segment(ui, "Bottom-up", view_.bottom_up)) view_.bottom_up = true;
  note_place(ui, "calls_bottom_up");
  tooltip("Each frame with its own time, and below it who calls it.");
  ImGui::SameLine(0, ui.px(8));
  if (segment(ui, "Flames", !view_.as_table)) view_.as_table = false;
  note_place(ui, "calls_flames");
  tooltip("A flame graph: the wider, the more time. Double click zooms, Ctrl+wheel zooms at the mouse.");
  ImGui::SameLine();
  if (segment(ui, "Table", view_.as_table)) view_.as_table = true;
  note_place(ui, "calls_table");
  tooltip("The same as a table whose rows open.");
  if (view_.metric != CallMetric::kSamples) {
    ImGui::SameLine(0, ui.px(8));
    if (segment(ui, "Python", view_.with_python)) view_.with_python = !view_.with_python;
    note_place(ui, "calls_python");
    tooltip(
        "Python frames, too. Without, only modules (nn.Module) are shown, and the time of other frames "
        "counts for what is around them.");
  }
  ImGui::PopStyleVar();
  ImGui::SameLine(0, ui.px(8));
  if (ImGui::GetContentRegionAvail().x < ui.px(kSearchPx)) ImGui::NewLine();
  if (ui.requests.take<ask::FocusCallsFilter>()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ui.px(kSearchPx));
  text_input("##calls_filter", "Search", view_.filter);
  note_place(ui, "calls_search");
  tooltip("Frames whose name or category contains every word.");
  scope(ui);
}

void CallPanel::scope(UiContext& ui) {
  const Occurrences& found = ui.workspace().occurrences();
  ImGui::SameLine(0, ui.px(10));
  ImGui::AlignTextToFramePadding();
  if (view_.has_places()) {
    coloured_text(ui.theme.accent, "of");
    ImGui::SameLine(0, ui.px(4));
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.accent));
    const std::string& label = view_.places_label();
    const float room = ImGui::GetContentRegionAvail().x - ui.px(60);
    if (room > ui.px(40)) {
      text(fit_text(ImGui::GetFont(), ImGui::GetFontSize(), label, room).text);
      if (ImGui::IsItemHovered()) tooltip(label);
    }
    ImGui::PopStyleColor();
    ImGui::SameLine(0, ui.px(4));
    if (link(ui, "All calls")) view_.forget_places();
    note_place(ui, "calls_all");
    return;
  }
  if (found.size() > 0 && !ui.workspace().document()->is_thinned) {
    const std::string label = fmt::format("Only the chosen row ({})", format_count(found.all().size()));
    if (ImGui::GetContentRegionAvail().x > ImGui::CalcTextSize(label.c_str()).x + ui.px(10)) {
      if (link(ui, label.c_str())) {
        const std::string name =
            found.name().valid() ? std::string(ui.workspace().trace().text(found.name())) : "the chosen row";
        view_.choose_places(ui.workspace().document(), name + ", " + counted(found.all().size(), "slice"), found.all());
      }
      note_place(ui, "calls_row");
      return;
    }
  }
  if (ImGui::GetContentRegionAvail().x > ui.px(110)) return scope_text(ui, ScopeOf::kTracks);
  ImGui::NewLine();
}

void CallPanel::flames(UiContext& ui) {
  const CallTree& tree = *view_.tree();
  const float footer_px = ImGui::GetTextLineHeightWithSpacing() + ui.px(4);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  begin_child("flames", {room.x, std::max(ui.px(30), room.y - footer_px)});
  const ImVec2 at = ImGui::GetWindowPos();
  FlameInput input;
  input.trace = &view_.document()->trace;
  input.tree = &tree;
  input.palette = &ui.palette;
  input.names = &view_.names();
  input.hues = &view_.hues();
  input.matches = view_.matches();
  input.neutral = neutral_fill(ui.theme);
  input.zoomed = view_.zoomed();
  input.width = std::max(1.0f, ImGui::GetContentRegionAvail().x);
  input.height = ImGui::GetWindowSize().y;
  input.scroll_y = ImGui::GetScrollY();
  input.row_height = std::round(ui.px(kFlameRowPx));
  layout_flames(input, list_);
  ImGui::InvisibleButton("frames", {input.width, std::max(list_.content_height, input.height - ui.px(2))});
  const bool is_hovered = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetMousePos();
  const FlameRect* under = is_hovered ? flame_at(list_, mouse.x - at.x, mouse.y - at.y) : nullptr;
  for (const FlameRect& rect : list_.rects) paint(ui, rect, at);
  if (!list_.rects.empty()) {
    // For the tests: the widest frame below the root in view_.
    for (const FlameRect& rect : list_.rects)
      if (rect.node != 0 && !rect.is_around && rect.node != view_.zoomed()) {
        ui.observed.places["flame"] = {at.x + (rect.x0 + rect.x1) / 2, at.y + (rect.y0 + rect.y1) / 2};
        break;
      }
  }
  if (under != nullptr) {
    const FlameRect rect = *under;
    frame_tooltip(ui, rect);
    // A rectangle of several frames stands for what is around them.
    const std::uint32_t node = rect.folded > 1 ? tree.nodes[rect.node].parent : rect.node;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      view_.zoom_to(node);
    } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
      view_.choose(node);
    }
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) ui.requests.add(ask::OpenCallsMenu{});
    const float wheel = ImGui::GetIO().MouseWheel;
    if (ImGui::GetIO().KeyCtrl && wheel > 0) {
      // One frame nearer to the one under the mouse.
      std::uint32_t next = node;
      while (next != 0 && tree.nodes[next].parent != view_.zoomed()) next = tree.nodes[next].parent;
      if (next != 0) view_.zoom_to(next);
    } else if (ImGui::GetIO().KeyCtrl && wheel < 0) {
      view_.zoom_to(tree.nodes[view_.zoomed()].parent);
    }
  }
  ImGui::EndChild();
}

void CallPanel::paint(UiContext& ui, const FlameRect& rect, ImVec2 at) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float gap = rect.x1 - rect.x0 > 3 ? 1.0f : 0.0f;
  const ImVec2 a(at.x + rect.x0, at.y + rect.y0);
  const ImVec2 b(at.x + rect.x1 - gap, at.y + rect.y1 - 1);
  const bool is_pale = rect.is_dimmed || rect.is_around;
  const Rgba fill = is_pale           ? dimmed_fill(ui.theme, rect.fill)
                    : rect.folded > 1 ? receded_fill(ui.theme, rect.fill)
                                      : rect.fill;
  draw.AddRectFilled(a, b, to_imgui(fill));
  if (view_.chosen() == rect.node && rect.folded == 1)
    draw.AddRect(a, b, to_imgui(ui.theme.selection), 0, 0, ui.px(1.5f));
  if (!rect.has_label) return;
  const CallKey& key = view_.tree()->nodes[rect.node].key;
  const std::string made = key.kind == CallKind::kSlices ? std::string() : call_label(view_.names(), key);
  std::string_view whole = made.empty() ? view_.names().get(key.name) : std::string_view(made);
  const float room = b.x - a.x - 2 * ui.px(kLabelRoomPx);
  ImFont* font = ImGui::GetFont();
  const float size = ImGui::GetFontSize();
  bool fits = !fit_text(font, size, whole, room).elided;
  if (!fits && is_module_frame(whole)) {
    whole.remove_prefix(whole.find(' ') + 1);  // "nn.Module: " says least
    fits = true;
  }
  const float y = std::round(a.y + (rect.y1 - rect.y0 - 1 - size) * 0.5f);
  draw_text(draw, font, size, {a.x + ui.px(kLabelRoomPx), y}, to_imgui(is_pale ? ui.theme.muted : rect.text),
            fits ? whole : short_name(whole), room);
}

void CallPanel::frame_tooltip(UiContext& ui, const FlameRect& rect) {
  const CallTree& tree = *view_.tree();
  const CallNode& node = tree.nodes[rect.node];
  begin_tooltip(ui, 520);
  if (rect.folded > 1) {
    text(fmt::format("{} frames too narrow to be drawn alone", format_count(rect.folded)));
    muted_text(ui, "the widest: " + call_label(view_.names(), node.key).substr(0, 300) + ", " +
                       call_time(view_.options(), node.total));
  } else {
    text(call_label(view_.names(), node.key).substr(0, 600));
    muted_text(ui, node_facts(tree, view_.options(), node));
    if (rect.node != 0)
      muted_text(ui, fmt::format("{} of {}", share_text(node.total, tree.nodes[node.parent].total),
                                 call_label(view_.names(), tree.nodes[node.parent].key).substr(0, 200)));
  }
  end_tooltip();
}

void CallPanel::table(UiContext& ui) {
  const float footer_px = ImGui::GetTextLineHeightWithSpacing() + ui.px(4);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (!ImGui::BeginTable("calls", static_cast<int>(kCallColumns.size()), kDrawerTable & ~ImGuiTableFlags_Sortable,
                         {room.x, std::max(ui.px(30), room.y - footer_px)})) {
    return;
  }
  table_headers(ui, "calls", kCallColumns);
  for_each_row_in_view(view_.rows().size(), [&](std::size_t i) { table_row(ui, i); });
  ImGui::EndTable();
}

void CallPanel::table_row(UiContext& ui, std::size_t index) {
  if (index >= view_.rows().size()) return;  // a row before it was just closed
  const CallTree& tree = *view_.tree();
  const CallView::Row row = view_.rows()[index];
  const CallNode& node = tree.nodes[row.node];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const float left = ImGui::GetCursorPosX();
  const float indent = std::min(static_cast<float>(row.depth) * ui.px(12), ImGui::GetContentRegionAvail().x * 0.6f);
  const ImVec2 arrow(ImGui::GetCursorScreenPos().x + indent, ImGui::GetCursorScreenPos().y);
  const bool can_open = node.child_count > 0 && row.node != view_.zoomed();
  if (ImGui::Selectable("##frame", view_.chosen() == row.node,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    const float x = ImGui::GetMousePos().x;
    if (can_open && x >= arrow.x - ui.px(3) && x < arrow.x + ui.px(14)) {
      view_.toggle(row.node);
    } else {
      view_.choose(row.node);
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view_.zoom_to(row.node);
    }
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
    view_.choose(row.node);
    ui.requests.add(ask::OpenCallsMenu{});
  }
  if (can_open) {
    // Rows may just have changed: what is drawn here is still the row of before.
    const float line = ImGui::GetTextLineHeight();
    const float r = ui.px(3.5f);
    const ImVec2 centre(arrow.x + ui.px(5), arrow.y + line * 0.5f);
    const ImU32 colour = to_imgui(ui.theme.muted);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    if (view_.is_open(row.node)) {
      draw.AddTriangleFilled({centre.x - r, centre.y - r * 0.6f}, {centre.x + r, centre.y - r * 0.6f},
                             {centre.x, centre.y + r}, colour);
    } else {
      draw.AddTriangleFilled({centre.x - r * 0.6f, centre.y - r}, {centre.x + r, centre.y},
                             {centre.x - r * 0.6f, centre.y + r}, colour);
    }
    if (index == 1) ui.observed.places["calls_toggle"] = {centre.x, centre.y};
  }
  if (index == 1) note_place(ui, "calls_second_row");
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(left + indent + ui.px(14));
  colour_swatch(ui, frame_colour(ui, view_, node.key));
  ImGui::SameLine(0, ui.px(6));
  const bool is_dimmed = view_.matches() != nullptr && (*view_.matches())[row.node] == 0;
  const std::string label = call_label(view_.names(), node.key);
  is_dimmed ? fitted_text(ui, label, 0, true) : fitted_name(ui, label);
  const auto number = [&](std::size_t column, const std::string& shown, const std::string& exact, bool muted = false) {
    if (ImGui::TableNextColumn()) explained_number(ui, "calls", kCallColumns[column], shown, exact, muted);
  };
  const std::string share = share_text(node.total, tree.root().total);
  number(1, call_time(view_.options(), node.total), format_duration_exact(node.total));
  number(2, share, share);
  number(3, call_time(view_.options(), node.self), format_duration_exact(node.self), node.self == 0);
  number(4, format_count(node.count), format_count(node.count));
}

void CallPanel::footer(UiContext& ui) {
  const CallTree& tree = *view_.tree();
  if (view_.zoomed() != 0) {
    if (link(ui, "Zoom out")) view_.zoom_to(tree.nodes[view_.zoomed()].parent);
    tooltip(with_key(ui, "To the frame around it", "calls_zoom_out"));
    note_place(ui, "calls_zoom_out");
    ImGui::SameLine(0, ui.px(6));
  }
  if (view_.chosen() && *view_.chosen() < tree.nodes.size()) {
    const std::uint32_t node = *view_.chosen();
    colour_swatch(ui, frame_colour(ui, view_, tree.nodes[node].key));
    ImGui::SameLine(0, ui.px(6));
    fitted_name(ui, call_label(view_.names(), tree.nodes[node].key), ImGui::GetContentRegionAvail().x * 0.38f);
    ImGui::SameLine(0, ui.px(8));
    muted_text(ui, node_facts(tree, view_.options(), tree.nodes[node]));
    actions(ui, node);
    return;
  }
  const MetricChoice& choice = choice_of(view_.options().metric);
  std::string whole = fmt::format("{} {}", call_time(view_.options(), tree.root().total), choice.whole);
  if (view_.matches() != nullptr)
    whole = fmt::format("{} found: {} ({}) of ", counted(view_.match_count(), "frame"),
                        call_time(view_.options(), view_.matched()), share_text(view_.matched(), tree.root().total)) +
            whole;
  text(whole);
  tooltip(column_definition("calls", "Total"));
  if (view_.frames_left_out() == 0) return;
  ImGui::SameLine(0, ui.px(12));
  coloured_text(ui.theme.warning,
                fmt::format("{} with less time are not here", counted(view_.frames_left_out(), "frame")));
  tooltip("The frames with the most time are. The others come with the whole trace, or where a range is chosen.");
  note_place(ui, "calls_left_out");
}

void CallPanel::actions(UiContext& ui, std::uint32_t index) {
  const std::optional<ReportPlace> longest = view_.longest(index, ui.workspace().document());
  if (!longest) return;
  ImGui::SameLine(0, ui.px(6));
  if (link(ui, "Longest")) ui.workspace().go_to(*longest);
  note_place(ui, "calls_longest");
  tooltip("Shows the longest of them on the timeline.");
  if (!view_.has_all_slices(ui.workspace().document())) return;
  ImGui::SameLine(0, ui.px(2));
  if (link(ui, "Step through")) {
    ui.workspace().highlight_calls(view_.options(), view_.shared_tree(), index);
    ui.workspace().step_occurrence(1);
  }
  note_place(ui, "calls_places");
  tooltip(with_key(ui, "Highlights all of them on the timeline; on to the next", "next_occurrence"));
}

void CallPanel::menu(UiContext& ui) {
  if (ui.requests.take<ask::OpenCallsMenu>()) ImGui::OpenPopup(kFrameMenu);
  if (!ImGui::BeginPopup(kFrameMenu)) return;
  if (!view_.chosen() || *view_.chosen() >= view_.tree()->nodes.size()) {
    ImGui::EndPopup();
    return;
  }
  const std::uint32_t index = *view_.chosen();
  const CallNode& node = view_.tree()->nodes[index];
  if (ImGui::MenuItem("Zoom to it")) view_.zoom_to(index);
  const std::optional<ReportPlace> longest = view_.longest(index, ui.workspace().document());
  if (ImGui::MenuItem("Show the longest on the timeline", nullptr, false, longest.has_value()))
    ui.workspace().go_to(*longest);
  const bool has_places = longest && view_.has_all_slices(ui.workspace().document());
  if (ImGui::MenuItem("Step through all of them", nullptr, false, has_places)) {
    ui.workspace().highlight_calls(view_.options(), view_.shared_tree(), index);
    ui.workspace().step_occurrence(1);
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Search this name")) view_.filter = call_label(view_.names(), node.key);
  if (ImGui::MenuItem("Copy name")) ui.requests.add(ask::Copy{call_label(view_.names(), node.key)});
  if (ImGui::MenuItem("Copy stack")) {
    std::string stack;
    for (const CallKey& key : view_.tree()->path_to(index)) stack += call_label(view_.names(), key) + "\n";
    ui.requests.add(ask::Copy{stack});
  }
  ImGui::EndPopup();
}

}  // namespace lacuna
