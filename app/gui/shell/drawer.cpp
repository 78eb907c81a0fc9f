// The drawer below the timeline: pages in groups at the left, details at the right; and the report where it stands
// beside both.

#include <algorithm>
#include <cmath>
#include <string>

#include "app/gui/application/page_groups.h"
#include "app/gui/panels/files/import_panel.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/gui/shell/beside.h"
#include "app/gui/shell/shell.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kLeastPanelPx = 220;
constexpr float kLeastPagesPx = 320;
constexpr float kDrawerButtonPx = 24;

/// Ranks to be compared: of a job's files, or several in the open trace.
bool has_ranks(const App& app) {
  if (app.job.has_files()) return true;
  if (!app.workspace.has_trace()) return false;
  const std::span<const TraceSource> sources = app.workspace.trace().sources();
  return sources.size() > 1 || (!sources.empty() && sources.front().world_size.value_or(1) > 1);
}

/// Whether a page has a tab while another one is shown.
bool has_tab(const App& app, DrawerPage page) {
  switch (page) {
    case DrawerPage::kReport:
      return !app.report_stands_right() || !app.ui.report_open;  // one that was closed is opened there
    case DrawerPage::kJob:
      return has_ranks(app);
    case DrawerPage::kConsole:
      return app.live.has_recording();
    case DrawerPage::kImport:
      return false;  // the chip in the title bar leads there, where there is anything to say
    default:
      return true;
  }
}

float group_width(const UiContext& ui, const PageGroup& group, bool is_chosen) {
  const std::string title(group.title);
  return std::ceil(text_width(is_chosen ? ui.fonts.strong : ui.fonts.ui, ui.fonts.ui_px, title)) + ui.px(18);
}

/// A word that can be clicked, `height` tall; the chosen one is underlined.
bool group_tab(UiContext& ui, const PageGroup& group, bool is_chosen, float height) {
  const std::string title(group.title);
  ImFont* font = is_chosen ? ui.fonts.strong : ui.fonts.ui;
  const float width = group_width(ui, group, is_chosen);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(title.c_str(), {width, height});
  note_place(ui, ("group " + title).c_str());
  const bool hovered = ImGui::IsItemHovered();
  tooltip(group.answers);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + width, at.y + height);
  if (hovered && !is_chosen) draw.AddRectFilled(at, end, ImGui::GetColorU32(ImGuiCol_ButtonHovered), ui.px(4));
  draw_text(draw, font, ui.fonts.ui_px, {at.x + ui.px(9), at.y + (height - ui.fonts.ui_px) * 0.5f - 1},
            to_imgui(is_chosen || hovered ? ui.theme.text : ui.theme.muted), title, width);
  if (is_chosen)
    draw.AddRectFilled({at.x + ui.px(9), end.y - std::max(2.0f, ui.px(2))}, {end.x - ui.px(9), end.y},
                       to_imgui(ui.theme.accent), 1);
  return clicked;
}

/// A button without a picture yet, one of those in the corner of a panel. Whether it was clicked.
bool corner_button(UiContext& ui, const char* id, ImVec2 at, float height, const std::string& help) {
  const float width = std::round(ui.px(kDrawerButtonPx));
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(id, {width, height});
  note_place(ui, id);
  tooltip(help);
  if (ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width, at.y + height},
                                              ImGui::GetColorU32(ImGuiCol_ButtonHovered), ui.px(3));
  return clicked;
}

/// Two lines from the middle of a corner button, in its colour.
void corner_lines(const UiContext& ui, ImVec2 at, float height, ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d) {
  const ImVec2 middle(std::floor(at.x + std::round(ui.px(kDrawerButtonPx)) * 0.5f), std::floor(at.y + height * 0.5f));
  const float reach = std::round(ui.px(4));
  const auto point = [&](ImVec2 p) { return ImVec2(middle.x + p.x * reach, middle.y + p.y * reach); };
  const float line = std::max(1.0f, ui.px(1.2f));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddLine(point(a), point(b), to_imgui(ui.theme.muted), line);
  draw.AddLine(point(c), point(d), to_imgui(ui.theme.muted), line);
}

void draw_cross(const UiContext& ui, ImVec2 at, float height) {
  corner_lines(ui, at, height, {-1, -1}, {1, 1}, {-1, 1}, {1, -1});
}

void draw_arrow(const UiContext& ui, ImVec2 at, float height, bool is_up) {
  const float tip = is_up ? -0.5f : 0.5f;
  corner_lines(ui, at, height, {-1, -tip}, {0, tip}, {0, tip}, {1, -tip});
}

/// Puts the report where it does not stand yet. It ends at `right`; where it begins. Where it would begin left of
/// `least` there is none, and the menu has it.
float dock_button(UiContext& ui, float right, float least) {
  const bool is_right = ui.settings.report_right;
  const char* label = is_right ? "Dock below" : "Dock right";
  const float x = std::round(right - ImGui::CalcTextSize(label).x - ui.px(10));
  if (x < least) return right;
  ImGui::SetCursorScreenPos({x, ImGui::GetCursorScreenPos().y});
  ImGui::AlignTextToFramePadding();
  if (link(ui, label)) ui.commands.run("report_right");
  note_place(ui, "report_dock");
  tooltip(is_right ? "Puts the report back among the pages below the timeline."
                   : "Puts the report at the right, at the window's full height.");
  return x;
}

}  // namespace

void Shell::drawer(UiContext& ui, ImVec2 at, ImVec2 size) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(theme_.panel));
  // Beside the only picture that there is, details stand where something is selected.
  const Workspace& workspace = app_.workspace;
  if (!app_.ui.has_report && app_.ui.page == DrawerPage::kMemory && workspace.selection().empty() &&
      !workspace.area()) {
    ImGui::SetCursorScreenPos(at);
    begin_padded_child("pages", size, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    drawer_pages(ui);
    ImGui::EndChild();
    tour_places_.pages = {at.x, at.y, at.x + size.x, at.y + size.y};
    tour_places_.details = {};
    return;
  }
  const Beside beside = lay_beside(ui, at, size, app_.settings.details_part, kLeastPagesPx, kLeastPanelPx);

  ImGui::SetCursorScreenPos(at);
  begin_padded_child("pages", beside.left_size(), ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  drawer_pages(ui);
  ImGui::EndChild();

  const ImVec2 right = beside.right_at();
  tour_places_.pages = {at.x, at.y, at.x + beside.left_px, at.y + size.y};
  tour_places_.details = {right.x, at.y, at.x + size.x, at.y + size.y};
  ImGui::SetCursorScreenPos(right);
  begin_padded_child("details", beside.right_size());
  if (app_.diff.is_split() && app_.ui.other_is_active) {
    UiContext other = context(&app_.diff.other());
    details_.draw(other);
  } else {
    details_.draw(ui);
  }
  ImGui::EndChild();
  draw_beside(ui, beside, "details_splitter", app_.settings.details_part, Settings().details_part);
}

/// The report beside timeline and drawer.
void Shell::report_beside(UiContext& ui, ImVec2 at, ImVec2 size) {
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(theme_.panel));
  tour_places_.report = {at.x, at.y, at.x + size.x, at.y + size.y};
  ImGui::SetCursorScreenPos(at);
  begin_padded_child("report_right", size, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight();
  const float width = std::round(ui.px(kDrawerButtonPx));
  const float close_x = std::round(corner.x + ImGui::GetContentRegionAvail().x - width + ui.px(4));
  draw_text(*ImGui::GetWindowDrawList(), ui.fonts.strong, ui.fonts.ui_px,
            {corner.x, corner.y + (height - ui.fonts.ui_px) * 0.5f - 1}, to_imgui(ui.theme.text), "Report", size.x);
  dock_button(ui, close_x, corner.x);
  if (corner_button(ui, "report_close", {close_x, corner.y}, height, "Close the report")) app_.ui.report_open = false;
  draw_cross(ui, {close_x, corner.y}, height);
  ImGui::SetCursorScreenPos({corner.x, corner.y + height + ui.px(4)});
  report_.draw(ui);
  ImGui::EndChild();
}

/// Maximise and close, at the right end of the tabs.
void Shell::drawer_buttons(UiContext& ui, ImVec2 at, float height) {
  bool& is_maximised = app_.ui.drawer_maximised;
  const std::string help = is_maximised ? "Give the timeline its room back" : "Let the drawer cover the timeline";
  if (corner_button(ui, "drawer_maximise", at, height, with_key(ui, help, "maximise_drawer")))
    is_maximised = !is_maximised;
  draw_arrow(ui, at, height, !is_maximised);
  const ImVec2 last(at.x + std::round(ui.px(kDrawerButtonPx)), at.y);
  if (corner_button(ui, "drawer_close", last, height, with_key(ui, "Close the drawer", "drawer")))
    app_.ui.drawer_open = false;
  draw_cross(ui, last, height);
}

/// The groups, and at the same height the pages of the one that is shown. A group remembers its page.
void Shell::drawer_tabs(UiContext& ui, float right) {
  const float height = ImGui::GetFrameHeight();
  DrawerPage& page = app_.ui.page;
  const PageGroup& shown = group_of(page);
  const auto last_of = [&](const PageGroup& group) -> DrawerPage {
    for (const DrawerPage known : last_pages_)
      if (group_of(known).title == group.title && has_tab(app_, known)) return known;
    for (const PageEntry& entry : group.pages)
      if (has_tab(app_, entry.page)) return entry.page;
    return group.pages.front().page;
  };
  std::erase_if(last_pages_, [&](DrawerPage known) { return group_of(known).title == shown.title; });
  last_pages_.push_back(page);
  for (const PageGroup& group : page_groups()) {
    if (group_tab(ui, group, &group == &shown, height)) app_.show_page(last_of(group));
    ImGui::SameLine(0, ui.px(2));
  }
  const auto is_shown = [&](const PageEntry& entry) { return entry.page == page || has_tab(app_, entry.page); };
  if (std::ranges::count_if(shown.pages, is_shown) < 2) return ImGui::NewLine();
  ImGui::SameLine(0, ui.px(10));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine({at.x, at.y + ui.px(5)}, {at.x, at.y + height - ui.px(5)},
                                      to_imgui(ui.theme.border));
  ImGui::SetCursorScreenPos({at.x + ui.px(12), at.y});
  for (const PageEntry& entry : shown.pages) {
    if (!is_shown(entry)) continue;
    const std::string title(entry.title);
    const float width = ImGui::CalcTextSize(title.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
    // What has no room beside the others begins a line of its own.
    if (ImGui::GetCursorScreenPos().x + width > right) ImGui::NewLine();
    if (segment(ui, title.c_str(), entry.page == page)) app_.show_page(entry.page);
    note_place(ui, ("page " + title).c_str());
    tooltip(entry.answers);
    ImGui::SameLine(0, ui.px(3));
  }
  ImGui::NewLine();
}

void Shell::drawer_pages(UiContext& ui) {
  if (const std::optional<ask::ShowPage> wish = app_.requests.take<ask::ShowPage>()) app_.ui.page = wish->page;
  if (app_.ui.page == DrawerPage::kConsole && !app_.live.has_recording()) app_.ui.page = DrawerPage::kReport;
  if (app_.ui.page == DrawerPage::kReport && app_.report_stands_right()) {
    // It stands elsewhere: the page before it, if there was one.
    app_.ui.page = DrawerPage::kStatistics;
    for (const DrawerPage known : last_pages_)
      if (known != DrawerPage::kReport && has_tab(app_, known)) app_.ui.page = known;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float buttons = 2 * std::round(ui.px(kDrawerButtonPx)) + ui.px(4);
  const float buttons_x = std::round(at.x + ImGui::GetContentRegionAvail().x - buttons + ui.px(4));
  drawer_buttons(ui, {buttons_x, at.y}, ImGui::GetFrameHeight());
  float right = buttons_x - ui.px(4);
  ImGui::SetCursorScreenPos(at);
  if (app_.ui.page == DrawerPage::kReport && app_.ui.has_report) {
    float groups_end = at.x;
    for (const PageGroup& group : page_groups())
      groups_end += group_width(ui, group, group.title == group_of(DrawerPage::kReport).title) + ui.px(2);
    right = dock_button(ui, buttons_x, groups_end) - ui.px(4);
  }
  ImGui::SetCursorScreenPos(at);
  drawer_tabs(ui, right);
  ImGui::Dummy({1, ui.px(2)});
  app_.ui.asked_page.reset();  // the page says anew what it asks another machine
  // Ids of widgets are those of their page.
  ImGui::PushID(static_cast<int>(app_.ui.page));
  switch (app_.ui.page) {
    case DrawerPage::kStatistics:
      statistics_.draw(ui);
      break;
    case DrawerPage::kGaps:
      gaps_.draw(ui);
      break;
    case DrawerPage::kReport:
      report_.draw(ui);
      break;
    case DrawerPage::kCompare:
      compare_.draw(ui);
      break;
    case DrawerPage::kImport:
      draw_import_panel(ui);
      break;
    case DrawerPage::kConsole:
      console_.draw(ui);
      break;
    case DrawerPage::kMarkers:
      markers_.draw(ui);
      break;
    case DrawerPage::kCalls:
      calls_.draw(ui);
      break;
    case DrawerPage::kJob:
      job_.draw(ui);
      break;
    case DrawerPage::kQuery:
      query_.draw(ui);
      break;
    case DrawerPage::kMemory:
      memory_.draw(ui);
      break;
    case DrawerPage::kPath:
      path_.draw(ui);
      break;
    case DrawerPage::kWhatIf:
      what_if_.draw(ui);
      break;
    case DrawerPage::kRoofline:
      roofline_.draw(ui);
      break;
  }
  ImGui::PopID();
}

}  // namespace lacuna
