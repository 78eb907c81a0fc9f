#include "app/gui/panels/path/path_page.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/gui/panels/statistics/statistics_panel.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/base/stable_sort.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr double kLeastNamedShare = 0.001;  // of the path: a cause with less is one of the others

const TableColumn kPathTime{
    .title = "On the path", .sample = "1,234 ms", .unit = "ns", .only_descending = false, .sorted_at_first = true};
const TableColumn kPathShare{.title = "Share", .sample = "100.0 %", .unit = "%"};
const TableColumn kPathParts{.title = "Parts", .sample = "123,456"};
const TableColumn kPathBeside{.title = "Beside it", .sample = "1,234 ms", .unit = "ns"};
const TableColumn kPathSlack{.title = "Slack", .sample = "1,234 ms", .unit = "ns"};

constexpr std::array kPathOrders = {PathColumn::kName,  PathColumn::kCause, PathColumn::kLane,   PathColumn::kTime,
                                    PathColumn::kShare, PathColumn::kCount, PathColumn::kBeside, PathColumn::kSlack};
/// The columns, each sorted by the one of kPathOrders.
const std::array<TableColumn, kPathOrders.size()>& path_looks() {
  static const std::array<TableColumn, kPathOrders.size()> looks = {{{.title = "Name"},
                                                                     {.title = "Cause", .weight = 0.4F},
                                                                     {.title = "Lane", .weight = 0.5F},
                                                                     kPathTime,
                                                                     kPathShare,
                                                                     kPathParts,
                                                                     kPathBeside,
                                                                     kPathSlack}};
  return looks;
}

std::string part_of_wall(Nanos part, Nanos wall) {
  return wall <= 0 ? "\xE2\x80\x93" : format_percent(static_cast<double>(part) / static_cast<double>(wall));
}

Rgba row_colour(const UiContext& ui, const Trace& trace, const DescribedPath::Row& row) {
  const bool has_slices = !row.places.empty() && row.places.front().slice.valid();
  if (row.kind != PathKind::kSlice || !has_slices) return mix(ui.theme.hovered, ui.theme.muted, 0.3f);
  return ui.palette.slice(row.name, trace.category_class(row.category));
}

}  // namespace

void PathPage::draw(UiContext& ui) {
  const Workspace& workspace = ui.workspace();
  ui.state.asked_page = {AskedPath{}, workspace.area().value_or(TimeSpan::everything())};
  toolbar(ui);
  if (!workspace.document()->is_answerable()) {
    muted_text(ui, "The critical path is computed once the whole trace is loaded.");
    return;
  }
  const PathView::Answer* answer = view_.answer();
  if (answer == nullptr) {
    asked_text(ui, "Following the path back from the end\xE2\x80\xA6");
    return;
  }
  if (!answer->problem.empty()) return coloured_text(ui.theme.warning, answer->problem);
  const DescribedPath& path = *answer->table;
  if (path.parts == 0) {
    muted_text(ui, "Nothing was recorded on any thread or GPU stream here.");
    return;
  }
  if (shown_ != &path) {
    shown_ = &path;
    chosen_ = kNoIndex;
  }
  causes(ui, path);
  if (path.row_count > path.rows.size()) {
    coloured_text(ui.theme.warning, fmt::format("The first {} of {} are listed", format_count(path.rows.size()),
                                                counted(path.row_count, "row")));
  }
  table(ui, path);
}

void PathPage::toolbar(UiContext& ui) {
  if (segment(ui, "Draw on the timeline", view_.is_drawn)) view_.is_drawn = !view_.is_drawn;
  note_place(ui, "path_draw");
  const PathView::Answer* answer = view_.answer();
  const bool waits_to_be_drawn = answer != nullptr && answer->marks == nullptr;
  tooltip(
      waits_to_be_drawn
          ? fmt::format("A path of more than {} parts is drawn through the lanes once the whole trace is here; that "
                        "of a selected range may have fewer.",
                        format_count(kMostPathMarks))
          : with_key(ui, "Draws the path through the lanes and dims everything else", "critical_path"));
  ImGui::SameLine(0, ui.px(8));
  if (link(ui, "Flame graph")) {
    calls_.metric = CallMetric::kPath;
    ui.show_page(DrawerPage::kCalls);
  }
  note_place(ui, "path_flames");
  tooltip("Shows the time of the path as a flame graph, by what was around it.");
  ImGui::SameLine(0, ui.px(8));
  if (link(ui, "What if")) ui.show_page(DrawerPage::kWhatIf);
  tooltip("What the steps would take without some of this.");
  ImGui::SameLine(0, ui.px(12));
  const float left = ImGui::GetCursorPosX();
  const float right =
      left + ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize("Copy").x - 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::AlignTextToFramePadding();
  if (answer != nullptr) {
    text(fmt::format("{} in {}", format_duration(answer->table->wall), counted(answer->table->parts, "part")));
    tooltip(column_definition("path", "On the path"));
    ImGui::SameLine(0, ui.px(8));
  }
  if (right - ImGui::GetCursorPosX() > ui.px(190)) scope_text(ui, ScopeOf::kTime);
  if (view_.is_computing()) {
    ImGui::SameLine(0, ui.px(8));
    asked_text(ui, "computing\xE2\x80\xA6");
  }
  ImGui::SameLine(0, ui.px(8));
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right));
  const std::optional<CopyFormat> format = copy_button(ui, "Critical path");
  if (format && answer != nullptr) copy(ui, *answer->table, *format);
}

void PathPage::causes(UiContext& ui, const DescribedPath& path) {
  const std::array<Nanos, kPathCauseCount>& times = path.causes;
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < times.size(); ++c)
    if (times[c] > 0) order.push_back(c);
  sort_stably(order, std::ranges::greater{}, [&](std::size_t c) { return times[c]; });
  std::string words;
  Nanos rest = 0;  // causes that would each be "< 0.1 %"
  for (const std::size_t c : order) {
    if (!words.empty() && TimeUse::part(times[c], path.wall) < kLeastNamedShare) {
      rest += times[c];
      continue;
    }
    words += fmt::format("{}{} {}", words.empty() ? "" : ",  ", path_cause_name(static_cast<PathCause>(c)),
                         part_of_wall(times[c], path.wall));
  }
  if (rest > 0) words += fmt::format(",  others {}", part_of_wall(rest, path.wall));
  fitted_text(ui, words, ImGui::GetContentRegionAvail().x, true);
  note_place(ui, "path_causes");
}

void PathPage::table(UiContext& ui, const DescribedPath& path) {
  if (!ImGui::BeginTable("path", static_cast<int>(path_looks().size()), kDrawerTable | ImGuiTableFlags_Hideable,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  table_headers(ui, "path", path_looks());
  int column = 0;
  if (table_order_changed(column, view_.descending) && column >= 0) {
    view_.column = kPathOrders[static_cast<std::size_t>(column)];
    view_.sort();
  }
  for_each_row_in_view(view_.rows().size(), [&](std::size_t i) {
    row(ui, path, view_.rows()[i]);
    if (i == 0) note_place(ui, "path_first_row");
    if (i == 1) note_place(ui, "path_second_row");
  });
  ImGui::EndTable();
}

void PathPage::row(UiContext& ui, const DescribedPath& path, std::uint32_t index) {
  const Trace& trace = ui.workspace().trace();
  const DescribedPath::Row& row = path.rows[index];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable("##part", chosen_ == index, ImGuiSelectableFlags_SpanAllColumns)) {
    next_ = chosen_ == index ? next_ + 1 : 0;
    chosen_ = index;
    show(ui, row);
  }
  ImGui::SameLine(0, 0);
  colour_swatch(ui, row_colour(ui, trace, row));
  ImGui::SameLine(0, ui.px(6));
  const bool is_gpu = row.track.valid() && trace.track(row.track).kind == TrackKind::kGpuStream;
  fitted_kernel_name(ui, row.name, is_gpu ? CategoryClass::kKernel : CategoryClass::kOther);
  const bool is_on_path = row.time > 0;
  if (ImGui::TableNextColumn()) {
    fitted_text(ui, path_cause_name(row.cause), 0, !is_on_path);
    if (ImGui::IsItemHovered() && mouse_rests(ui)) tooltip(path_cause_definition(row.cause));
  }
  if (ImGui::TableNextColumn()) fitted_text(ui, row.lane, 0, true);
  const auto time = [&](const TableColumn& column, Nanos t) {
    if (ImGui::TableNextColumn())
      explained_number(ui, "path", column, t == 0 ? "\xE2\x80\x93" : format_duration(t), format_duration_exact(t),
                       t == 0);
  };
  time(kPathTime, row.time);
  const std::string share = is_on_path ? part_of_wall(row.time, path.wall) : "\xE2\x80\x93";
  if (ImGui::TableNextColumn()) explained_number(ui, "path", kPathShare, share, share, !is_on_path);
  const std::string parts = format_count(row.parts);
  const bool has_more = row.parts > 1 && row.places.size() < row.parts + 1;
  if (ImGui::TableNextColumn())
    explained_number(
        ui, "path", kPathParts, parts,
        has_more ? fmt::format("{}; clicks lead to the longest and the first {}", parts, row.places.size() - 1) : parts,
        !is_on_path);
  time(kPathBeside, row.beside);
  if (ImGui::TableNextColumn()) {
    const std::string slack = row.slack ? format_duration(*row.slack) : std::string("\xE2\x80\x93");
    explained_number(ui, "path", kPathSlack, slack, row.slack ? format_duration_exact(*row.slack) : "not known",
                     !row.slack);
  }
}

void PathPage::show(UiContext& ui, const DescribedPath::Row& row) {
  Workspace& workspace = ui.workspace();
  if (row.places.empty()) return;
  // The longest first, then in the order of time.
  const std::size_t others = row.places.size() - 1;
  const PathPlace& place = row.places[next_ == 0 || others == 0 ? 0 : 1 + (next_ - 1) % others];
  const bool is_here = place.slice.index != kNoIndex;
  if (row.parts == 0) return workspace.go_to(ReportPlace{place.slice_span, place.slice});
  if (place.slice.valid() && is_here) workspace.select(place.slice);
  if (place.slice.valid() && !is_here) workspace.go_to(ReportPlace{place.slice_span, place.slice});
  workspace.view().bring_into_view(place.span);
  if (place.slice.valid() && is_here)
    workspace.view().reveal(place.slice);
  else if (place.track.valid())
    workspace.view().reveal(place.track);
}

void PathPage::copy(UiContext& ui, const DescribedPath& path, CopyFormat format) {
  const bool is_csv = format == CopyFormat::kCsv;
  const auto time = [&](Nanos t) { return is_csv ? std::to_string(t) : format_duration(t); };
  CopiedTable copied = copied_columns(path_looks(), format);
  for (const std::uint32_t index : view_.rows()) {
    const DescribedPath::Row& row = path.rows[index];
    copied.rows.push_back(
        {row.name, std::string(path_cause_name(row.cause)), row.lane, time(row.time),
         is_csv ? fmt::format(
                      "{}", path.wall == 0 ? 0 : 100.0 * static_cast<double>(row.time) / static_cast<double>(path.wall))
                : part_of_wall(row.time, path.wall),
         std::to_string(row.parts), time(row.beside), row.slack ? time(*row.slack) : std::string()});
  }
  ui.requests.add(ask::Copy{is_csv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
