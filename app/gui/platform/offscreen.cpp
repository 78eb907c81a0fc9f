#include "app/gui/platform/offscreen.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include "app/gui/platform/graphics_library.h"

namespace lacuna {
namespace {

/// A function that EGL has to be asked for.
template <class Function>
Function egl_function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

bool lists(const char* extensions, std::string_view wanted) {
  if (extensions == nullptr) return false;
  const std::string_view all = extensions;
  for (std::size_t at = all.find(wanted); at != std::string_view::npos; at = all.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if ((at == 0 || all[at - 1] == ' ') && (end == all.size() || all[end] == ' ')) return true;
  }
  return false;
}

constexpr std::array<EGLint, 5> kConfigWish = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
constexpr std::array<EGLint, 7> kContextWish = {
    EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 2, EGL_CONTEXT_OPENGL_PROFILE_MASK,
    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};

/// Makes an OpenGL 3.2 context current on `display` without any surface.
EGLContext context_on(EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) {
    return EGL_NO_CONTEXT;
  }
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (lists(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context") &&
      eglBindAPI(EGL_OPENGL_API) == EGL_TRUE &&
      eglChooseConfig(display, kConfigWish.data(), &config, 1, &count) == EGL_TRUE && count > 0) {
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, kContextWish.data());
    if (context != EGL_NO_CONTEXT) {
      if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE) {
        return context;
      }
      eglDestroyContext(display, context);
    }
  }
  eglTerminate(display);
  return EGL_NO_CONTEXT;
}

}  // namespace

Result<std::unique_ptr<OffscreenContext>> OffscreenContext::open(int width, int height) {
  if (Result<void> loaded = load_graphics(GraphicsUse::kOffscreen); !loaded) return tl::make_unexpected(loaded.error());
  std::unique_ptr<OffscreenContext> offscreen(new OffscreenContext);
  offscreen->width_ = width;
  offscreen->height_ = height;
  if (Result<void> made = offscreen->make_context(); !made) return tl::make_unexpected(made.error());
  if (Result<void> made = offscreen->make_framebuffer(); !made) {
    return tl::make_unexpected(made.error());
  }
  return offscreen;
}

Result<void> OffscreenContext::make_context() {
  // Mesa warns on stderr when there is no GPU to open; that is the normal case here.
  ::setenv("EGL_LOG_LEVEL", "fatal", /*overwrite=*/0);
  ::setenv("MESA_LOG_LEVEL", "error", 0);
  const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const auto get_display = egl_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  const auto use = [this](EGLDisplay display) {
    EGLContext context = context_on(display);
    if (context == EGL_NO_CONTEXT) return false;
    display_ = display;
    context_ = context;
    return true;
  };
  if (get_display != nullptr && lists(extensions, "EGL_MESA_platform_surfaceless") &&
      use(get_display(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr))) {
    return {};
  }
  const auto query_devices = egl_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  if (get_display != nullptr && query_devices != nullptr && lists(extensions, "EGL_EXT_platform_device")) {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_TRUE) {
      for (EGLint i = 0; i < count; ++i) {
        if (use(get_display(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr))) {
          return {};
        }
      }
    }
  }
  if (use(eglGetDisplay(EGL_DEFAULT_DISPLAY))) return {};
  return fail(ErrorCode::kUnsupported,
              "no OpenGL 3.2 without a display: EGL found neither Mesa's software renderer "
              "(packages libegl-mesa0, libgl1-mesa-dri) nor a GPU");
}

Result<void> OffscreenContext::make_framebuffer() {
  const auto gen_framebuffers = egl_function<PFNGLGENFRAMEBUFFERSPROC>("glGenFramebuffers");
  const auto bind_framebuffer = egl_function<PFNGLBINDFRAMEBUFFERPROC>("glBindFramebuffer");
  const auto gen_renderbuffers = egl_function<PFNGLGENRENDERBUFFERSPROC>("glGenRenderbuffers");
  const auto bind_renderbuffer = egl_function<PFNGLBINDRENDERBUFFERPROC>("glBindRenderbuffer");
  const auto storage = egl_function<PFNGLRENDERBUFFERSTORAGEPROC>("glRenderbufferStorage");
  const auto attach = egl_function<PFNGLFRAMEBUFFERRENDERBUFFERPROC>("glFramebufferRenderbuffer");
  const auto check = egl_function<PFNGLCHECKFRAMEBUFFERSTATUSPROC>("glCheckFramebufferStatus");
  if (!gen_framebuffers || !bind_framebuffer || !gen_renderbuffers || !bind_renderbuffer || !storage || !attach ||
      !check) {
    return fail(ErrorCode::kUnsupported, "this OpenGL has no framebuffer objects");
  }
  gen_framebuffers(1, &framebuffer_);
  bind_framebuffer(GL_FRAMEBUFFER, framebuffer_);
  gen_renderbuffers(1, &colour_);
  bind_renderbuffer(GL_RENDERBUFFER, colour_);
  storage(GL_RENDERBUFFER, GL_RGBA8, width_, height_);
  attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
  if (check(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return fail(ErrorCode::kUnsupported, "OpenGL cannot draw a picture of " + std::to_string(width_) + " x " +
                                             std::to_string(height_) + " pixels");
  }
  return {};
}

OffscreenContext::~OffscreenContext() {
  if (context_ == nullptr) return;
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

void (*OffscreenContext::load(const char* name))() {
  return eglGetProcAddress(name);
}

std::vector<std::uint8_t> OffscreenContext::read_rgb() const {
  const auto row = static_cast<std::size_t>(width_) * 3;
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(height_));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  std::vector<std::uint8_t> pixels(upside_down.size());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
    const std::size_t from = (static_cast<std::size_t>(height_) - 1 - y) * row;
    std::memcpy(pixels.data() + y * row, upside_down.data() + from, row);
  }
  return pixels;
}

}  // namespace lacuna
