#include "app/gui/panels/report/report_page.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/gui/application/idle_figures.h"
#include "app/gui/core/files.h"
#include "app/gui/panels/report/card_grid.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/what_if_item.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kContentsPx = 186;
constexpr float kLeastWithContentsPx = 680;
constexpr float kContentsLinePx = 150;  // of a box in the line above a narrow page
constexpr std::size_t kRowsAtFirst = 10;
constexpr float kMostTextPx = 360;

Rgba tone_colour(const Theme& theme, ReportTone tone) {
  switch (tone) {
    case ReportTone::kGood:
      return theme.good;
    case ReportTone::kWarning:
      return theme.warning;
    case ReportTone::kAdvice:
      return theme.accent;
    case ReportTone::kFact:
      break;
  }
  return theme.muted;
}

/// The mark before a sentence: a form for each tone, so that colour is not all that tells.
void tone_mark(UiContext& ui, ReportTone tone) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  const float r = ui.px(3.5f);
  const ImVec2 c(at.x + ui.px(6), std::round(at.y + line * 0.5f));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 colour = to_imgui(tone_colour(ui.theme, tone));
  switch (tone) {
    case ReportTone::kFact:
      draw.AddCircleFilled(c, r * 0.7f, colour);
      break;
    case ReportTone::kGood:
      draw.AddCircleFilled(c, r * 1.2f, colour);
      break;
    case ReportTone::kWarning:
      draw.AddTriangleFilled({c.x - r * 1.3f, c.y + r}, {c.x + r * 1.3f, c.y + r}, {c.x, c.y - r * 1.3f}, colour);
      break;
    case ReportTone::kAdvice:
      draw.AddTriangleFilled({c.x - r, c.y - r * 1.3f}, {c.x - r, c.y + r * 1.3f}, {c.x + r * 1.2f, c.y}, colour);
      break;
  }
  ImGui::Dummy({ui.px(12), line});
}

/// Lines of at most `width` px, broken at blanks only: ImGui's own wrapping breaks "6.00".
std::vector<std::string_view> report_lines(std::string_view text, float width) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t end = 0;  // of what fits
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t blank = std::min(text.find(' ', at), text.size());
      if (ImGui::CalcTextSize(text.data(), text.data() + blank).x > width && end > 0) break;
      end = blank;
      at = blank + 1;
    }
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

/// Of each column: what its header and the rows shown need; text at most kMostTextPx.
std::vector<float> column_widths(const UiContext& ui, const ReportTable& data, std::size_t columns, std::size_t rows) {
  std::vector<float> widths;
  for (std::size_t c = 0; c < columns; ++c) {
    const ReportTable::Column& column = data.columns[c];
    float width = column.is_number ? number_column_px(ui, column.title.c_str(), "0")
                                   : ImGui::CalcTextSize(column.title.c_str()).x;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::string& cell = data.rows[r][c];
      width =
          std::max(width, column.is_number ? number_column_px(ui, "", cell)
                                           : ImGui::CalcTextSize(cell.data(), cell.data() + cell.size()).x + ui.px(4));
    }
    widths.push_back(column.is_number ? width : std::min(width, ui.px(kMostTextPx)));
  }
  return widths;
}

/// Whether a section holds anything that can be folded.
bool has_measured(const ReportSection& s) {
  return std::ranges::any_of(s.lines, [](const ReportLine& l) { return l.how_measured > 0; }) ||
         std::ranges::any_of(s.table.columns, &ReportTable::Column::is_definition);
}

}  // namespace

void ReportPage::draw(UiContext& ui) {
  view_.ask(ui.workspace().document());
  if (view_.files() == nullptr) {
    if (!ui.workspace().document()->is_thinned) return muted_text(ui, "Reading the trace\xE2\x80\xA6");
    if (!view_.problem().empty()) return muted_text(ui, "The other machine has no report: " + view_.problem());
    return asked_text(ui, "The other machine computes the report\xE2\x80\xA6");
  }
  if (view_.files()->empty()) {
    muted_text(ui, "No slices in this trace, so there is nothing to report.");
    return;
  }
  view_.chosen = std::min(view_.chosen, view_.files()->size() - 1);
  const DescribedReport& file = (*view_.files())[view_.chosen];
  if (const ImVec2 room = ImGui::GetContentRegionAvail(); room.x < ui.px(kLeastWithContentsPx)) {
    contents_line(ui, file.sections);
  } else {
    begin_child("contents", {ui.px(kContentsPx), room.y});
    contents(ui, file.sections);
    ImGui::EndChild();
    ImGui::SameLine(0, ui.px(10));
  }
  begin_child("report", {0, ImGui::GetContentRegionAvail().y});
  if (document_ != ui.workspace().document()) {
    if (document_ == nullptr || document_->paths != ui.workspace().document()->paths) ImGui::SetScrollY(0);
    document_ = ui.workspace().document();
  }
  noted_ = false;
  source_ = file.source;
  if (const std::string_view wanted = draw_card_grid(ui, file.cards); !wanted.empty()) wanted_ = wanted;
  for (const ReportSection& s : file.sections) section(ui, s);
  ImGui::EndChild();
}

void ReportPage::contents(UiContext& ui, const std::vector<ReportSection>& sections) {
  if (view_.files()->size() > 1) {
    ImGui::SetNextItemWidth(-1);
    choose_file(ui);
  }
  list_sections(ui, sections);
  ImGui::Spacing();
  if (const auto format = copy_button(ui, "Report")) copy(ui, sections, *format);
}

void ReportPage::contents_line(UiContext& ui, const std::vector<ReportSection>& sections) {
  ImGui::SetNextItemWidth(ui.px(kContentsLinePx));
  const bool is_open = ImGui::BeginCombo("##contents", "Go to\xE2\x80\xA6", ImGuiComboFlags_HeightLargest);
  note_place(ui, "report_contents");
  if (is_open) {
    list_sections(ui, sections);
    ImGui::EndCombo();
  }
  ImGui::SameLine(0, ui.px(6));
  if (view_.files()->size() > 1) {
    ImGui::SetNextItemWidth(ui.px(kContentsLinePx));
    choose_file(ui);
    ImGui::SameLine(0, ui.px(6));
  }
  if (const auto format = copy_button(ui, "Report")) copy(ui, sections, *format);
  ImGui::Dummy({1, ui.px(4)});
}

void ReportPage::choose_file(UiContext& ui) {
  const Trace& trace = ui.workspace().trace();
  const auto name = [&](std::size_t i) {
    const TraceSource& source = trace.sources()[(*view_.files())[i].source.value];
    return source.rank ? fmt::format("rank {}", *source.rank) : file_name(source.path);
  };
  if (!ImGui::BeginCombo("##file", name(view_.chosen).c_str())) return;
  for (std::size_t i = 0; i < view_.files()->size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(name(i).c_str(), i == view_.chosen)) view_.chosen = i;
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

void ReportPage::list_sections(UiContext& ui, const std::vector<ReportSection>& sections) {
  for (const ReportSection& s : sections) {
    const std::string title(s.title);
    if (ImGui::Selectable(title.c_str())) wanted_ = s.key;
    note_place(ui, ("section " + std::string(s.key)).c_str());
  }
}

void ReportPage::section(UiContext& ui, const ReportSection& s) {
  ImGui::PushID(s.key.data());
  if (wanted_ == s.key) {
    ImGui::SetScrollHereY(0);
    wanted_ = {};
  }
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  text(s.title);
  ImGui::PopFont();
  int id = 0;
  // A verdict names a limit, which is neither good nor bad: a GPU may be busy with what it should not do.
  const bool is_verdict = !view_.files()->empty() && &s == &(*view_.files())[view_.chosen].sections.front();
  const bool is_unfolded = unfolded_.contains(std::string(s.key));
  for (ReportLine l : s.lines) {
    if (is_verdict && l.tone == ReportTone::kGood) l.tone = ReportTone::kFact;
    const std::string_view whole = l.text;
    const std::string_view shown = is_unfolded ? whole : whole.substr(0, whole.size() - l.how_measured);
    if (++id; !shown.empty()) line(ui, l, shown, id);
  }
  table(ui, s, is_unfolded);
  if (has_measured(s)) measured_fold(ui, std::string(s.key), is_unfolded);
  ImGui::Dummy({1, ui.px(8)});
  ImGui::PopID();
}

void ReportPage::measured_fold(UiContext& ui, const std::string& key, bool is_open) {
  const float arrow = ui.px(12);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + arrow + ui.px(4));
  const bool clicked = link(ui, "How this is measured");
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  note_place(ui, ("measured " + key).c_str());
  tooltip(is_open ? "Hides the rules and definitions." : "Shows the rules and definitions behind it.");
  const float r = ui.px(3.5f);
  const ImVec2 c(from.x - arrow + ui.px(2), std::round((from.y + to.y) * 0.5f));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 colour = to_imgui(ui.theme.accent);
  if (is_open)
    draw.AddTriangleFilled({c.x - r, c.y - r * 0.6f}, {c.x + r, c.y - r * 0.6f}, {c.x, c.y + r * 0.8f}, colour);
  else
    draw.AddTriangleFilled({c.x - r * 0.6f, c.y - r}, {c.x - r * 0.6f, c.y + r}, {c.x + r * 0.8f, c.y}, colour);
  if (!clicked) return;
  if (is_open)
    unfolded_.erase(key);
  else
    unfolded_.insert(key);
}

void ReportPage::line(UiContext& ui, const ReportLine& l, std::string_view shown, int id) {
  ImGui::PushID(id);
  tone_mark(ui, l.tone);
  ImGui::SameLine(0, ui.px(4));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float wrap = std::max(ui.px(80), ImGui::GetContentRegionAvail().x - ui.px(8));
  const std::vector<std::string_view> lines = report_lines(shown, wrap);
  float widest = 0;
  for (const std::string_view part : lines)
    widest = std::max(widest, ImGui::CalcTextSize(part.data(), part.data() + part.size()).x);
  const ImVec2 size(widest, static_cast<float>(lines.size()) * ImGui::GetTextLineHeight());
  if (!l.places.empty()) {
    const bool clicked = ImGui::InvisibleButton("go", {std::max(1.0f, size.x), std::max(1.0f, size.y)});
    if (!std::exchange(noted_, true)) note_place(ui, "first_evidence");
    std::size_t& next = next_[l.text];
    next %= l.places.size();
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      ImGui::GetWindowDrawList()->AddRectFilled({at.x - ui.px(3), at.y - 1},
                                                {at.x + size.x + ui.px(3), at.y + size.y + 1},
                                                to_imgui(with_alpha(ui.theme.accent, 0.14f)), ui.px(3));
      tooltip(l.places.size() == 1 ? std::string("Click shows it on the timeline.")
                                   : fmt::format("Click shows place {} of {}.", next + 1, l.places.size()));
    }
    if (clicked) {
      ui.workspace().go_to(l.places[next]);
      ++next;
    }
    if (l.cause && ImGui::BeginPopupContextItem("cause_menu")) {
      what_if_no_cause_item(ui, *l.cause);
      ImGui::EndPopup();
    }
    ImGui::SetCursorScreenPos(at);
  }
  const Rgba colour = l.places.empty() ? ui.theme.text : mix(ui.theme.text, ui.theme.accent, 0.55f);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginGroup();
  for (const std::string_view part : lines) coloured_text(colour, part);
  ImGui::EndGroup();
  ImGui::PopStyleVar();
  if (l.idle_of != kEmptyString && !ui.workspace().document()->is_thinned && !view_.is_computing()) {
    // Below the sentence, which is a link of its own.
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ui.px(12));
    if (link(ui, "Other idle figures"))
      ui.requests.add(ask::ExplainIdle{idle_subject_of(ui.workspace(), source_, l.idle_of)});
    note_place(ui, "report_idle_figures");
    tooltip("What the title of the track, the gaps page and this sentence count as idle, side by side.");
  }
  ImGui::PopID();
}

namespace {

/// The colour of the class of GPU work that is called `name`.
void class_swatch(const UiContext& ui, std::string_view name) {
  for (std::size_t c = 0; c < kKernelClassCount; ++c)
    if (const auto of = static_cast<KernelClass>(c); kernel_class_name(of) == name) {
      colour_swatch(ui, ui.palette.of_class(of).fill);
      ImGui::SameLine(0, ui.px(6));
    }
}

/// A right click on a row that stands for a name of the trace.
void row_what_if(UiContext& ui, std::string_view section, std::string_view name) {
  const bool is_waiting = section == "waiting";
  if (!is_waiting && section != "kernels" && section != "operators" && section != "copies") return;
  if (!ui.workspace().trace().strings().find(name).valid() || !ImGui::BeginPopupContextItem("row_menu")) return;
  is_waiting ? what_if_no_gaps_item(ui, name) : what_if_faster_item(ui, name);
  ImGui::EndPopup();
}

}  // namespace

void ReportPage::table(UiContext& ui, const ReportSection& s, bool with_definitions) {
  const ReportTable& data = s.table;
  // Definitions are the last columns.
  std::size_t column_count = data.columns.size();
  while (!with_definitions && column_count > 0 && data.columns[column_count - 1].is_definition) --column_count;
  if (column_count == 0 || data.rows.empty()) return;
  const std::string key = "all " + std::string(s.key);
  const bool shows_all = next_.contains(key);
  const std::size_t rows = shows_all ? data.rows.size() : std::min(kRowsAtFirst, data.rows.size());
  const std::vector<float> widths = column_widths(ui, data, column_count, rows);
  const float padding = 2 * ImGui::GetStyle().CellPadding.x + 1;
  float needed = 0;
  for (const float width : widths) needed += width + padding;
  // What does not fit is scrolled to, beside the first column: nothing is squeezed or cut off.
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool scrolls = needed > room.x;
  const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float height = scrolls ? static_cast<float>(rows + 1) * line + ImGui::GetStyle().ScrollbarSize + ui.px(2) : 0;
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings |
                                ImGuiTableFlags_BordersInnerV |
                                (scrolls ? ImGuiTableFlags_ScrollX : ImGuiTableFlags_None);
  if (!ImGui::BeginTable(scrolls ? "wide table" : "table", static_cast<int>(column_count), flags, {0, height})) return;
  if (scrolls) ImGui::TableSetupScrollFreeze(1, 1);
  std::vector<TableColumn> columns;
  for (const ReportTable::Column& column : std::span(data.columns).first(column_count)) {
    TableColumn& c = columns.emplace_back();
    c.title = column.title;
    if (column.is_number) c.sample = "123.4 ms";
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // Without scrolling, columns of text share what is left.
    const bool is_fixed = scrolls || data.columns[i].is_number;
    ImGui::TableSetupColumn(columns[i].title.c_str(),
                            is_fixed ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
                            is_fixed ? widths[i] : 1.0f);
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(i));
    data.columns[i].is_number ? number_header(ui, columns[i].title.c_str())
                              : ImGui::TableHeader(columns[i].title.c_str());
    tooltip(column_definition("report", columns[i].title));
    ImGui::PopID();
  }
  for (std::size_t r = 0; r < rows; ++r) {
    ImGui::PushID(static_cast<int>(r));
    ImGui::TableNextRow();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      ImGui::TableNextColumn();
      if (c == 0) {
        if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns) && r < data.places.size())
          ui.workspace().go_to(data.places[r]);
        row_what_if(ui, s.key, data.rows[r][0]);
        ImGui::SameLine(0, 0);
      }
      const std::string& cell = data.rows[r][c];
      if (data.columns[c].is_number) {
        explained_number(ui, "report", columns[c], cell, cell);
      } else if (c == 0 && s.key == "kernels") {
        fitted_kernel_name(ui, cell, CategoryClass::kKernel);
      } else {
        if (c == 0 && s.key == "kernelClasses") class_swatch(ui, cell);
        fitted_name(ui, cell);
      }
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (data.rows.size() < data.row_count)
    muted_text(ui, fmt::format("{} more are not listed: they appear when the whole trace is here.",
                               counted(data.row_count - data.rows.size(), "row")));
  if (data.rows.size() <= kRowsAtFirst) return;
  const std::string label = shows_all ? fmt::format("Show {} rows", kRowsAtFirst)
                                      : fmt::format("Show all {} rows", format_count(data.rows.size()));
  if (!link(ui, label.c_str())) return;
  if (shows_all) {
    next_.erase(key);
  } else {
    next_[key] = 1;
  }
}

void ReportPage::copy(UiContext& ui, const std::vector<ReportSection>& sections, CopyFormat format) {
  std::string out;
  for (const ReportSection& s : sections) {
    if (format == CopyFormat::kText) {
      out += std::string(s.title) + "\n";
      for (const ReportLine& l : s.lines) out += "- " + l.text + "\n";
    }
    if (s.table.rows.empty()) continue;
    const CopiedTable table = copied_report_table(s.table);
    out += format == CopyFormat::kText ? table.text() + "\n" : table.csv() + "\r\n";
  }
  ui.requests.add(ask::Copy{std::move(out)});
}

}  // namespace lacuna
