// Widgets drawn by a headless ImGui.
#include "app/gui/panels/widgets/widgets.h"

#include <string>

#include <doctest/doctest.h>
#include <imgui_internal.h>

#include "app/gui/panels/widgets/kernel_words.h"
#include "tests/support/offscreen_imgui.h"

namespace lacuna {
namespace {

/// What widgets do in it.
struct Headless : OffscreenImGui {
  /// Three buttons in a row at `y`, the mouse on the middle one. Their rectangles, and the tooltip's.
  struct Seen {
    ImRect button[3];
    ImRect tooltip;
  };
  Seen row_at(float y) {
    Seen seen;
    for (int frame = 0; frame < 4; ++frame) {
      if (frame > 0) ImGui::GetIO().MousePos = seen.button[1].GetCenter();
      ImGui::NewFrame();
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({800, 600});
      ImGui::Begin("root", nullptr, ImGuiWindowFlags_NoDecoration);
      ImGui::SetCursorPosY(y);
      for (int i = 0; i < 3; ++i) {
        if (i > 0) ImGui::SameLine();
        ImGui::PushID(i);
        ImGui::Button("Button");
        seen.button[i] = {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
        tooltip("What the button does, in a sentence that is longer than the button is wide.");
        ImGui::PopID();
      }
      ImGui::End();
      ImGui::Render();
    }
    const ImGuiWindow* window = ImGui::FindWindowByName("##Tooltip_00");
    REQUIRE(window != nullptr);
    REQUIRE(window->Active);
    seen.tooltip = window->Rect();
    return seen;
  }
};

TEST_CASE("the tooltip of a button covers neither it nor its neighbours, and stays on the screen") {
  Headless headless;
  for (const float y : {40.0f, 570.0f}) {
    CAPTURE(y);
    const Headless::Seen seen = headless.row_at(y);
    for (const ImRect& button : seen.button) CHECK_FALSE(seen.tooltip.Overlaps(button));
    CHECK(seen.tooltip.Min.y >= 0);
    CHECK(seen.tooltip.Max.y <= 600);
    CHECK(seen.tooltip.Max.x <= 800);
  }
}

TEST_CASE("text is broken at its blanks, never inside a number") {
  Headless headless;
  ImGui::NewFrame();
  const auto width = [](const char* s) { return ImGui::CalcTextSize(s).x; };
  CHECK(broken_at_blanks("75,718 events, of which 44,666 slices", width("75,718 events, of which 44,") + 1) ==
        "75,718 events, of which\n44,666 slices");
  CHECK(broken_at_blanks("354 ms of 1.07 s", width("354 ms of 1.07 s") + 1) == "354 ms of 1.07 s");
  CHECK(broken_at_blanks("a b\nc d", width("a b") + 1) == "a b\nc d");
  CHECK(broken_at_blanks("wide", 1) == "wide");
  CHECK(broken_at_blanks("", 10) == "");
  ImGui::EndFrame();
}

TEST_CASE("a kernel's title that was cut is shown whole where there is room") {
  constexpr std::string_view kName =
      "void "
      "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_kernel__5x_cublas<int>(float)";
  CHECK(uncut_title(kName, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_w\xE2\x80\xA6") ==
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_kernel__5x_cublas");
  CHECK(uncut_title(kName, "elementwise_kernel: mul") == "elementwise_kernel: mul");
  CHECK(uncut_title(kName, "other\xE2\x80\xA6") == "other\xE2\x80\xA6");
}

}  // namespace
}  // namespace lacuna
