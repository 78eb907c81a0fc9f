// What packing a frame of lacuna web costs: CPU and bytes, of a timeline of N rectangles that is panned, and of one
// that is zoomed (nothing is where it was). bench_web_frame [N]

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "app/web/wire/frame_encoder.h"
#include "tests/support/offscreen_imgui.h"

namespace {

double cpu_ms() {
  return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 12'000;
  lacuna::OffscreenImGui offscreen({1600, 900});
  struct Slice {
    float x, y, width;
    ImU32 colour;
  };
  std::vector<Slice> slices;
  std::mt19937 chance(1);
  for (int i = 0; i < count; ++i)
    slices.push_back({static_cast<float>(chance() % 1'600'000) / 1000, 20.0f * static_cast<float>(chance() % 40),
                      0.3f + static_cast<float>(chance() % 3000) / 1000,
                      0xff000000u + static_cast<ImU32>(chance() % 300)});
  for (const bool zooms : {false, true}) {
    lacuna::FrameEncoder encoder;
    double spent = 0;
    std::size_t bytes = 0;
    constexpr int kFrames = 60;
    for (int step = 0; step <= kFrames; ++step) {
      const float scale = zooms ? 1 + 0.01f * static_cast<float>(step) : 1,
                  shift = zooms ? 0 : 7.37f * static_cast<float>(step);
      const ImDrawData& data = offscreen.frame([&](ImDrawList& list) {
        for (const Slice& s : slices)
          list.AddRectFilled({s.x * scale + shift, s.y}, {(s.x + s.width) * scale + shift, s.y + 18}, s.colour);
      });
      const double before = cpu_ms();
      const auto message = encoder.encode(data, 0);
      if (step == 0) continue;  // the first one brings all
      spent += cpu_ms() - before;
      bytes += message ? message->size() : 0;
    }
    std::printf("%-8s %6d rectangles: %.2f ms of CPU and %.1f kB a frame\n", zooms ? "zooming" : "panning", count,
                spent / kFrames, static_cast<double>(bytes) / kFrames / 1e3);
  }
}
