#include "app/gui/window/graphics.h"

#include <GL/gl.h>
#include <imgui_impl_opengl3.h>

#include <optional>

#include "app/gui/window/plain_program.h"
#include "app/gui/window/software_drawing.h"

namespace lacuna {

namespace {

// One window, one renderer: the callbacks of draw lists have nothing else to go by.
PlainProgram& plain_program() {
  static PlainProgram program;
  return program;
}
std::optional<SoftwareDrawing>& software_drawing() {
  static std::optional<SoftwareDrawing> drawing;
  return drawing;
}

void draw_opaque(const ImDrawList*, const ImDrawCmd*) {
  plain_program().use();
  glDisable(GL_BLEND);
}

void draw_plain(const ImDrawList*, const ImDrawCmd*) {
  plain_program().use();
  glEnable(GL_BLEND);
}

void draw_textured(const ImDrawList*, const ImDrawCmd*) {
  plain_program().leave();
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

bool start_renderer(GlLoader load) {
  if (!ImGui_ImplOpenGL3_Init("#version 150")) return false;
  // A GPU gains nothing from it.
  if (is_software_renderer() && plain_program().make(load))
    software_drawing().emplace(SoftwareDrawing::Callbacks{draw_opaque, draw_plain, draw_textured});
  return true;
}

void stop_renderer() {
  software_drawing().reset();
  plain_program().destroy();
  ImGui_ImplOpenGL3_Shutdown();
}

void renderer_new_frame() { ImGui_ImplOpenGL3_NewFrame(); }

void render_frame(Rgba background, int width, int height) {
  const auto channel = [background](int shift) {
    return static_cast<float>((background >> shift) & 0xffu) / 255.0f;
  };
  glViewport(0, 0, width, height);
  glClearColor(channel(24), channel(16), channel(8), 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  ImDrawData* data = ImGui::GetDrawData();
  if (software_drawing()) {
    plain_program().begin_frame();
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    for (int i = 0; i < data->CmdListsCount; ++i) software_drawing()->rewrite(*data->CmdLists[i], white);
  }
  ImGui_ImplOpenGL3_RenderDrawData(data);
}

void apply_look(Shell& shell, float scale, float density) {
  shell.set_look(scale, density);
#if !LACUNA_DYNAMIC_FONTS
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace lacuna
