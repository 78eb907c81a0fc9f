#include "app/web/wire/frame_encoder.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "app/web/wire/deflate.h"
#include "tests/support/offscreen_imgui.h"
#include "tests/web/frame_decoder.h"

using namespace lacuna;

namespace {

/// All kinds of shapes, on whole pixels and between them.
void draw_shapes(ImDrawList& list) {
  list.AddRectFilled({10, 10}, {50, 20}, 0xff102030);
  list.AddRectFilled({50, 10}, {50.25f, 20.5f}, 0xff102030);
  list.AddText({10, 40}, 0xffffffff, "glyphs, and again glyphs");
  list.AddLine({0.3f, 100.7f}, {300.123f, 250.9f}, 0x80ff00ff, 1.5f);
  list.AddCircleFilled({400, 300}, 41.7f, 0xff00ff00);
  list.AddTriangleFilled({100, 100}, {200, 100}, {150, 180}, 0xffff0000);
  list.AddRect({500, 500}, {600.5f, 550}, 0xff0000ff, 4);
  list.PushClipRect({100, 100}, {300.5f, 200.25f});
  for (int i = 0; i < 50; ++i)
    list.AddRectFilled({100.0f + static_cast<float>(i) * 7.3f, 110}, {104.0f + static_cast<float>(i) * 7.3f, 125},
                       0xff000000u + static_cast<unsigned>(i / 5));
  list.AddRectFilledMultiColor({0, 0}, {10, 10}, 1, 2, 3, 4);
  list.PopClipRect();
}

/// The same, to half a 64th of a device pixel; glyphs may be off by twice that at their far corner.
void check_same(const FrameDecoder::Frame& frame, const ImDrawData& data) {
  REQUIRE(frame.lists.size() == static_cast<std::size_t>(data.CmdListsCount));
  const float close = 1.02f / (64 * data.FramebufferScale.x);
  for (std::size_t l = 0; l < frame.lists.size(); ++l) {
    const FrameDecoder::List& got = frame.lists[l];
    const ImDrawList& list = *data.CmdLists[static_cast<int>(l)];
    REQUIRE(got.commands.size() == static_cast<std::size_t>(list.CmdBuffer.Size));
    std::size_t at = 0;
    int wrong = 0;
    for (std::size_t c = 0; c < got.commands.size(); ++c) {
      const ImDrawCmd& command = list.CmdBuffer[static_cast<int>(c)];
      CHECK(got.commands[c].count == command.ElemCount);
      CHECK(got.commands[c].clip[0] == command.ClipRect.x);
      CHECK(got.commands[c].clip[3] == command.ClipRect.w);
      for (unsigned i = 0; i < command.ElemCount; ++i, ++at) {
        const ImDrawVert& a = list.VtxBuffer[static_cast<int>(list.IdxBuffer[static_cast<int>(command.IdxOffset + i)] +
                                                              command.VtxOffset)];
        const ImDrawVert& b = got.vertices.at(got.indices.at(at));
        wrong += std::abs(a.pos.x - b.pos.x) > close || std::abs(a.pos.y - b.pos.y) > close || a.uv.x != b.uv.x ||
                 a.uv.y != b.uv.y || a.col != b.col;
      }
    }
    CHECK(at == got.indices.size());
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("what the page decodes is what ImGui drew") {
  for (const float density : {1.0f, 2.0f, 1.5f}) {
    OffscreenImGui offscreen({800, 600}, density);
    FrameEncoder encoder;
    FrameDecoder decoder;
    const ImDrawData& data = offscreen.frame(draw_shapes);
    const auto message = encoder.encode(data, 0x102030ff);
    REQUIRE(message);
    const FrameDecoder::Frame frame = decoder.decode(*message);
    CHECK(frame.number == 1);
    CHECK(frame.width == 800);
    CHECK(frame.density == density);
    CHECK(frame.background == 0x102030ff);
    check_same(frame, data);
  }
}

TEST_CASE("what stays is not sent again") {
  OffscreenImGui offscreen;
  FrameEncoder encoder;
  FrameDecoder decoder;
  float x = 10;
  const auto draw = [&](ImDrawList& list) {
    draw_shapes(list);
    ImGui::SetNextWindowPos({x, 10});
    ImGui::Begin("moves", nullptr, ImGuiWindowFlags_NoSavedSettings);
    ImGui::TextUnformatted("text in a window");
    ImGui::End();
  };
  for (int i = 0; i < 4; ++i) {  // until ImGui knows its sizes
    if (const auto message = encoder.encode(offscreen.frame(draw), 0)) decoder.decode(*message);
  }
  CHECK(!encoder.encode(offscreen.frame(draw), 0));
  CHECK(encoder.encode(offscreen.frame(draw), 1));  // the background did change
  CHECK(decoder.decode(*encoder.encode(offscreen.frame(draw), 0)).lists.size() == 2);
  x = 11;
  const ImDrawData& data = offscreen.frame(draw);
  const auto moved = encoder.encode(data, 0);
  REQUIRE(moved);
  const FrameDecoder::Frame frame = decoder.decode(*moved);
  REQUIRE(frame.lists.size() == 2);
  CHECK(!frame.lists[0].is_new);
  CHECK(frame.lists[1].is_new);
  check_same(frame, data);
  CHECK(moved->size() < 400);
}

TEST_CASE("what is only shifted costs little") {
  OffscreenImGui offscreen;
  FrameEncoder encoder;
  FrameDecoder decoder;
  std::mt19937 chance(5);
  std::vector<ImVec4> slices;  // x, y, width, colour
  for (int i = 0; i < 3000; ++i)
    slices.push_back({static_cast<float>(i) * 0.731f - 400, 20.0f * static_cast<float>(chance() % 20),
                      0.3f + static_cast<float>(chance() % 1000) / 1500, static_cast<float>(chance() % 5)});
  std::size_t first = 0;
  for (int step = 0; step < 6; ++step) {
    const ImDrawData& data = offscreen.frame([&](ImDrawList& list) {
      list.AddRectFilled({0, 0}, {800, 10}, 0xff404040);  // stays
      for (const ImVec4& slice : slices) {
        const float x = slice.x + static_cast<float>(step) * 17.37f;
        if (x > -10 && x < 810)
          list.AddRectFilled({x, slice.y}, {x + slice.z, slice.y + 18}, 0xff000000 + static_cast<ImU32>(slice.w));
      }
    });
    const auto message = encoder.encode(data, 0);
    REQUIRE(message);
    check_same(decoder.decode(*message), data);
    if (step == 0)
      first = message->size();
    else
      CHECK_MESSAGE(message->size() < first / 4, message->size(), " of ", first);
  }
}

TEST_CASE("a new texture begins anew") {
  OffscreenImGui offscreen;
  FrameEncoder encoder;
  FrameDecoder decoder;
  decoder.decode(*encoder.encode(offscreen.frame(draw_shapes), 0));
  const std::string texture = encoder.encode_font_texture();
  CHECK(texture[0] == 2);
  const std::size_t width = static_cast<unsigned char>(texture[1]) + 256u * static_cast<unsigned char>(texture[2]);
  const std::size_t height = static_cast<unsigned char>(texture[3]) + 256u * static_cast<unsigned char>(texture[4]);
  CHECK(inflate_raw(std::string_view(texture).substr(6)).size() ==
        width * height * static_cast<unsigned char>(texture[5]));
  FrameDecoder fresh;  // as of a page that connected meanwhile
  const ImDrawData& data = offscreen.frame(draw_shapes);
  const auto message = encoder.encode(data, 0);
  REQUIRE(message);
  check_same(fresh.decode(*message), data);
}

TEST_CASE("frames of chance are decoded") {
  OffscreenImGui offscreen;
  FrameEncoder encoder;
  FrameDecoder decoder;
  std::mt19937 chance(3);
  const auto number = [&](float most) { return static_cast<float>(chance() % 100'000) / 100'000 * most; };
  for (int i = 0; i < 60; ++i) {
    const ImDrawData& data = offscreen.frame([&](ImDrawList& list) {
      for (std::size_t shapes = chance() % 200; shapes > 0; --shapes) {
        const ImVec2 a(number(900) - 50, number(700) - 50), b(a.x + number(80), a.y + number(30));
        const auto colour = static_cast<ImU32>(chance());
        switch (chance() % 6) {
          case 0:
            list.AddRectFilled(a, b, colour);
            break;
          case 1:
            list.AddText(a, colour, "lacuna");
            break;
          case 2:
            list.AddLine(a, b, colour, 1 + number(3));
            break;
          case 3:
            list.AddRectFilled({std::floor(a.x), std::floor(a.y)}, {std::floor(b.x), std::floor(b.y)}, colour, 3);
            break;
          case 4:
            list.AddCircle(a, number(20) + 1, colour);
            break;
          default:
            list.AddQuadFilled(a, {b.x, a.y}, b, {a.x, b.y + 2}, colour);
        }
      }
    });
    if (const auto message = encoder.encode(data, 0)) check_same(decoder.decode(*message), data);
  }
}

TEST_CASE("what is far away or no number is sent all the same") {
  OffscreenImGui offscreen;
  FrameEncoder encoder;
  FrameDecoder decoder;
  const auto message = encoder.encode(offscreen.frame([](ImDrawList& list) {
    list.AddRectFilled({-1e9f, 0}, {1e12f, 10}, ~0u);
    list.AddRectFilled({NAN, 0}, {5, INFINITY}, ~0u);
    list.AddLine({NAN, NAN}, {5, 5}, ~0u);
  }),
                                      0);
  REQUIRE(message);
  CHECK(!decoder.decode(*message).lists.empty());
}

TEST_CASE("deflate packs what repeats and bears what does not") {
  CHECK(inflate_raw(deflate("")).empty());
  const std::string same(100'000, 'x');
  CHECK(deflate(same).size() < 1000);
  CHECK(inflate_raw(deflate(same)) == same);
  std::mt19937 chance(1);
  std::string noise(300'000, '\0');
  for (char& c : noise) c = static_cast<char>(chance());
  CHECK(inflate_raw(deflate(noise)) == noise);
}
