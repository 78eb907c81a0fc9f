#include "app/gui/shell/shell.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/gui/application/page_groups.h"
#include "app/gui/core/files.h"
#include "app/gui/panels/files/import_panel.h"
#include "app/gui/panels/gaps/idle_popup.h"
#include "app/gui/panels/keys/key_banner.h"
#include "app/gui/panels/keys/shortcut_sheet.h"
#include "app/gui/panels/live/live_bar.h"
#include "app/gui/panels/live/live_waiting.h"
#include "app/gui/panels/widgets/splitter.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/gui/shell/beside.h"
#include "app/gui/shell/dialogs.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr ImGuiWindowFlags kRoot =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoBackground |  // the frame was cleared with it
    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavFocus;
constexpr float kLeastTimelinePx = 120;
constexpr float kLeastDrawerPx = 90;
constexpr float kUsefulDrawerPx = 230;  // its pages show some rows
constexpr float kLeastReportPx = 300;
constexpr float kLeastBesideReportPx = 560;  // of timeline and drawer, whose pages and details need room
constexpr float kSplitterPx = 7;             // a strip of its own: child windows beside it must not cover it
constexpr const char* kDesktopAsks = "Choose in the desktop's dialog, or ask again for Lacuna's own";

}  // namespace

Shell::Shell(App& app, std::function<void()> wake)
    : app_(app),
      theme_(make_theme(!app.settings.light_theme)),
      palette_(!app.settings.light_theme),
      timeline_(app.query),
      other_timeline_(app.query),
      statistics_(app.groups, app.ahead),
      report_(app.report),
      headline_(app.report, app.headline),
      job_(app.job),
      query_(app.query),
      path_(app.path, app.calls),
      what_if_(app.what_if),
      roofline_(app.roofline),
      calls_(app.calls, app.path),
      memory_(app.memory, app.memory_other, app.diff),
      compare_(app.diff),
      tour_(app.loader),
      export_(wake),
      native_dialog_(wake),
      launch_([&app](const LivePlan& plan) { app.launch(plan); }, wake),
      jobs_dialog_(app.running_jobs, [&app](std::vector<std::string> paths) { app.open(std::move(paths)); }),
      attach_(app.running_jobs, [&app](const AttachPlan& plan) { app.attach(plan); }),
      connect_(
          wake,
          [&app](RemotePlace place, std::vector<std::string> paths, bool stays_there) {
            app.open_there(std::move(place), std::move(paths), nullptr, stays_there);
          },
          [&app](const std::string& socket) {
            app.attach({socket, {}});
          }),
      save_(app.live, app.ui, wake) {
  app_.workspace.view().set_palette(&palette_);
  app_.diff.other().view().set_palette(&palette_);
}

void Shell::set_look(float scale, float density) {
  theme_ = make_theme(!app_.settings.light_theme);
  palette_ = Palette(!app_.settings.light_theme);
  const float whole = scale * app_.settings.ui_scale;
  fonts_ = load_fonts(whole, density, app_.ui.characters);
  apply_theme(theme_, whole);
  app_.ui.look_changed = false;
}

bool Shell::is_modal() const {
  return !app_.ui.error.empty() || browser_.is_open() || launch_.is_open() || jobs_dialog_.is_open() ||
         attach_.is_open() || connect_.is_open() || save_.is_open() || export_.is_open();
}

bool Shell::handle_key(const KeyPress& press) {
  const int key = press.shortcut.key;
  if (key == kKeyEscape) app_.ui.notice.clear();
  const bool with_ctrl = (press.shortcut.modifiers & (kModCtrl | kModAlt)) != 0;
  if (key == kKeyEscape) {
    // Closes what is in front, first.
    if (!app_.ui.error.empty()) return app_.ui.error.clear(), true;
    if (browser_.is_open()) return browser_.close(), true;
    if (save_.is_open()) return save_.handle_key(press);
    if (launch_.is_open()) return launch_.close(), true;
    if (jobs_dialog_.is_open()) return jobs_dialog_.close(), true;
    if (attach_.is_open()) return attach_.close(), true;
    if (connect_.is_open()) return connect_.close(), true;
    if (export_.is_open()) return export_.close(), true;
    if (app_.ui.shortcuts_open) return app_.ui.shortcuts_open = false, true;
    if (app_.ui.about_open) return app_.ui.about_open = false, true;
    if (app_.ui.glossary_open) return app_.ui.glossary_open = false, true;
    if (close_popups()) return true;
  }
  // Up and Down are no commands there: ImGui moves, and repeats while they are held.
  if (!is_modal() && menu_takes(press)) return key != kKeyUp && key != kKeyDown;
  UiContext ui = context(nullptr);
  if (!is_modal() && !ImGui::GetIO().WantTextInput && tour_.handle_key(ui, key)) return true;
  if (!is_modal() && omnibox_.handle_key(ui, press)) return true;
  if (key == kKeyEscape) {
    if (ImGui::GetIO().WantTextInput) return false;
  }
  if (app_.ui.error.empty() && browser_.is_open()) return browser_.handle_key(press);
  if (app_.ui.error.empty() && save_.is_open()) return save_.handle_key(press);
  if (app_.ui.error.empty() && launch_.is_open()) return launch_.handle_key(press);
  if (app_.ui.error.empty() && jobs_dialog_.is_open()) return jobs_dialog_.handle_key(press);
  if (app_.ui.error.empty() && attach_.is_open()) return attach_.handle_key(press);
  if (app_.ui.error.empty() && connect_.is_open()) return connect_.handle_key(press);
  if (app_.ui.error.empty() && export_.is_open()) return export_.handle_key(press);
  if (is_modal()) return false;
  // While somebody types, only shortcuts that no text contains; copying is the text's then.
  if (ImGui::GetIO().WantTextInput) {
    if (!with_ctrl) return false;
    if (key == 'c' || key == 'v' || key == 'x' || key == 'a' || key == 'z') return false;
  }
  if (app_.ui.shortcuts_open && scrolls_sheet(press)) return true;
  const bool was_sheet_open = app_.ui.shortcuts_open, was_about_open = app_.ui.about_open;
  if (!run_key(app_, press)) return false;
  // What a key does is seen, and not hidden by the sheet that told of it.
  if (was_sheet_open) app_.ui.shortcuts_open = false;
  if (was_about_open) app_.ui.about_open = false;
  return true;
}

void Shell::handle_motion(Motion motion, bool is_down, bool with_shift) {
  KeyboardMotion& keys = app_.workspace.view().keys();
  keys.set_fast(with_shift);
  if (!is_down) {
    keys.release(motion);
  } else if (!ImGui::GetIO().WantTextInput && !is_modal() && menu_at_ < 0 && app_.workspace.has_trace()) {
    keys.press(motion);
    app_.ui.shortcuts_open = app_.ui.about_open = false;
  }
}

UiContext Shell::context(Workspace* shown) {
  return {app_.workspace,      app_.ui, app_.settings, app_.keymap, app_.requests, app_.observed, app_.live,
          CommandRunner(app_), theme_,  palette_,      fonts_,      shown};
}

void Shell::draw(double seconds) {
  palette_.colour_by_class(app_.settings.colour_by_class);
  UiContext ui = context(nullptr);
  app_.ui.redraw_in_s = app_.side_car.update(app_.workspace);
  if (const auto page = page_of_key(app_.side_car.take_page())) app_.requests.add(ask::ShowPage{*page});
  if (is_modal()) app_.ui.shortcuts_open = app_.ui.about_open = false;  // they would hide the dialog
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (moved.x != 0 || moved.y != 0) app_.ui.mouse_moved_s = ImGui::GetTime();
  timeline_.follow_mouse(ui);
  app_.live.follow(app_.workspace);
  app_.workspace.view().animate(seconds);
  // A drag is one movement, however long it rests on its way.
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) && !ImGui::IsMouseDown(ImGuiMouseButton_Right) &&
      !ImGui::IsMouseDown(ImGuiMouseButton_Middle)) {
    app_.workspace.note_view(ImGui::GetTime());
  }
  app_.diff.other().view().animate(seconds);
  app_.diff.synchronise(app_.workspace.view());

  // Of what lies below a sheet or a list nothing is explained.
  hold_tooltips(app_.ui.shortcuts_open || app_.ui.about_open || app_.ui.omnibox.shows_list);
  menu_bar(ui);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const ImVec2 at = viewport.WorkPos;
  const ImVec2 size = viewport.WorkSize;
  const ImVec2 centre(at.x + size.x * 0.5f, at.y + size.y * 0.45f);
  const float status_px = std::round(ui.px(22));

  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const bool visible = ImGui::Begin("##root", nullptr, kRoot);
  ImGui::PopStyleVar(4);
  if (visible) {
    ImGui::SetCursorScreenPos(at);
    float banner = draw_settings_banner(ui);
    banner += draw_warning_banner(ui);
    banner += draw_live_bar(ui);
    if (app_.workspace.has_trace()) {
      body(ui, {at.x, at.y + banner}, {size.x, size.y - status_px - banner});
    } else {
      statistics_.forget();
      const ImVec2 corner(at.x, at.y + banner), room(size.x, size.y - status_px - banner);
      if (app_.live.has_recording())
        waiting_body(ui, corner, room);
      else if (app_.job.has_files())
        job_body(ui, corner, room);
    }
    status_line(ui, {at.x, at.y + size.y - status_px}, {size.x, status_px});
  }
  ImGui::End();
  hold_tooltips(false);
  dialogs(ui, centre);

  if (std::optional<ask::Copy> copy = app_.requests.take<ask::Copy>()) {
    ImGui::SetClipboardText(copy->text.c_str());
    app_.observed.copied = std::move(copy->text);
  }
}

void Shell::dialogs(UiContext& ui, ImVec2 centre) {
  if (app_.loader.is_loading()) {
    draw_loading(ui, app_, centre, loading_corner_);
  } else if (!app_.workspace.has_trace() && !app_.live.has_recording() && !app_.job.has_files()) {
    draw_start_page(ui, app_, centre);
  }
  omnibox_.draw_list(ui);
  if (std::optional<ask::ShowCalls> wish = app_.requests.take<ask::ShowCalls>()) {
    app_.calls.choose_places(app_.workspace.document(), std::move(wish->label), std::move(wish->places));
    app_.show_page(DrawerPage::kCalls);
  }
  if (std::optional<ask::ShowRanks> wish = app_.requests.take<ask::ShowRanks>()) app_.show_ranks(std::move(*wish));
  if (app_.requests.take<ask::ReadAsNs>()) app_.read_times_as_ns();
  tour(ui);
  draw_shortcut_sheet(ui);
  draw_about(ui);
  draw_glossary(ui);
  draw_idle_popup(ui, app_.report);
  open_dialog(ui);
  if (std::optional<ask::Launch> launch = app_.requests.take<ask::Launch>())
    launch_.open(app_.settings.launches, std::move(launch->failure));
  launch_.draw(ui);
  if (app_.requests.take<ask::RunningJobs>()) jobs_dialog_.open();
  jobs_dialog_.draw(ui);
  if (app_.requests.take<ask::Attach>()) attach_.open();
  attach_.draw(ui);
  if (app_.requests.take<ask::Connect>()) connect_.open(app_.settings.places);
  connect_.draw(ui);
  save_.draw(ui);
  export_.draw(ui);
  draw_error_dialog(ui);
}

void Shell::tour(UiContext& ui) {
  // The gap is where the last frame drew it, in the pane of those that stay or below.
  tour_places_.gap = {};
  const TimelinePlace& place = timeline_.place();
  const auto look_in = [&](const TimelineDrawList& list, float top) {
    for (const DrawGap& gap : list.gaps)
      if (gap.is_selected)
        tour_places_.gap = {place.tracks().x + std::max(gap.x0, 0.0f), top + gap.y0 - ui.px(3),
                            place.tracks().x + std::min(gap.x1, place.width_px), top + gap.y1 + ui.px(3)};
  };
  look_in(timeline_.list(), place.tracks().y);
  look_in(timeline_.pinned_list(), place.ruler_end());
  tour_places_.timeline = {place.tracks().x, place.ruler_end(), place.tracks_end().x, place.tracks_end().y};
  tour_.draw(ui, tour_places_);
}

std::string Shell::open_title(ask::OpenFor purpose) const {
  switch (purpose) {
    case ask::OpenFor::kComparing:
      return "Compare " + app_.title() + " with";
    case ask::OpenFor::kJob:
      return "Open a job: a folder of traces or digests";
    case ask::OpenFor::kOtherJob:
      return "Compare the job with another: a folder of traces or digests";
    case ask::OpenFor::kNotes:
      return "Import notes";
    case ask::OpenFor::kLooking:
      break;
  }
  return "Open trace";
}

void Shell::open_dialog(UiContext& ui) {
  if (const auto wish = app_.requests.take<ask::OpenTrace>()) {
    opens_for_ = wish->purpose;
    std::string folder = absolute_path(".");
    if (!app_.settings.recent.empty()) {
      const std::string& last = app_.settings.recent.front();
      folder = last.substr(0, last.size() - file_name(last).size());
    }
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    const std::string title = open_title(opens_for_);
    DialogWish native{.title = title, .folder = folder, .x11_window = app_.ui.x11_window};
    const bool is_asked_again = native_dialog_.is_open();  // it may be lost behind other windows, or hang
    native_dialog_.close();
    // Desktops ask for files; a job is a folder of them.
    const bool is_folder = opens_for_ == ask::OpenFor::kJob || opens_for_ == ask::OpenFor::kOtherJob;
    if (!is_asked_again && !is_folder && native_dialog_.start(std::move(native))) {
      app_.ui.notice = kDesktopAsks;
    } else {
      browser_.open(folder, title);
    }
    asked_ = {folder, title};
  }
  const auto open = [this](std::vector<std::string> paths) {
    switch (opens_for_) {
      case ask::OpenFor::kComparing:
        return app_.compare_with(std::move(paths));
      case ask::OpenFor::kJob:
        return app_.open_job(std::move(paths));
      case ask::OpenFor::kOtherJob:
        return app_.job.compare_with(std::move(paths), app_.import);
      case ask::OpenFor::kNotes:
        return app_.import_notes(paths);
      case ask::OpenFor::kLooking:
        break;
    }
    app_.open(std::move(paths));
  };
  if (std::optional<DialogAnswer> answer = native_dialog_.poll()) {
    if (answer->end == DialogAnswer::End::kUnavailable) browser_.open(asked_.folder, asked_.title);
    if (!answer->paths.empty()) open(std::move(answer->paths));
    if (!answer->elsewhere.empty())
      app_.show_error("Only files of this machine can be opened: " +
                      fmt::format("{}", fmt::join(answer->elsewhere, "\n")));
  }
  if (!native_dialog_.is_open() && app_.ui.notice == kDesktopAsks) app_.ui.notice.clear();
  if (const auto paths = browser_.draw(ui); paths) open(*paths);
  app_.observed.file_browser_open = browser_.is_open();
  app_.observed.desktop_dialog_open = native_dialog_.is_open();
}

void Shell::body(UiContext& ui, ImVec2 at, ImVec2 size) {
  if (!app_.ui.drawer_open || !app_.ui.drawer_maximised) {
    const float headline_px = headline_.draw(ui, at, size.x);
    at.y += headline_px;
    size.y -= headline_px;
  }
  tour_places_.report = {};
  if (!app_.report_stands_right() || !app_.ui.report_open) return timeline_and_drawer(ui, at, size);
  const Beside beside = lay_beside(ui, at, size, app_.settings.report_part, kLeastBesideReportPx, kLeastReportPx);
  report_beside(ui, beside.right_at(), beside.right_size());
  timeline_and_drawer(ui, at, beside.left_size());
  draw_beside(ui, beside, "report_splitter", app_.settings.report_part, Settings().report_part);
}

void Shell::timeline_and_drawer(UiContext& ui, ImVec2 at, ImVec2 size) {
  loading_corner_ = {at.x + size.x - ui.px(14), at.y + size.y - ui.px(10)};
  if (app_.ui.drawer_open && app_.ui.drawer_maximised) return drawer(ui, at, size);
  const float strip = std::round(ui.px(kSplitterPx));
  // Memory is the main picture of a file that is about nothing else.
  const bool is_memory = app_.is_about_memory() && app_.ui.page == DrawerPage::kMemory;
  float& part = is_memory ? app_.settings.memory_part : app_.settings.drawer_part;
  float drawer_px = 0;  // with the strip above it
  if (app_.ui.drawer_open) {
    const float most = std::max(ui.px(kLeastDrawerPx), size.y - ui.px(kLeastTimelinePx));
    // In a low window it takes more than its part, until the user says how much.
    const bool is_chosen = is_memory || part != Settings().drawer_part;
    const float least = is_chosen ? ui.px(kLeastDrawerPx) : std::min(ui.px(kUsefulDrawerPx), size.y * 0.5f);
    drawer_px = std::clamp(std::round(size.y * part), std::min(std::round(least), most), most);
  }
  float timeline_px = size.y - drawer_px;
  loading_corner_.y -= drawer_px;

  // Child windows of their own, so that each clips and takes the mouse for itself.
  ImGui::SetCursorScreenPos(at);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  begin_child("timeline", {size.x, timeline_px}, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  timelines(ui, at, {size.x, timeline_px});
  ImGui::EndChild();
  if (!app_.ui.drawer_open) return;

  const float top = at.y + timeline_px;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({at.x, top}, {at.x + size.x, top + strip}, to_imgui(theme_.panel));
  draw.AddLine({at.x, top + 0.5f}, {at.x + size.x, top + 0.5f}, to_imgui(theme_.border));
  drawer(ui, {at.x, top + strip}, {size.x, drawer_px - strip});
  const Splitter border{.id = "drawer_splitter",
                        .is_vertical = false,
                        .begin = {at.x, top},
                        .end = {at.x + size.x, top + strip},
                        .least = ui.px(kLeastTimelinePx),
                        .most = size.y - ui.px(kLeastDrawerPx)};
  const SplitterMove move = draw_splitter(ui, border, timeline_px);
  if (move == SplitterMove::kDragged) part = std::clamp((size.y - timeline_px) / size.y, 0.1f, is_memory ? 0.9f : 0.8f);
  if (move == SplitterMove::kReset) part = is_memory ? Settings().memory_part : Settings().drawer_part;
}

/// A recording without anything to show: what was looked for, and below it what the program wrote.
void Shell::waiting_body(UiContext& ui, ImVec2 at, ImVec2 size) {
  const float console_px =
      std::round(std::clamp(size.y * app_.settings.drawer_part, ui.px(kLeastDrawerPx), size.y * 0.6f));
  ImGui::SetCursorScreenPos(at);
  begin_padded_child("waiting", {size.x, size.y - console_px});
  draw_live_waiting(ui);
  ImGui::EndChild();
  const ImVec2 corner(at.x, at.y + size.y - console_px);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(corner, {at.x + size.x, at.y + size.y}, to_imgui(theme_.panel));
  draw.AddLine({corner.x, corner.y + 0.5f}, {corner.x + size.x, corner.y + 0.5f}, to_imgui(theme_.border));
  ImGui::SetCursorScreenPos(corner);
  begin_padded_child("waiting_console", {size.x, console_px});
  app_.ui.page = DrawerPage::kConsole;
  console_.draw(ui);
  ImGui::EndChild();
}

/// A job whose traces are not open.
void Shell::job_body(UiContext& ui, ImVec2 at, ImVec2 size) {
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(theme_.panel));
  ImGui::SetCursorScreenPos(at);
  begin_padded_child("job_alone", size);
  job_.draw(ui);
  ImGui::EndChild();
}

void Shell::timelines(UiContext& ui, ImVec2 at, ImVec2 size) {
  if (!app_.diff.is_split() || size.y < 2 * ui.px(kLeastTimelinePx)) {
    timeline_.draw(ui, size);
    return;
  }
  // A above, B below, each under a band with its letter and name.
  const float band = std::round(fonts_.ui_px + ui.px(6));
  const float upper = std::round(size.y * 0.5f);
  UiContext other = context(&app_.diff.other());
  const auto half = [&](const char* id, float top, float height, UiContext& context, TimelinePanel& panel) {
    ImGui::SetCursorScreenPos({at.x, at.y + top + band});
    begin_child(id, {size.x, height - band}, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    panel.draw(context, {size.x, height - band});
    ImGui::EndChild();
  };
  half("timeline_a", 0, upper, ui, timeline_);
  half("timeline_b", upper, size.y - upper, other, other_timeline_);
  split_band(ui, "A", app_.title(), at, {size.x, band});
  split_band(ui, "B", app_.diff.title(), {at.x, at.y + upper}, {size.x, band});
}

void Shell::split_band(UiContext& ui, const char* letter, const std::string& name, ImVec2 at, ImVec2 size) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + size.x, at.y + size.y);
  draw.AddRectFilled(at, end, to_imgui(mix(theme_.panel, theme_.accent, 0.16f)));
  draw.AddLine({at.x, at.y + 0.5f}, {end.x, at.y + 0.5f}, to_imgui(theme_.accent));
  const float y = std::round(at.y + (size.y - fonts_.ui_px) * 0.5f) - 1;
  const float used =
      draw_text(draw, fonts_.strong, fonts_.strong_px, {at.x + ui.px(10), y}, to_imgui(theme_.accent), letter, size.x);
  draw_text(draw, fonts_.ui, fonts_.ui_px, {at.x + used + ui.px(22), y}, to_imgui(theme_.text), name,
            size.x - used - ui.px(40));
  ui.observed.places[std::string("split_") + letter] = {at.x + size.x * 0.5f, at.y + size.y * 0.5f};
}

}  // namespace lacuna
