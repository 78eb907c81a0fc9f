#include "app/gui/panels/query/query_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kEditorPart = 0.4f;
constexpr float kLeastEditorPx = 400;
constexpr std::size_t kMostQueryColumns = 60;
constexpr std::size_t kMostMenuCharacters = 90;

struct Editing {
  const Trace* trace = nullptr;
  std::size_t* cursor = nullptr;
  bool is_active = false;  ///< ImGui asks only while the cursor is in the field
};

/// Tells where the cursor is; Tab puts the best word in.
int on_edit(ImGuiInputTextCallbackData* data) {
  auto& editing = *static_cast<Editing*>(data->UserData);
  editing.is_active = true;
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    const Completion found = complete_query({data->Buf, static_cast<std::size_t>(data->BufTextLen)},
                                            static_cast<std::size_t>(data->CursorPos), editing.trace);
    if (found.words.empty()) {
      data->InsertChars(data->CursorPos, "  ");
    } else {
      data->DeleteChars(static_cast<int>(found.begin), static_cast<int>(found.end - found.begin));
      data->InsertChars(static_cast<int>(found.begin), found.words.front().c_str());
    }
  }
  *editing.cursor = static_cast<std::size_t>(data->CursorPos);
  return 0;
}

/// Where somebody begins who knows the tables not yet. The first line of each is what the menu shows.
std::vector<std::string>& query_examples() {
  static std::vector<std::string> examples{
      "-- GPU time by kernel\nSELECT name, COUNT(*) AS calls, SUM(dur) AS total, AVG(dur) AS average\nFROM slice\n"
      "WHERE category = 'kernel'\nGROUP BY name\nORDER BY total DESC",
      "-- idle GPU time by cause\nSELECT cause, COUNT(*) AS gaps, SUM(dur) AS idle\nFROM gap\nGROUP BY cause\n"
      "ORDER BY idle DESC",
      "-- the longest gaps, and what is to blame\nSELECT ts, dur, cause, blamed, blamed_id AS slice_id\nFROM gap\n"
      "ORDER BY dur DESC\nLIMIT 100",
      "-- kernels and the operators that launched them\nSELECT k.id, k.ts, k.dur, k.name, k.operator\n"
      "FROM gpu_kernel k\nORDER BY k.dur DESC\nLIMIT 1000",
      "-- how long launches waited for the GPU\nSELECT ts, delay, gpu_id\nFROM launch\nORDER BY ts",
      "-- args of the longest kernels\nSELECT s.name, s.dur, a.key, a.display_value\n"
      "FROM (SELECT * FROM slice WHERE category = 'kernel' ORDER BY dur DESC LIMIT 20) s\nJOIN args a USING "
      "(arg_set_id)",
      "-- time of each step\nSELECT * FROM step"};
  return examples;
}

/// What the window cannot draw is replaced by what stands for it; long texts are cut by the cell.
std::string shown_cell(const Cell& cell) {
  // Of reals as many digits as their column shows; copies have all.
  std::string text = cell.kind == Cell::Kind::kNull   ? "NULL"
                     : cell.kind == Cell::Kind::kReal ? fmt::format("{:.9g}", cell.real)
                                                      : cell_text(cell);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

void QueryPage::draw(UiContext& ui) {
  view_.prepare(ui.workspace().document());
  const ImVec2 room = ImGui::GetContentRegionAvail();
  // Not narrower than its row of buttons.
  const float least = std::min(ui.px(kLeastEditorPx), room.x * 0.6f);
  begin_child("sql_left", {std::round(std::max(least, room.x * kEditorPart)), room.y});
  tools(ui);
  const float foot = ImGui::GetTextLineHeightWithSpacing() * 2 + ui.px(2);
  editor(ui, std::max(ui.px(40), ImGui::GetContentRegionAvail().y - foot));
  hints(ui);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(10));
  begin_child("sql_right", {0, room.y});
  if (const DocumentPtr& document = ui.workspace().document(); document->is_thinned && view_.asked() != nullptr) {
    ui.state.asked_page = *view_.asked();
    view_.take_remote(*document);
  }
  const QueryView::Answer* answer = view_.answer();
  if (view_.is_computing()) {
    ui.state.redraw_in_s = 0.1;
    view_.asked() != nullptr ? asked_text(ui, "The other machine runs the query\xE2\x80\xA6")
                             : muted_text(ui, "running\xE2\x80\xA6");
  }
  if (answer == nullptr) {
    if (!view_.is_computing()) {
      ImGui::PushTextWrapPos(0);
      muted_text(
          ui,
          "Rows come here. Tables: slice, thread, process, track, args, counter and flow, as in Perfetto; gap, "
          "launch, operator, step, stream and gpu_kernel. Times are ns. Rows with ts, or with ts and dur, can be "
          "put on the timeline; Examples has some to begin with.");
      ImGui::PopTextWrapPos();
    }
  } else if (!answer->error.empty()) {
    error(ui, *answer);
  } else if (answer->rows.names().empty()) {
    muted_text(ui, "Done: the query gives no rows.");
  } else {
    rows(ui, *answer);
  }
  ImGui::EndChild();
}

void QueryPage::run(UiContext& ui) {
  if (view_.text.find_first_not_of(" \t\n") == std::string::npos) return;
  ui.settings.add_query(view_.text);
  view_.run(ui.workspace().document());
}

void QueryPage::tools(UiContext& ui) {
  const Document& document = *ui.workspace().document();
  const bool may_run = may_be_queried(document);
  ImGui::BeginDisabled(!may_run);
  if (ImGui::Button("Run")) run(ui);
  note_place(ui, "sql_run");
  ImGui::EndDisabled();
  tooltip(!may_run              ? "Queries wait until the trace is loaded."
          : document.is_thinned ? "Runs the text on the other machine (Ctrl+Enter)."
          : document.is_partial ? "Runs the text on what came so far (Ctrl+Enter)."
                                : "Runs the text (Ctrl+Enter).");
  ImGui::SameLine();
  ImGui::BeginDisabled(!view_.is_computing());
  if (ImGui::Button("Cancel")) view_.cancel();
  note_place(ui, "sql_cancel");
  ImGui::EndDisabled();
  ImGui::SameLine();
  text_menu(ui, "Examples", query_examples(), false);
  ImGui::SameLine();
  text_menu(ui, "History", ui.settings.queries, false);
  ImGui::SameLine();
  text_menu(ui, "Saved", ui.settings.saved_queries, true);
  if (std::vector<std::string> queries = document.found_queries; !queries.empty()) {
    ImGui::SameLine();
    text_menu(ui, "Of the finding", queries, false);
  }
  ImGui::SameLine();
  if (ImGui::Button("Save")) ui.settings.save_query(view_.text);
  note_place(ui, "sql_save");
  tooltip("Keeps the text under Saved.");
}

/// A button with a menu of texts, of which one goes into the editor.
void QueryPage::text_menu(UiContext& ui, const char* title, std::vector<std::string>& texts, bool can_forget) {
  ImGui::BeginDisabled(texts.empty());
  if (ImGui::Button(title)) ImGui::OpenPopup(title);
  note_place(ui, fmt::format("sql_{}", title).c_str());
  ImGui::EndDisabled();
  if (!ImGui::BeginPopup(title)) return;
  std::size_t forgotten = texts.size();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (can_forget) {
      if (link(ui, "forget")) forgotten = i;
      ImGui::SameLine(0, ui.px(8));
    }
    const std::string line = query_title(texts[i]);
    if (ImGui::Selectable("##text")) view_.text = texts[i];
    if (i == 0) note_place(ui, fmt::format("sql_{}_first", title).c_str());
    ImGui::SameLine(0, 0);
    text(line.size() > kMostMenuCharacters ? line.substr(0, kMostMenuCharacters) + "\xE2\x80\xA6" : line);
    ImGui::PopID();
  }
  if (forgotten < texts.size()) texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(forgotten));
  ImGui::EndPopup();
}

void QueryPage::editor(UiContext& ui, float height) {
  if (ui.requests.take<ask::FocusQuery>()) ImGui::SetKeyboardFocusHere();
  Editing editing{&ui.workspace().trace(), &cursor_, false};
  const std::string before = view_.text;
  push_font(ui.fonts.mono, ui.fonts.mono_px);
  const bool is_run = text_area("##sql", view_.text, {ImGui::GetContentRegionAvail().x, height},
                                ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion |
                                    ImGuiInputTextFlags_CallbackAlways,
                                on_edit, &editing);
  ImGui::PopFont();
  note_place(ui, "sql_editor");
  // ImGui takes everything typed back on Esc.
  if (is_editing_ && is_key_pressed(ImGuiKey_Escape, false)) view_.text = before;
  is_editing_ = editing.is_active;
  ui.observed.sql_editing = is_editing_;
  if (is_run) {
    run(ui);
    ui.requests.add(ask::FocusQuery{});
  }
}

/// What Tab would put in, and what else fits.
void QueryPage::hints(UiContext& ui) {
  const std::string& sql = view_.text;
  const std::string wanted = sql + '\0' + std::to_string(cursor_);
  if (wanted != completed_for_) {
    completed_for_ = wanted;
    completion_ = complete_query(sql, cursor_, &ui.workspace().trace());
  }
  if (!is_editing_ || completion_.words.empty()) {
    ImGui::PushTextWrapPos(0);
    muted_text(ui, "Ctrl+Enter runs, Tab completes; a click on a row shows it on the timeline.");
    ImGui::PopTextWrapPos();
    return;
  }
  coloured_text(ui.theme.accent, "Tab: " + completion_.words.front());
  std::string others;
  for (std::size_t i = 1; i < completion_.words.size(); ++i) others += "   " + completion_.words[i];
  ImGui::SameLine(0, 0);
  fitted_text(ui, others, ImGui::GetContentRegionAvail().x, true);
}

void QueryPage::error(UiContext& ui, const QueryView::Answer& answer) {
  if (answer.is_cancelled) return muted_text(ui, "Cancelled.");
  ImGui::PushTextWrapPos(0);
  if (!answer.error_offset) {
    coloured_text(ui.theme.warning, answer.error);
  } else {
    const auto offset = static_cast<std::size_t>(*answer.error_offset);
    coloured_text(ui.theme.warning, place_text(answer.sql, offset) + ": " + answer.error);
    const QueryExcerpt line = line_around(answer.sql, offset);
    mono_text(ui, line.text);
    mono_text(ui, std::string(line.characters_before, ' ') + "^");
  }
  ImGui::PopTextWrapPos();
}

/// What can be done with the rows, and how many there are.
void QueryPage::answer_tools(UiContext& ui, const QueryView::Answer& answer) {
  if (segment(ui, "Table", !view_.plot.is_shown)) view_.plot.is_shown = false;
  note_place(ui, "sql_table");
  ImGui::SameLine(0, 1);
  if (segment(ui, "Plot", view_.plot.is_shown)) view_.plot.is_shown = true;
  note_place(ui, "sql_plot");
  tooltip("Draws one column over another.");
  ImGui::SameLine();
  on_timeline(ui, answer);
  ImGui::SameLine();
  if (const auto format = copy_button(ui, "Rows of the query")) copy(ui, answer, *format);
  ImGui::SameLine();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetStyle().FramePadding.y);
  const bool is_less = answer.count > answer.rows.size();
  fitted_text(
      ui,
      fmt::format("{}{}{}, {}", is_less ? format_count(answer.rows.size()) + " of " : "", counted(answer.count, "row"),
                  answer.is_cut_short ? " and more" : "", format_duration(static_cast<Nanos>(answer.seconds * 1e9))),
      ImGui::GetContentRegionAvail().x, true);
}

void QueryPage::on_timeline(UiContext& ui, const QueryView::Answer& answer) {
  struct Way {
    const char* label;
    ResultTrack::Kind kind;
    const char* place;
    const char* what;
    const char* lacks;
  };
  constexpr Way kWays[] = {
      {"Track", ResultTrack::Kind::kSlices, "sql_as_track",
       "Puts the rows on the timeline as a track of their own (ts, dur, name). A comment at the start of the query (-- "
       "words) is its title.",
       "A track on the timeline needs the columns ts and dur, of ns."},
      {"Marks", ResultTrack::Kind::kMarks, "sql_as_marks", "Marks the times of the rows (ts, name) on the timeline.",
       "Marks on the timeline need a column ts, of ns."}};
  for (const Way& way : kWays) {
    const bool can_be = answer.rows.size() > 0 && can_be_track(answer.rows, way.kind);
    ImGui::BeginDisabled(!can_be);
    if (ImGui::Button(way.label)) {
      const std::string refusal = view_.show_as(way.kind);
      if (!refusal.empty()) ui.state.notice = std::string(way.label) + ": " + refusal;
    }
    note_place(ui, way.place);
    ImGui::EndDisabled();
    tooltip(way.what);
    if (!can_be && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", way.lacks);
    if (&way != &kWays[1]) ImGui::SameLine();
  }
  if (view_.shown().empty()) return;
  ImGui::SameLine();
  if (link(ui, "clear")) view_.remove_all();
  note_place(ui, "sql_clear");
  tooltip("Takes all results off the timeline.");
}

void QueryPage::rows(UiContext& ui, const QueryView::Answer& answer) {
  answer_tools(ui, answer);
  if (view_.plot.is_shown) return plot_.draw(ui, answer);
  const std::size_t count = std::min(answer.rows.names().size(), kMostQueryColumns);
  if (shown_ != view_.answer_count()) {
    shown_ = view_.answer_count();
    columns_.clear();
    for (std::size_t c = 0; c < count; ++c) {
      const bool is_number = answer.rows.kind(c) == Cell::Kind::kInteger || answer.rows.kind(c) == Cell::Kind::kReal;
      TableColumn& column = columns_.emplace_back();
      column.title = answer.rows.names()[c];
      if (is_number) column.sample = "123456789012";
      if (!is_number) column.text_px = count == 1 ? 600 : 240;
    }
  }
  // ImGui keeps widths and order by table: each answer has one of its own.
  if (!ImGui::BeginTable(
          fmt::format("sql rows {}", shown_).c_str(), static_cast<int>(count),
          kDrawerTable | ImGuiTableFlags_ScrollX | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_SortTristate,
          ImGui::GetContentRegionAvail()))
    return;
  table_headers(ui, "sql", columns_);
  int column = 0;
  bool descending = false;
  if (table_order_changed(column, descending)) view_.sort(column, descending);
  for_each_row_in_view(view_.order().size(), [&](std::size_t i) { row(ui, answer, view_.order()[i]); });
  ImGui::EndTable();
}

void QueryPage::row(UiContext& ui, const QueryView::Answer& answer, std::uint32_t index) {
  ImGui::TableNextRow();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!ImGui::TableNextColumn() && c > 0) continue;
    const Cell cell = answer.rows.cell(index, c);
    const std::string value = shown_cell(cell);
    if (c == 0) {
      const bool is_slice = index < answer.places.size() && answer.places[index].slice.valid();
      const bool is_chosen = is_slice && ui.workspace().selection().slice == answer.places[index].slice;
      if (ImGui::Selectable("##row", is_chosen, ImGuiSelectableFlags_SpanAllColumns))
        if (const auto place = view_.place_of(index)) ui.workspace().go_to(*place);
      if (index == view_.order().front()) note_place(ui, "first_sql_row");
      if (ImGui::BeginPopupContextItem("sql_row")) {
        if (ImGui::Selectable("Copy the row")) {
          std::string line;
          for (std::size_t i = 0; i < answer.rows.names().size(); ++i)
            line.append(i == 0 ? "" : "\t").append(cell_text(answer.rows.cell(index, i)));
          ui.requests.add(ask::Copy{line});
        }
        ImGui::EndPopup();
      }
      ImGui::SameLine(0, 0);
    }
    if (!columns_[c].sample.empty()) {
      number_cell(ui, value, cell.kind == Cell::Kind::kNull);
    } else {
      fitted_text(ui, value, 0, cell.kind == Cell::Kind::kNull);
    }
  }
}

void QueryPage::copy(UiContext& ui, const QueryView::Answer& answer, CopyFormat format) {
  CopiedTable copied;
  copied.titles = answer.rows.names();
  for (std::size_t c = 0; c < copied.titles.size(); ++c)
    copied.is_number.push_back(answer.rows.kind(c) == Cell::Kind::kInteger || answer.rows.kind(c) == Cell::Kind::kReal);
  for (const std::uint32_t index : view_.order()) {
    std::vector<std::string>& cells = copied.rows.emplace_back();
    for (std::size_t c = 0; c < copied.titles.size(); ++c) cells.push_back(cell_text(answer.rows.cell(index, c)));
  }
  ui.requests.add(ask::Copy{format == CopyFormat::kCsv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
