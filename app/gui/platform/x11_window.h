#pragma once

#include <cstdint>

struct GLFWwindow;

namespace lacuna {

/// The window's id for other programs on its X11 display; 0 where it has none, as on Wayland. UI thread.
std::uint64_t x11_window_of(GLFWwindow* window);

}  // namespace lacuna
