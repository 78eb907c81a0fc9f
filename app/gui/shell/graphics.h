#pragma once
// What the window and the off-screen renderer have in common: the ImGui context and its OpenGL 3
// renderer.

#include "app/gui/platform/plain_program.h"
#include "app/gui/shell/shell.h"

namespace lacuna {

/// Creates the ImGui context as the program wants it: no ini file, no blinking, no navigation keys.
void create_imgui();
void destroy_imgui();

/// Needs a current OpenGL context of at least 3.2. False when the renderer cannot be set up.
bool start_renderer(GlLoader load);
void stop_renderer();
void renderer_new_frame();
/// Draws ImGui's draw data over a cleared framebuffer of this size in pixels.
void render_frame(Rgba background, int width, int height);
/// The same where what was drawn before is in the framebuffer still: a renderer in software draws only what
/// changed. False: nothing did, there is nothing to present.
bool render_changes(Rgba background, int width, int height);
/// Must be called after each swap that follows render_changes(): finds out whether the framebuffer keeps its picture.
void note_swap();
/// The next render_changes() draws everything: what is on the screen may have been lost.
void forget_picture();

/// Shell::set_look and what has to follow it. Between frames only.
void apply_look(Shell& shell, float scale, float density);

}  // namespace lacuna
