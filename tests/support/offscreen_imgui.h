#pragma once

#include <imgui.h>

namespace lacuna {

/// A Dear ImGui context with a display of `size` layout units and its own font, without a window or a renderer. One at
/// a time, on one thread.
struct OffscreenImGui {
  explicit OffscreenImGui(ImVec2 size = {800, 600}, float density = 1) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = size;
    io.DisplayFramebufferScale = {density, density};
    io.DeltaTime = 1.0f / 60;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#else
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
#endif
  }
  OffscreenImGui(const OffscreenImGui&) = delete;
  OffscreenImGui& operator=(const OffscreenImGui&) = delete;
  ~OffscreenImGui() {
    ImGui::DestroyContext();
  }

  /// Renders a frame of what `draw(ImDrawList&)` draws; valid until the next one.
  template <class Draw>
  const ImDrawData& frame(Draw&& draw) {
    ImGui::NewFrame();
    draw(*ImGui::GetBackgroundDrawList());
    ImGui::Render();
    return *ImGui::GetDrawData();
  }
};

}  // namespace lacuna
