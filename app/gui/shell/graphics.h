#pragma once
// Shared by the window and the off-screen renderer: the ImGui context and its OpenGL 3
// renderer.

#include "app/gui/platform/plain_program.h"
#include "app/gui/shell/shell.h"

namespace lacuna {

/// Creates the ImGui context with this program's settings: no ini file, no blinking, no navigation keys.
void create_imgui();
void destroy_imgui();

/// Needs a current OpenGL context of version 3.2 or later. Returns false when the renderer cannot be set up.
bool start_renderer(GlLoader load);
void stop_renderer();
void renderer_new_frame();
/// Draws ImGui's draw data over a cleared framebuffer of this size in pixels.
void render_frame(Rgba background, int width, int height);
/// Like render_frame(), if the framebuffer still has the last picture: a software renderer draws only the
/// changes. Returns false if there are none, so nothing needs to be presented.
bool render_changes(Rgba background, int width, int height);
/// Call after each swap that follows render_changes(): checks whether the framebuffer keeps its picture.
void note_swap();
/// Makes the next render_changes() draw everything: the screen's contents may have been lost.
void forget_picture();

/// Calls Shell::set_look and updates what depends on it. Between frames only.
void apply_look(Shell& shell, float scale, float density);

}  // namespace lacuna
