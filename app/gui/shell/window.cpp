// The window: GLFW and its events. What is in it is Shell's.

#ifndef GLFW_INCLUDE_NONE
#define GLFW_INCLUDE_NONE
#endif
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>

#include "app/gui/core/files.h"
#include "app/gui/gui.h"
#include "app/gui/platform/end_signals.h"
#include "app/gui/platform/graphics_library.h"
#include "app/gui/platform/imgui_input.h"
#include "app/gui/platform/input_queue.h"
#include "app/gui/platform/picture.h"
#include "app/gui/platform/x11_window.h"
#include "app/gui/shell/graphics.h"
#include "app/gui/shell/kept_settings.h"
#include "app/gui/shell/settle.h"
#include "app/gui/shell/shell.h"
#include "app/gui/shell/window_keys.h"

namespace lacuna {
namespace {

constexpr double kLongestUnpaintedS = 0.1;  // while input waits

std::string& last_glfw_error() {
  static std::string text;
  return text;
}

/// Owns the GLFW window and runs the loop. Draws after an event, while something moves or loads,
/// and otherwise sleeps in glfwWaitEvents: an idle window costs nothing.
class Window {
 public:
  explicit Window(std::unique_ptr<FrameObserver> observer) : observer_(std::move(observer)) {}
  ~Window();
  Result<void> open(const WindowOptions& options);
  void run();

 private:
  Result<void> create();
  void set_callbacks();
  void wait_for_work();
  void frame();
  void look();
  void fulfil_requests();
  void take_picture(int width, int height);
  void remember();
  float scale() const;
  float density() const;
  double refresh_period() const;

  static Window& self(GLFWwindow* window) { return *static_cast<Window*>(glfwGetWindowUserPointer(window)); }
  void push(const InputQueue::Event& event) {
    input_.push(event);
    touch();
  }
  void touch() { settle_ = kSettleFrames; }

  GLFWwindow* window_ = nullptr;
  bool has_backend_ = false;
  std::atomic<bool> woken_{false};
  std::optional<EndSignals> end_signals_;
  std::unique_ptr<App> app_;
  std::unique_ptr<Shell> shell_;
  std::unique_ptr<FrameObserver> observer_;  // may be null
  InputQueue input_;
  std::optional<WindowKeys> keys_;
  ImGuiInput imgui_input_;
  KeptSettings kept_settings_;
  std::string title_;
  int settle_ = kSettleFrames;
  bool needs_look_ = true;
  bool was_moving_ = false;
  double last_frame_s_ = 0;
  double last_painted_s_ = 0;
  int windowed_[4] = {0, 0, 0, 0};  // place before full screen
};

Result<void> Window::create() {
  glfwSetErrorCallback([](int, const char* text) { last_glfw_error() = text; });
  if (glfwInit() != GLFW_TRUE) {
    return fail(ErrorCode::kUnsupported, "no display to open a window on (" + last_glfw_error() + ")");
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  // Unused, and with them Mesa's software renderer would not look for rectangles.
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "lacuna");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "lacuna");

  int width = app_->settings.window_width;
  int height = app_->settings.window_height;
  int x = 0, y = 0, screen_width = 1440, screen_height = 900;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor != nullptr) {
    glfwGetMonitorWorkarea(monitor, &x, &y, &screen_width, &screen_height);
  }
  if (width == 0 || height == 0) {
    width = std::min(1600, screen_width * 9 / 10);
    height = std::min(1000, screen_height * 9 / 10);
  }
  width = std::clamp(width, 320, std::max(320, screen_width));
  height = std::clamp(height, 240, std::max(240, screen_height));
  window_ = glfwCreateWindow(width, height, "Lacuna", nullptr, nullptr);
  if (window_ == nullptr) {
    return fail(ErrorCode::kUnsupported, "cannot open a window with OpenGL 3.2: " + last_glfw_error());
  }
  glfwSetWindowUserPointer(window_, this);
  glfwSetWindowSizeLimits(window_, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  return {};
}

Result<void> Window::open(const WindowOptions& options) {
  const auto wake = [this] {
    woken_ = true;
    glfwPostEmptyEvent();
  };
  end_signals_.emplace(wake);
  app_ = kept_settings_.make_app(wake);
  // Reading starts before the window is up.
  if (Result<void> begun = begin(*app_, options); !begun) return begun;
  if (Result<void> created = create(); !created) return created;

  create_imgui();
  has_backend_ = ImGui_ImplGlfw_InitForOpenGL(window_, /*install_callbacks=*/false);
  set_callbacks();
  if (!start_renderer(glfwGetProcAddress)) {
    return fail(ErrorCode::kUnsupported, "cannot draw with this OpenGL driver");
  }
  app_->ui.x11_window = x11_window_of(window_);
  shell_ = std::make_unique<Shell>(*app_, wake);
  keys_.emplace(*app_, *shell_, input_);
  return {};
}

Window::~Window() {
  end_signals_.reset();
  shell_.reset();
  app_.reset();  // joins the threads that may call wake()
  if (has_backend_) {
    stop_renderer();
    ImGui_ImplGlfw_Shutdown();
  }
  if (ImGui::GetCurrentContext() != nullptr) destroy_imgui();
  if (window_ != nullptr) glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::set_callbacks() {
  using Event = InputQueue::Event;
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
    const char* name = action == GLFW_RELEASE ? nullptr : glfwGetKeyName(key, scancode);
    self(w).push({.kind = Event::Kind::kKey,
                  .key = key,
                  .scancode = scancode,
                  .character = name != nullptr && name[0] != 0 && name[1] == 0 ? name[0] : 0,
                  .action = action,
                  .modifiers = modifiers});
  });
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned codepoint) {
    self(w).push({.kind = Event::Kind::kCharacter, .codepoint = codepoint});
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int modifiers) {
    // No position: asking for it would give where the mouse is by now. The moves before it say it.
    self(w).push({.kind = Event::Kind::kButton, .key = button, .action = action, .modifiers = modifiers});
  });
  glfwSetCursorPosCallback(
      window_, [](GLFWwindow* w, double x, double y) { self(w).push({.kind = Event::Kind::kMove, .x = x, .y = y}); });
  glfwSetScrollCallback(
      window_, [](GLFWwindow* w, double x, double y) { self(w).push({.kind = Event::Kind::kWheel, .x = x, .y = y}); });
  glfwSetCursorEnterCallback(
      window_, [](GLFWwindow* w, int entered) { self(w).push({.kind = Event::Kind::kEnter, .key = entered}); });
  glfwSetWindowFocusCallback(
      window_, [](GLFWwindow* w, int focused) { self(w).push({.kind = Event::Kind::kFocus, .key = focused}); });
  glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
    self(w).touch();
    self(w).app_->open(std::vector<std::string>(paths, paths + count));
  });
  glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float, float) {
    self(w).touch();
    self(w).needs_look_ = true;
  });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) {
    forget_picture();
    self(w).touch();
  });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) {
    forget_picture();
    self(w).touch();
  });
  glfwSetWindowCloseCallback(window_, [](GLFWwindow* w) {
    self(w).touch();
    glfwSetWindowShouldClose(w, GLFW_FALSE);
    self(w).app_->quit();
  });
}

float Window::density() const {
  int window_width = 0, window_height = 0, pixels = 0, pixels_high = 0;
  glfwGetWindowSize(window_, &window_width, &window_height);
  glfwGetFramebufferSize(window_, &pixels, &pixels_high);
  return window_width > 0 ? static_cast<float>(pixels) / static_cast<float>(window_width) : 1.0f;
}

float Window::scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  // Where the system scales the framebuffer, layout units are scaled already.
  return std::clamp(x / density(), 0.5f, 4.0f);
}

double Window::refresh_period() const {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  const int rate = mode != nullptr && mode->refreshRate >= 30 ? mode->refreshRate : 60;
  return 1.0 / std::min(rate, 240);
}

void Window::look() {
  needs_look_ = false;
  apply_look(*shell_, scale(), density());
  touch();
}

void Window::wait_for_work() {
  const bool moving = app_->is_moving();
  const bool waiting = app_->loader.is_loading() || app_->diff.is_loading() || app_->is_computing();
  if (moving || settle_ > 0) {
    // Where swapping does not wait for the screen, this does.
    const double rest = last_frame_s_ + refresh_period() - glfwGetTime();
    if (rest > 0.0005 && input_.empty()) {
      glfwWaitEventsTimeout(rest);
    } else {
      glfwPollEvents();
    }
  } else if (waiting) {
    glfwWaitEventsTimeout(kLoadingPeriodS);
    settle_ = std::max(settle_, 1);
  } else if (app_->ui.redraw_in_s > 0) {
    glfwWaitEventsTimeout(app_->ui.redraw_in_s);
    settle_ = std::max(settle_, 1);
  } else {
    glfwWaitEvents();
  }
  if (woken_.exchange(false)) touch();
}

void Window::run() {
  last_frame_s_ = glfwGetTime();
  while (app_->requests.find<ask::Quit>() == nullptr) {
    wait_for_work();
    if (const int signal = EndSignals::received(); signal != 0) {
      app_->live.end_by_signal(signal);
      break;
    }
    if (app_->update()) touch();
    const bool moving = app_->is_moving();
    if (settle_ <= 0 && !moving) continue;
    if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE) {
      settle_ = 0;
      continue;
    }
    const double due = last_frame_s_ + refresh_period() * 0.9;
    if (glfwGetTime() < due && input_.empty()) continue;  // events came early; wait on
    if (settle_ > 0) --settle_;
    frame();
    fulfil_requests();
  }
  remember();
}

void Window::frame() {
  if (needs_look_ || app_->ui.look_changed) look();
  const double now = glfwGetTime();
  // After a sleep nothing has moved yet: the first frame of a movement counts as one frame.
  const double seconds = was_moving_ ? std::min(now - last_frame_s_, kLongestStepS) : refresh_period();
  last_frame_s_ = now;

  renderer_new_frame();
  ImGui_ImplGlfw_NewFrame();
  imgui_input_.feed(window_, input_, [this](const InputQueue::Event& event) { return keys_->take(event); });
  const bool is_behind = !input_.empty();
  if (is_behind) touch();
  ImGui::NewFrame();
  if (observer_) observer_->before_frame(*app_);
  shell_->draw(seconds);
  was_moving_ = app_->is_moving();
  // Painting is most of a frame's cost. Input that waits is taken first, or a hand that is faster than the
  // frames would see what it did a second later.
  if (is_behind && now - last_painted_s_ < kLongestUnpaintedS && app_->requests.find<ask::WritePicture>() == nullptr)
    return ImGui::EndFrame();
  last_painted_s_ = now;
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  const bool has_changed = render_changes(shell_->theme().background, width, height);
  take_picture(width, height);
  if (has_changed) {
    glfwSwapBuffers(window_);
    note_swap();
  }
  if (observer_) observer_->after_frame(*app_, *shell_);
}

void Window::take_picture(int width, int height) {
  ask::WritePicture* wish = app_->requests.find<ask::WritePicture>();
  if (wish == nullptr) return;
  touch();
  if (wish->in_frames-- > 0) return;
  const std::string path = app_->requests.take<ask::WritePicture>()->path;
  const TimelinePanel& panel = shell_->timeline();
  const float d = density();
  const auto pixels = [d](float units) { return static_cast<int>(std::lround(units * d)); };
  const PixelRect part{pixels(panel.corner().x), pixels(panel.corner().y), pixels(panel.size().x),
                       pixels(panel.size().y)};
  if (Result<void> saved = save_picture(path, part, width, height); saved) {
    app_->ui.notice = "Wrote " + file_name(path);
  } else {
    app_->show_error(saved.error().message());
  }
}

void Window::fulfil_requests() {
  if (app_->ui.look_changed) touch();
  std::string title = app_->title();
  title += title.empty() ? "Lacuna" : " \xE2\x80\x93 Lacuna";
  if (title != title_) {
    title_ = title;
    glfwSetWindowTitle(window_, title.c_str());
  }
  if (app_->requests.take<ask::ToggleFullscreen>()) {
    if (glfwGetWindowMonitor(window_) != nullptr) {
      glfwSetWindowMonitor(window_, nullptr, windowed_[0], windowed_[1], windowed_[2], windowed_[3], 0);
    } else if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor != nullptr) {
      glfwGetWindowPos(window_, &windowed_[0], &windowed_[1]);
      glfwGetWindowSize(window_, &windowed_[2], &windowed_[3]);
      const GLFWvidmode* mode = glfwGetVideoMode(monitor);
      glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }
    app_->observed.is_fullscreen = glfwGetWindowMonitor(window_) != nullptr;
    touch();
  }
  const bool is_dragging = glfwGetMouseButton(window_, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS;
  if (kept_settings_.are_worth_keeping(*app_, is_dragging)) remember();
}

void Window::remember() {
  app_->side_car.flush(app_->workspace);
  if (glfwGetWindowMonitor(window_) == nullptr) {
    glfwGetWindowSize(window_, &app_->settings.window_width, &app_->settings.window_height);
  }
  kept_settings_.keep(*app_);
}

}  // namespace

Result<void> run_window(const WindowOptions& options, const MakeFrameObserver& observe) {
  if (Result<void> loaded = load_graphics(GraphicsUse::kWindow); !loaded) return loaded;
  Window window(observe(0));
  if (Result<void> opened = window.open(options); !opened) return opened;
  window.run();
  return {};
}

std::string list_window_keys() {
  return list_keys(Keymap(load_settings(settings_path()).keys));
}

}  // namespace lacuna
