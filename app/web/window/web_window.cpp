#include "app/web/window/web_window.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/gui/core/files.h"
#include "app/gui/shell/graphics.h"
#include "app/gui/shell/kept_settings.h"
#include "app/gui/shell/settle.h"
#include "app/gui/shell/shell.h"
#include "app/gui/shell/window_keys.h"
#include "app/web/window/web_input.h"
#include "app/web/wire/frame_encoder.h"
#include "app/web/wire/frame_pace.h"
#include "model/base/guarded.h"
#include "model/base/start_thread.h"
#include "render/paint/imgui_compat.h"

namespace lacuna {
namespace {

using WebJson = nlohmann::json;

constexpr double kFramePeriodS = 1.0 / 60;
/// Frames in which waiting input is taken before one is drawn for the page.
constexpr int kMostUndrawn = 20;

double now_s() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// The turn of a window to use ImGui: its current context is one for the whole process.
class ImGuiTurn {
 public:
  explicit ImGuiTurn(ImGuiContext* context) : lock_(mutex()) { ImGui::SetCurrentContext(context); }
  ~ImGuiTurn() { ImGui::SetCurrentContext(nullptr); }
  ImGuiTurn(const ImGuiTurn&) = delete;
  ImGuiTurn& operator=(const ImGuiTurn&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex turn;
    return turn;
  }
  std::lock_guard<std::mutex> lock_;
};

/// What the page is told beside frames, each when it changes.
struct PageState {
  std::string title;
  int cursor = 0;
  bool types = false;     ///< a text box has the cursor
  int caret[2] = {0, 0};  ///< where it is, in layout units
  bool operator==(const PageState&) const = default;
};

thread_local int caret_of_thread[2] = {0, 0};

}  // namespace

/// All that the window's thread alone touches.
class WebWindow::Loop {
 public:
  Loop(WebWindow& window, const WindowOptions& options, std::function<std::string(const std::string&)> offer_download)
      : window_(window), options_(options), offer_download_(std::move(offer_download)) {}
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Result<void> open();
  void run();

 private:
  double wait_s() const;
  void wait_for_work();
  void take(const PageEvent& event);
  void take_link(std::shared_ptr<PageLink> link);
  void frame();
  void send_frame();
  void tell_page();
  void tell(const WebJson& message) const {
    if (link_) link_->send_text(message.dump(-1, ' ', false, WebJson::error_handler_t::replace));
  }
  void fulfil_requests();
  void touch() { settle_ = kSettleFrames; }
  void remember();

  WebWindow& window_;
  WindowOptions options_;
  KeptSettings kept_settings_;
  ImGuiContext* context_ = nullptr;
  std::unique_ptr<App> app_;
  std::unique_ptr<Shell> shell_;
  InputQueue input_;
  std::optional<WindowKeys> keys_;
  WebInput web_input_;
  std::function<std::string(const std::string&)> offer_download_;

  std::shared_ptr<PageLink> link_;
  std::optional<FrameEncoder> encoder_;
  FramePace pace_;
  bool needs_texture_ = true;
  bool is_dirty_ = true;  // a frame was drawn that the page may not have
  PageState sent_state_;
  std::string clipboard_;
  std::optional<std::string> copied_;

  float width_ = 1600, height_ = 900, density_ = 1;
  int settle_ = kSettleFrames;
  bool needs_look_ = true;
  bool was_moving_ = false;
  double last_frame_s_ = 0;
};

WebWindow::Loop::~Loop() {
  if (context_ != nullptr) {
    const ImGuiTurn turn(context_);
    shell_.reset();
    app_.reset();  // joins the threads that may call wake()
    destroy_imgui();
  }
}

Result<void> WebWindow::Loop::open() {
  const auto wake = [&window = window_] { window.wake(true); };
  app_ = kept_settings_.make_app(wake);
  app_->ui.is_in_browser = true;
  if (Result<void> begun = begin(*app_, options_); !begun) return begun;
  options_ = {};
  const ImGuiTurn turn(nullptr);
  create_imgui();
  context_ = ImGui::GetCurrentContext();
  ImGuiIO& io = ImGui::GetIO();
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset | ImGuiBackendFlags_HasMouseCursors;
#if LACUNA_DYNAMIC_FONTS
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
  WebInput::set_up();
#if IMGUI_VERSION_NUM >= 19110
  ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
  platform.Platform_ClipboardUserData = this;
  platform.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
    static_cast<Loop*>(ImGui::GetPlatformIO().Platform_ClipboardUserData)->copied_ = text;
  };
  platform.Platform_GetClipboardTextFn = [](ImGuiContext*) {
    return static_cast<Loop*>(ImGui::GetPlatformIO().Platform_ClipboardUserData)->clipboard_.c_str();
  };
  platform.Platform_SetImeDataFn = [](ImGuiContext*, ImGuiViewport*, ImGuiPlatformImeData* data) {
    caret_of_thread[0] = static_cast<int>(data->InputPos.x);
    caret_of_thread[1] = static_cast<int>(data->InputPos.y);
  };
#else
  io.ClipboardUserData = this;
  io.SetClipboardTextFn = [](void* self, const char* text) { static_cast<Loop*>(self)->copied_ = text; };
  io.GetClipboardTextFn = [](void* self) { return static_cast<Loop*>(self)->clipboard_.c_str(); };
#if IMGUI_VERSION_NUM < 18700
  io.ImeSetInputScreenPosFn = [](int x, int y) {
    caret_of_thread[0] = x;
    caret_of_thread[1] = y;
  };
#endif
#endif
  shell_ = std::make_unique<Shell>(*app_, wake);
  keys_.emplace(*app_, *shell_, input_);
  return {};
}

/// How long nothing has to be done, if nothing happens: 0 at once, negative until something happens.
double WebWindow::Loop::wait_s() const {
  const bool may_send = link_ && pace_.may_send();
  if (app_->is_moving() || settle_ > 0 || !input_.empty()) {
    // What nobody sees is drawn at leisure; what waits for an answer of the page is woken by it.
    if (!link_) return kLoadingPeriodS;
    if (!may_send && input_.empty()) return -1;
    return std::max(0.0, last_frame_s_ + kFramePeriodS - now_s());
  }
  if (app_->loader.is_loading() || app_->diff.is_loading() || app_->is_computing()) return kLoadingPeriodS;
  if (link_ && app_->ui.redraw_in_s > 0) return app_->ui.redraw_in_s;
  return -1;
}

void WebWindow::Loop::wait_for_work() {
  const double seconds = wait_s();
  std::shared_ptr<PageLink> link;
  std::vector<std::string> paths;
  bool was_woken = false;
  {
    std::unique_lock lock(window_.inbox_.mutex);
    const auto is_woken = [this] { return window_.inbox_.is_woken; };
    if (seconds < 0)
      window_.inbox_.news.wait(lock, is_woken);
    else
      window_.inbox_.news.wait_for(lock, std::chrono::duration<double>(seconds), is_woken);
    was_woken = std::exchange(window_.inbox_.is_woken, false);
    if (std::exchange(window_.inbox_.wants_frame, false)) touch();
    link = std::exchange(window_.inbox_.link, nullptr);
    paths = std::exchange(window_.inbox_.paths, {});
  }
  if (!was_woken && settle_ <= 0) settle_ = 1;
  if (link) take_link(std::move(link));
  if (!paths.empty()) {
    app_->open(std::move(paths));
    touch();
  }
  if (!link_) return;
  for (const PageEvent& event : link_->take()) take(event);
  if (!link_->is_open()) {
    link_ = nullptr;
    window_.has_page_ = false;
    app_->workspace.view().keys().release_all();
    touch();
  }
}

void WebWindow::Loop::take_link(std::shared_ptr<PageLink> link) {
  if (link_) {
    link_->on_news({});
    link_->close("This window is shown in another tab now.");
  }
  link_ = std::move(link);
  link_->on_news([&window = window_] { window.wake(false); });
  window_.has_page_ = true;
  encoder_.emplace();
  pace_ = {};
  sent_state_ = {};
  needs_texture_ = is_dirty_ = true;
  tell({{"window", window_.id()}});
  touch();
}

void WebWindow::Loop::take(const PageEvent& event) {
  using Kind = PageEvent::Kind;
  switch (event.kind) {
    case Kind::kHello:
      return;
    case Kind::kPing:
      return tell({{"here", true}});
    case Kind::kAnswer:
      return pace_.note_answer(event.codepoint, now_s(), static_cast<double>(event.x) / 1e3);
    case Kind::kClipboard:
      clipboard_ = event.text.substr(0, event.text.find('\0'));
      return;
    case Kind::kResize:
      needs_look_ = needs_look_ || density_ != event.scale;
      width_ = event.x;
      height_ = event.y;
      density_ = event.scale;
      return touch();
    default:
      input_.push(input_event(event));
      return touch();
  }
}

void WebWindow::Loop::run() {
  while (app_->requests.find<ask::Quit>() == nullptr) {
    wait_for_work();
    int signal = -1;
    {
      const std::lock_guard lock(window_.inbox_.mutex);
      signal = window_.inbox_.signal;
    }
    if (signal >= 0) {
      if (signal > 0) app_->live.end_by_signal(signal);
      break;
    }
    if (app_->update()) touch();
    const bool moving = app_->is_moving();
    if (settle_ <= 0 && !moving && input_.empty()) {
      if (is_dirty_ && link_ && pace_.may_send()) frame();
      continue;
    }
    if (link_ && !pace_.may_send() && input_.empty()) continue;  // the newest goes when the page is ready for it
    if (now_s() < last_frame_s_ + kFramePeriodS * 0.9 && input_.empty()) continue;
    if (settle_ > 0) --settle_;
    frame();
    fulfil_requests();
  }
  if (link_) {
    link_->on_news({});
    link_->close("This window was closed. Reload the page for a new one.");
  }
  remember();
}

void WebWindow::Loop::frame() {
  const ImGuiTurn turn(context_);
  ImGuiIO& io = ImGui::GetIO();
  if (needs_look_ || app_->ui.look_changed) {
    needs_look_ = false;
    shell_->set_look(1, density_);
#if !LACUNA_DYNAMIC_FONTS
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);  // made by now, or ImGui draws nothing
#endif
    needs_texture_ = true;
    touch();
  }
  const double now = now_s();
  // After a sleep nothing has moved yet: the first frame of a movement counts as one frame.
  const double seconds = was_moving_ ? std::min(now - last_frame_s_, kLongestStepS) : kFramePeriodS;
  io.DeltaTime = static_cast<float>(std::max(1e-4, std::min(now - last_frame_s_, 1.0)));
  last_frame_s_ = now;
  io.DisplaySize = {width_, height_};
  io.DisplayFramebufferScale = {density_, density_};

  for (int undrawn = 0;; ++undrawn) {
    web_input_.feed(input_, [this](const InputQueue::Event& event) { return keys_->take(event); });
    ImGui::NewFrame();
    if (window_.observer_) window_.observer_->before_frame(*app_);
    shell_->draw(undrawn == 0 ? seconds : 1e-4);
    // Input that waits is taken first, or a hand that is faster than the line would see what it did later.
    if (input_.empty() || undrawn == kMostUndrawn) break;
    ImGui::EndFrame();
    io.DeltaTime = 1e-4f;
    app_->update();
  }
  was_moving_ = app_->is_moving();
  ImGui::Render();
  is_dirty_ = true;
  send_frame();
  tell_page();
  if (window_.observer_) window_.observer_->after_frame(*app_, *shell_);
}

/// In the window's turn.
void WebWindow::Loop::send_frame() {
  if (!link_ || !pace_.may_send()) return;
#if LACUNA_DYNAMIC_FONTS
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantCreate || texture->Status == ImTextureStatus_WantUpdates) {
      texture->SetTexID(1);
      texture->SetStatus(ImTextureStatus_OK);
      needs_texture_ = true;
    } else if (texture->Status == ImTextureStatus_WantDestroy) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    }
  }
#endif
  if (std::exchange(needs_texture_, false)) link_->send(encoder_->encode_font_texture());
  is_dirty_ = false;
  if (std::optional<std::string> message = encoder_->encode(*ImGui::GetDrawData(), shell_->theme().background)) {
    pace_.note_sent(encoder_->frame(), now_s());
    link_->send(std::move(*message));
  }
}

/// In the window's turn.
void WebWindow::Loop::tell_page() {
  if (!link_) return;
  PageState now;
  now.title = app_->title();
  now.title += now.title.empty() ? "Lacuna" : " \xE2\x80\x93 Lacuna";
  now.cursor = ImGui::GetMouseCursor();
  now.types = ImGui::GetIO().WantTextInput;
  if (now.types) std::copy_n(caret_of_thread, 2, now.caret);
  if (now != sent_state_) {
    tell({{"title", now.title}, {"cursor", now.cursor}, {"types", now.types}, {"caret", now.caret}});
    sent_state_ = std::move(now);
  }
  if (std::optional<std::string> text = std::exchange(copied_, std::nullopt)) {
    clipboard_ = *text;
    tell({{"copy", std::move(*text)}});
  }
}

void WebWindow::Loop::fulfil_requests() {
  if (app_->ui.look_changed) touch();
  if (app_->requests.take<ask::ToggleFullscreen>()) tell({{"fullscreen", true}});
  if (std::optional<ask::Download> wish = app_->requests.take<ask::Download>())
    tell({{"download", offer_download_(wish->path)}, {"name", file_name(wish->path)}});
  if (ask::WritePicture* wish = app_->requests.find<ask::WritePicture>(); wish != nullptr) {
    touch();
    if (wish->in_frames-- <= 0 && !is_dirty_) {
      const std::string name = file_name(app_->requests.take<ask::WritePicture>()->path);
      const TimelinePanel& panel = shell_->timeline();
      tell({{"picture", name}, {"part", {panel.corner().x, panel.corner().y, panel.size().x, panel.size().y}}});
      app_->ui.notice = "Your browser saves " + name;
    }
  }
  bool is_dragging = false;
  {
    const ImGuiTurn turn(context_);
    is_dragging = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  }
  if (kept_settings_.are_worth_keeping(*app_, is_dragging)) remember();
}

void WebWindow::Loop::remember() {
  app_->side_car.flush(app_->workspace);
  kept_settings_.keep(*app_);
}

WebWindow::WebWindow(const WindowOptions& options, std::string id, std::unique_ptr<FrameObserver> observer,
                     std::function<std::string(const std::string&)> offer_download)
    : id_(std::move(id)), observer_(std::move(observer)) {
  thread_ = start_thread([this, options, offer = std::move(offer_download)] {
    const auto note = [this](std::string_view words) {
      const std::lock_guard lock(inbox_.mutex);
      inbox_.problem = words;
    };
    (void)run_guarded(
        [&] {
          Loop loop(*this, options, offer);
          if (Result<void> opened = loop.open(); !opened) return note(opened.error().message());
          loop.run();
        },
        note);
    is_running_ = false;
    has_page_ = false;
  });
  if (!thread_.joinable()) {
    is_running_ = false;
    inbox_.problem = kNoMoreThreads;
  }
}

WebWindow::~WebWindow() {
  stop(0);
}

void WebWindow::wake(bool wants_frame) {
  const std::lock_guard lock(inbox_.mutex);
  inbox_.is_woken = true;
  inbox_.wants_frame = inbox_.wants_frame || wants_frame;
  inbox_.news.notify_one();
}

void WebWindow::attach(std::shared_ptr<PageLink> link) {
  {
    const std::lock_guard lock(inbox_.mutex);
    if (inbox_.link) inbox_.link->close("This window is shown in another tab now.");
    inbox_.link = std::move(link);
  }
  has_page_ = true;
  wake(false);
}

void WebWindow::open(std::string path) {
  {
    const std::lock_guard lock(inbox_.mutex);
    inbox_.paths.push_back(std::move(path));
  }
  wake(false);
}

bool WebWindow::has_page() const {
  return has_page_;
}

void WebWindow::stop(int signal) {
  {
    const std::lock_guard lock(inbox_.mutex);
    inbox_.signal = std::max(inbox_.signal, signal);
  }
  wake(false);
}

std::string WebWindow::problem() const {
  const std::lock_guard lock(inbox_.mutex);
  return inbox_.problem;
}

}  // namespace lacuna
