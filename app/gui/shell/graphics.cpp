#include "app/gui/shell/graphics.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <GL/gl.h>
#include <imgui_impl_opengl3.h>

#include "app/gui/platform/damage.h"
#include "app/gui/platform/plain_program.h"
#include "app/gui/platform/software_drawing.h"

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

/// What render_changes() goes by.
struct KeptPicture {
  DamageFinder damage;
  bool is_kept = true;  // across a swap; false once it was not
  int swaps_to_check = 60;
  int width = 0, height = 0;
  std::vector<std::uint32_t> rows;  // some rows of pixels before the swap
};
KeptPicture& kept_picture() {
  static KeptPicture picture;
  return picture;
}

/// Every some rows of the back buffer.
void read_rows(int width, int height, std::vector<std::uint32_t>& rows) {
  constexpr int kRows = 9;
  rows.resize(static_cast<std::size_t>(width) * kRows);
  for (int r = 0; r < kRows; ++r)
    glReadPixels(0, (2 * r + 1) * height / (2 * kRows), width, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                 rows.data() + static_cast<std::ptrdiff_t>(r) * width);
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

void destroy_imgui() {
  ImGui::DestroyContext();
}

bool start_renderer(GlLoader load) {
  if (!ImGui_ImplOpenGL3_Init("#version 150")) return false;
  // A GPU gains nothing from it.
  if (is_software_renderer() && plain_program().make(load))
    software_drawing().emplace(SoftwareDrawing::Callbacks{draw_opaque, draw_plain, draw_textured});
  return true;
}

void stop_renderer() {
  software_drawing().reset();
  kept_picture() = KeptPicture{};
  plain_program().destroy();
  ImGui_ImplOpenGL3_Shutdown();
}

void renderer_new_frame() {
  ImGui_ImplOpenGL3_NewFrame();
}

namespace {

void set_background(Rgba background, int width, int height) {
  const auto channel = [background](int shift) { return static_cast<float>((background >> shift) & 0xffu) / 255.0f; };
  glViewport(0, 0, width, height);
  glClearColor(channel(24), channel(16), channel(8), 1.0f);
}

}  // namespace

bool render_changes(Rgba background, int width, int height) {
  KeptPicture& kept = kept_picture();
  ImDrawData* data = ImGui::GetDrawData();
  const bool are_pixels = data->DisplayPos.x == 0 && data->DisplayPos.y == 0 && data->FramebufferScale.x == 1 &&
                          data->FramebufferScale.y == 1;
  if (!software_drawing() || !kept.is_kept || !are_pixels) {
    render_frame(background, width, height);
    return true;
  }
  const std::vector<PaintedRect>& parts = kept.damage.find(*data, background, width, height);
  if (parts.empty()) return false;
  set_background(background, width, height);
  glEnable(GL_SCISSOR_TEST);
  for (const PaintedRect& part : parts) {
    glScissor(part.x0, height - part.y1, part.x1 - part.x0, part.y1 - part.y0);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  glDisable(GL_SCISSOR_TEST);
  plain_program().begin_frame();
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  for (int i = 0; i < data->CmdListsCount; ++i) software_drawing()->rewrite(*data->CmdLists[i], white, parts, height);
  ImGui_ImplOpenGL3_RenderDrawData(data);
  kept.width = width;
  kept.height = height;
  if (kept.swaps_to_check > 0) read_rows(width, height, kept.rows);
  return true;
}

void note_swap() {
  KeptPicture& kept = kept_picture();
  if (kept.swaps_to_check == 0 || kept.rows.empty()) return;
  --kept.swaps_to_check;
  std::vector<std::uint32_t> now;
  read_rows(kept.width, kept.height, now);
  // OpenGL promises nothing; Mesa's renderers keep the picture when a swap copies it.
  if (now != kept.rows) kept.is_kept = false;
  kept.rows.clear();
}

void forget_picture() {
  kept_picture().damage.forget();
}

void render_frame(Rgba background, int width, int height) {
  set_background(background, width, height);
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
  forget_picture();  // its font may come to lie elsewhere in the texture
#if !LACUNA_DYNAMIC_FONTS
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace lacuna
