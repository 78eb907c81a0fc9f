#include "app/gui/window/graphics.h"

#include <GL/gl.h>
#include <imgui_impl_opengl3.h>

#include "render/paint/paint_parts.h"

namespace lacuna {

namespace {

/// Slices hide what lies under them and show one texel: neither blending nor filtering is needed, and
/// both are most of a software renderer's work. Only what OpenGL 1.1 has.
void begin_opaque(const ImDrawList*, const ImDrawCmd*) {
  glDisable(GL_BLEND);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void end_opaque(const ImDrawList*, const ImDrawCmd*) {
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glEnable(GL_BLEND);
}

}  // namespace

void create_imgui() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // what is to be remembered is in our own settings
  io.LogFilename = nullptr;
  io.ConfigInputTextCursorBlink = false;  // would keep an idle window drawing
  io.ConfigWindowsMoveFromTitleBarOnly = true;
}

void destroy_imgui() { ImGui::DestroyContext(); }

bool start_renderer() {
  opaque_drawing() = {begin_opaque, end_opaque};
  return ImGui_ImplOpenGL3_Init("#version 150");
}

void stop_renderer() { ImGui_ImplOpenGL3_Shutdown(); }

void renderer_new_frame() { ImGui_ImplOpenGL3_NewFrame(); }

void render_frame(Rgba background, int width, int height) {
  const auto channel = [background](int shift) {
    return static_cast<float>((background >> shift) & 0xffu) / 255.0f;
  };
  glViewport(0, 0, width, height);
  glClearColor(channel(24), channel(16), channel(8), 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void apply_look(Shell& shell, float scale, float density) {
  shell.set_look(scale, density);
#if !LACUNA_DYNAMIC_FONTS
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace lacuna
