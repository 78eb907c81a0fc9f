#include "app/gui/panels/statistics/statistics_panel.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "app/gui/panels/statistics/table_rows.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

struct Column {
  const char* title;
  StatisticsColumn sort;
  const char* sample;  ///< as wide as the contents get; empty = a column of text
  float text_px = 0;
};

constexpr std::array kColumns = {
    Column{"Name", StatisticsColumn::kName, ""},
    Column{"Category", StatisticsColumn::kCategory, "", 86},
    Column{"Count", StatisticsColumn::kCount, "1,234,567"},
    Column{"Total", StatisticsColumn::kTotal, "123.4 ms"},
    Column{"Self", StatisticsColumn::kSelf, "123.4 ms"},
    Column{"Avg", StatisticsColumn::kAverage, "123.4 ms"},
    Column{"Min", StatisticsColumn::kMin, "123.4 ms"},
    Column{"P50", StatisticsColumn::kP50, "123.4 ms"},
    Column{"P99", StatisticsColumn::kP99, "123.4 ms"},
    Column{"Max", StatisticsColumn::kMax, "123.4 ms"},
    Column{"Share", StatisticsColumn::kShare, "100.0 %"},
};

constexpr float kShareBarPx = 32;

const std::vector<TableColumn>& looks() {
  static const std::vector<TableColumn> columns = [] {
    std::vector<TableColumn> result;
    for (const Column& c : kColumns) {
      TableColumn& look = result.emplace_back();
      look.title = c.title;
      look.sample = c.sample;
      look.text_px = c.text_px;
      if (c.sort == StatisticsColumn::kShare) look.bar_px = kShareBarPx;
      // Not by total: frames that only wrap others would come first.
      look.sorted_at_first = c.sort == StatisticsColumn::kSelf;
    }
    return result;
  }();
  return columns;
}

/// The value of one column: as shown, and with every digit.
struct Value {
  std::string shown;
  std::string exact;
  std::string raw;  ///< for CSV
};

Value value_of(const Trace& trace, const Statistics& statistics, const StatisticsRow& row, StatisticsColumn column) {
  const auto time = [](Nanos t) { return Value{format_duration(t), format_duration_exact(t), std::to_string(t)}; };
  const auto sum = [&](Nanos t) {
    Value value = time(t);
    if (!is_sampled(trace, row.category)) return value;
    return Value{marked_as_estimate(value.shown), marked_as_estimate(value.exact) + ", an estimate from samples",
                 value.raw};
  };
  switch (column) {
    case StatisticsColumn::kName:
      return {std::string(trace.text(row.name)), {}, {}};
    case StatisticsColumn::kCategory:
      return {std::string(trace.category_name(row.category)), {}, {}};
    case StatisticsColumn::kCount: {
      const std::string count = format_count(row.count);
      return {count, count, std::to_string(row.count)};
    }
    case StatisticsColumn::kTotal:
      return sum(row.total);
    case StatisticsColumn::kSelf:
      return sum(row.self);
    case StatisticsColumn::kAverage:
      return time(row.average());
    case StatisticsColumn::kMin:
      return time(row.min);
    case StatisticsColumn::kP50:
    case StatisticsColumn::kP99: {
      const Nanos value = column == StatisticsColumn::kP50 ? row.p50 : row.p99;
      // Blank, never those of other slices than the columns beside them count.
      return value < 0 ? Value{"", "not computed of what the other columns show", ""} : time(value);
    }
    case StatisticsColumn::kMax:
      return time(row.max);
    case StatisticsColumn::kShare:
      break;
  }
  const double share = statistics.share(trace, row);
  return {share > 0 ? format_percent(share) : "\xE2\x80\x93", fmt::format("{:.4f} %", share * 100),
          fmt::format("{:.4f}", share * 100)};
}

/// A bar in the part of the cell that its number leaves free.
void share_bar(const UiContext& ui, double share, Rgba colour) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - number_column_px(ui, "", kColumns.back().sample);
  const float height = ImGui::GetTextLineHeight();
  if (share * width < 2) return;
  const auto part = static_cast<float>(std::clamp(share, 0.0, 1.0));
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 1}, {at.x + width * part, at.y + height - 1},
                                            to_imgui(with_alpha(colour, 0.35f)), ui.px(2));
}

CopiedTable copied_statistics(const Trace& trace, const Statistics& statistics, std::span<const std::uint32_t> rows,
                              CopyFormat format) {
  const bool is_csv = format == CopyFormat::kCsv;
  CopiedTable copied;
  for (const Column& c : kColumns) {
    const bool is_time = c.sort >= StatisticsColumn::kTotal && c.sort <= StatisticsColumn::kMax;
    copied.titles.push_back(is_csv && is_time                              ? fmt::format("{} (ns)", c.title)
                            : is_csv && c.sort == StatisticsColumn::kShare ? "Share (%)"
                                                                           : c.title);
    copied.is_number.push_back(*c.sample != 0);
  }
  for (const std::uint32_t index : rows) {
    std::vector<std::string>& cells = copied.rows.emplace_back();
    for (const Column& c : kColumns) {
      Value value = value_of(trace, statistics, statistics.rows[index], c.sort);
      cells.push_back(is_csv && !value.raw.empty() ? std::move(value.raw) : std::move(value.shown));
    }
  }
  return copied;
}

void side_choice(UiContext& ui, StatisticsSide& side) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  if (segment(ui, "All", side == StatisticsSide::kAll)) side = StatisticsSide::kAll;
  ImGui::SameLine();
  if (segment(ui, "CPU", side == StatisticsSide::kCpu)) side = StatisticsSide::kCpu;
  ImGui::SameLine();
  if (segment(ui, "GPU", side == StatisticsSide::kGpu)) side = StatisticsSide::kGpu;
  ImGui::PopStyleVar();
}

}  // namespace

namespace {

/// "of 2 tracks", with their names in a tooltip and a link that counts all again.
void counted_text(UiContext& ui, std::size_t count, std::string_view what) {
  Workspace& workspace = ui.workspace();
  ImGui::SameLine(0, ui.px(10));
  coloured_text(ui.theme.accent, "of " + counted(count, what));
  if (ImGui::IsItemHovered()) {
    begin_tooltip(ui, 520);
    for (const TrackId id : workspace.counted_tracks())
      text(track_text(workspace.trace(), workspace.trace().track(id)));
    end_tooltip();
  }
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "All tracks")) workspace.count_all_tracks();
}

}  // namespace

void scope_text(UiContext& ui, ScopeOf what) {
  Workspace& workspace = ui.workspace();
  if (workspace.area()) {
    std::string scope = fmt::format("in {} selected", format_duration(workspace.area()->duration()));
    if (const auto chosen = workspace.selected_steps()) {
      const std::int64_t first = workspace.steps()[chosen->first].number;
      const std::int64_t last = workspace.steps()[chosen->last].number;
      scope = first == last ? fmt::format("in step {}", first) : fmt::format("in steps {} to {}", first, last);
    }
    coloured_text(ui.theme.accent, scope);
    ImGui::SameLine(0, ui.px(4));
    if (link(ui, "Whole trace")) workspace.set_area(std::nullopt);
  } else if (what == ScopeOf::kStreams && workspace.has_measured_time()) {
    const bool whole = workspace.gaps_of_whole_trace;
    muted_text(ui, whole ? "in the whole trace" : "in the measured time");
    tooltip(
        "The measured time is what the report speaks of: the steps with all GPU work that they launched, without "
        "warm-up; without steps, the whole program.");
    // The list has no room for more than the way back.
    if (!whole || ui.state.gaps_view != GapsView::kList) {
      ImGui::SameLine(0, ui.px(4));
      if (link(ui, whole ? "Measured time" : "Whole trace")) workspace.gaps_of_whole_trace = !whole;
      note_place(ui, "gaps_scope");
    }
  } else {
    muted_text(ui, workspace.document()->is_answerable() ? "in the whole trace"
                   : ui.live.has_recording()             ? "so far"
                                                         : "in the part read so far");
  }
  const bool is_torch = ui.state.torch_table && ui.state.page == DrawerPage::kStatistics;
  if (!workspace.counted_tracks().empty() && !is_torch) {
    if (what == ScopeOf::kTracks) counted_text(ui, workspace.counted_tracks().size(), "track");
    if (what == ScopeOf::kStreams) {
      // A range on CPU threads alone is a range of time for the GPUs.
      const std::size_t streams = workspace.gap_filter().streams.size();
      if (streams > 0) {
        counted_text(ui, streams, "stream");
      } else {
        ImGui::SameLine(0, ui.px(8));
        muted_text(ui, "of all GPU streams");
        tooltip("None of the selected tracks is a GPU stream, so the gaps of all of them are shown.");
      }
    }
  }
  if (workspace.is_analyzing() || workspace.causes().is_computing()) {
    ImGui::SameLine();
    if (!workspace.is_answered() && !ui.state.why_no_answer.empty()) {
      coloured_text(ui.theme.warning, "older numbers");
      tooltip(ui.state.why_no_answer);
    } else {
      muted_text(ui, "computing\xE2\x80\xA6");
    }
  }
}

void StatisticsPanel::forget() {
  groups_.reset();
  grouped_ahead_.reset();
}

void StatisticsPanel::draw(UiContext& ui) {
  if (ui.state.torch_table) {
    ui.state.asked_page = {ui.workspace().torch().options, ui.workspace().area().value_or(TimeSpan::everything())};
    ui.workspace().ask_torch();
  }
  if (ahead_.is_done() && !shows_groups_ && grouped_ahead_ != ui.workspace().document()) {
    grouped_ahead_ = ui.workspace().document();
    groups_.ask(grouped_ahead_, TimeSpan::everything(), {});
  }
  ui.workspace().ask_percentiles();
  ui.workspace().update_table();
  toolbar(ui);
  if (ui.state.torch_table) {
    torch_table(ui);
  } else if (shows_groups_) {
    group_table(ui);
  } else {
    table(ui);
  }
}

void StatisticsPanel::toolbar(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  UiState& state = ui.state;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  if (segment(ui, "Slices", !state.torch_table && !shows_groups_)) state.torch_table = shows_groups_ = false;
  note_place(ui, "table_slices");
  tooltip("Every slice of the trace by name and category.");
  ImGui::SameLine();
  if (segment(ui, "Groups", !state.torch_table && shows_groups_)) {
    state.torch_table = false;
    shows_groups_ = true;
  }
  note_place(ui, "table_groups");
  tooltip(
      "By shapes, module, stack, step and more, with percentiles, launch delay, occupancy, bytes "
      "and FLOPs.");
  ImGui::SameLine();
  if (segment(ui, "torch.profiler", state.torch_table)) state.torch_table = true;
  note_place(ui, "table_torch");
  tooltip("What key_averages().table() of torch.profiler prints, computed from the trace.");
  ImGui::PopStyleVar();
  ImGui::SameLine(0, ui.px(10));
  if (ui.requests.take<ask::FocusFilter>()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ui.px(130));
  const bool is_groups = !state.torch_table && shows_groups_;
  std::string& filter = state.torch_table ? workspace.torch().filter
                        : is_groups       ? groups_.filter
                                          : workspace.table().filter;
  const char* id = state.torch_table ? "##torch_filter" : is_groups ? "##group_filter" : "##filter";
  text_input(id, "Filter", filter);
  ui.observed.filter_focused = ImGui::IsItemActive();
  tooltip("Rows whose name or category contains every word.");
  ImGui::SameLine();
  side_choice(ui, state.torch_table ? workspace.torch().side : is_groups ? groups_.side : workspace.table().side);
  if (!state.torch_table && !is_groups) {
    StatisticsView& view = workspace.table();
    ImGui::SameLine(0, ui.px(6));
    if (segment(ui, "Work only", view.only_work)) view.only_work = !view.only_work;
    note_place(ui, "only_work");
    tooltip(fmt::format(
        "Leaves out annotations, steps and Python frames that only wait: {}. A filter finds them all the same.",
        view.only_work && view.filter.empty() ? counted(view.left_out(), "row") : "none now"));
  }
  if (state.torch_table) torch_options(ui);
  if (is_groups) group_choice(ui);
  right_side(ui);
}

void StatisticsPanel::right_side(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const bool is_torch = ui.state.torch_table;
  const Occurrences& found = workspace.occurrences();
  std::string position;
  float width = ImGui::CalcTextSize("Copy").x + 2 * ImGui::GetStyle().FramePadding.x;
  if (!found.empty()) {
    position = found.current() ? fmt::format("{} / {}", format_count(*found.current() + 1), format_count(found.size()))
                               : counted(found.size(), "slice");
    width += 2 * ImGui::GetFrameHeight() + 3 * ui.px(4) + ImGui::CalcTextSize(position.c_str()).x + ui.px(12);
  }
  ImGui::SameLine(0, ui.px(12));
  const float left = ImGui::GetCursorPosX();
  const float right = left + ImGui::GetContentRegionAvail().x - width;
  ImGui::AlignTextToFramePadding();
  if (!is_torch) {
    // As much of it as there is room for.
    const std::string rows = counted(shows_groups_ ? groups_.rows().size() : workspace.table().rows().size(), "row");
    const std::string slices = rows + ", " + counted(workspace.table().events(), "slice");
    const float scope_px = ui.px(workspace.area() ? 190 : 120);
    const float room = right - left - scope_px - ui.px(30);
    if (room > ImGui::CalcTextSize(rows.c_str()).x) {
      const bool has_room = !shows_groups_ && room > ImGui::CalcTextSize(slices.c_str()).x;
      muted_text(ui, has_room ? slices : rows);
      const std::string_view help = column_definition("bars", "Rows and slices");
      tooltip(shows_groups_ ? std::string(help) : slices + "\n" + std::string(help));
      ImGui::SameLine(0, ui.px(12));
    }
    if (right - ImGui::GetCursorPosX() > scope_px - ui.px(40)) scope_text(ui, ScopeOf::kTracks);
    ImGui::SameLine(0, ui.px(12));
  }
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right));
  if (!found.empty()) {
    if (ImGui::ArrowButton("previous", ImGuiDir_Left)) workspace.step_occurrence(-1);
    tooltip(with_key(ui, "Previous slice of this name", "previous_occurrence"));
    ImGui::SameLine(0, ui.px(4));
    text(position);
    ImGui::SameLine(0, ui.px(4));
    if (ImGui::ArrowButton("next", ImGuiDir_Right)) workspace.step_occurrence(1);
    tooltip(with_key(ui, "Next slice of this name", "next_occurrence"));
    ImGui::SameLine(0, ui.px(12));
  }
  if (const auto format = copy_button(ui, is_torch ? "torch.profiler's table" : "Statistics")) {
    is_torch ? copy_torch(ui, *format) : shows_groups_ ? copy_groups(ui, *format) : copy(ui, *format);
  }
}

void StatisticsPanel::copy(UiContext& ui, CopyFormat format) {
  const StatisticsView& view = ui.workspace().table();
  const CopiedTable copied = copied_statistics(ui.workspace().trace(), view.sorted(), view.rows(), format);
  ui.requests.add(ask::Copy{format == CopyFormat::kCsv ? copied.csv() : copied.text()});
}

void StatisticsPanel::table(UiContext& ui) {
  StatisticsView& view = ui.workspace().table();
  const bool is_answered = !ui.workspace().document()->is_thinned || ui.workspace().document()->answers->has_statistics;
  if (view.rows().empty() && (!is_answered || !ui.workspace().is_analyzing()))
    return no_rows(ui, view.filter, view.side, "name or category");
  if (const DocumentPtr& document = ui.workspace().document(); document->is_thinned)
    rows_left_out(ui, view.sorted().rows.size(), document->answers->rows_left_out, "name");
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float least = least_table_px(ui, "statistics", looks());
  const bool scrolls = least > room.x;
  if (!ImGui::BeginTable("statistics", static_cast<int>(kColumns.size()),
                         kDrawerTable | ImGuiTableFlags_Hideable | ImGuiTableFlags_SizingFixedFit |
                             (scrolls ? ImGuiTableFlags_ScrollX : ImGuiTableFlags_None),
                         room, scrolls ? least : 0)) {
    return;
  }
  table_headers(ui, "statistics", looks());
  int column = 0;
  if (table_order_changed(column, view.descending) && column >= 0) {
    view.column = kColumns[static_cast<std::size_t>(column)].sort;
    ui.workspace().update_table();
  }
  for_each_row_in_view(view.rows().size(), [&](std::size_t i) { row(ui, view.rows()[i]); });
  ImGui::EndTable();
}

void StatisticsPanel::row(UiContext& ui, std::uint32_t index) {
  Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  const Statistics& statistics = workspace.table().sorted();
  const StatisticsRow& row = statistics.rows[index];
  const CategoryClass meaning = trace.category_class(row.category);
  const Rgba colour = ui.palette.slice(trace.text(row.name), meaning);
  const Occurrences& found = workspace.occurrences();
  const bool is_chosen = found.name().valid() && found.name() == row.name && found.category() == row.category;

  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_pressed = ImGui::Selectable("##row", is_chosen, kRowFlags);
  if (index == workspace.table().rows().front()) note_place(ui, "first_row");
  const RowMenu menu{trace.text(row.name), trace.category_name(row.category), is_chosen, [&] {
                       return copied_statistics(trace, statistics, {&index, 1}, CopyFormat::kText).text();
                     }};
  act_on_row(ui, is_pressed, row_menu(ui, menu, workspace.table().filter), is_chosen, [&] {
    drop_other_selection(ui, row.name, row.category);
    workspace.highlight(row.name, row.category);
  });
  ImGui::SameLine(0, 0);
  colour_swatch(ui, colour);
  ImGui::SameLine(0, ui.px(6));
  fitted_kernel_name(ui, trace.text(row.name), meaning);
  if (ImGui::TableNextColumn()) fitted_text(ui, trace.category_name(row.category), 0, true);
  for (std::size_t c = 2; c < kColumns.size(); ++c) {
    if (!ImGui::TableNextColumn()) continue;
    const Value value = value_of(trace, statistics, row, kColumns[c].sort);
    const bool is_share = kColumns[c].sort == StatisticsColumn::kShare;
    const double share = is_share ? statistics.share(trace, row) : 1;
    if (is_share) share_bar(ui, share, colour);
    explained_number(ui, "statistics", looks()[c], value.shown, value.exact, share <= 0);
  }
}

}  // namespace lacuna
