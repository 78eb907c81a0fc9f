#pragma once

#include <cstdint>

struct GLFWwindow;

namespace lacuna {

/// Returns the window's id on its X11 display for other programs; 0 if it has none, as on Wayland. UI thread.
std::uint64_t x11_window_of(GLFWwindow* window);

}  // namespace lacuna
