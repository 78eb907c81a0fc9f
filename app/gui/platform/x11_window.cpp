#include "app/gui/platform/x11_window.h"

#include "app/gui/platform/graphics_library.h"

namespace lacuna {

std::uint64_t x11_window_of(GLFWwindow* window) {
  // Looked up: a GLFW made for Wayland alone lacks it, and its declaration takes the headers of X11.
  using GetX11Window = unsigned long (*)(GLFWwindow*);
  const auto get = reinterpret_cast<GetX11Window>(find_graphics_function("glfwGetX11Window"));
  return get != nullptr ? get(window) : 0;
}

}  // namespace lacuna
