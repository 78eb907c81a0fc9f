// Counts every allocation of this executable: frames must not make any once they are warm.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

#include <doctest/doctest.h>

#include "tests/render/scene.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// Sanitizers do not forward this one to the one above, as the standard library does.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace lacuna;

namespace {

Trace busy_trace() {
  TrackMaker maker;
  for (int t = 0; t < 8; ++t) {
    maker.thread("1", std::to_string(10 + t));
    for (int i = 0; i < 500; ++i)
      maker.slice("a name that is long enough not to fit into a small string", i * 1000, 900)
          .slice("inner", i * 1000 + 10, 300);
    for (int i = 0; i < 100; ++i) maker.instant("mark", i * 5000);
  }
  for (int s = 0; s < 4; ++s) {
    maker.stream("0", std::to_string(7 + s));
    for (int i = 0; i < 2000; ++i) maker.slice("gemm", i * 250, 100 + i % 90);
  }
  std::vector<std::pair<Nanos, double>> samples;
  for (int i = 0; i < 5000; ++i) samples.emplace_back(i * 100, i % 37);
  maker.counter("1", "Memory that is allocated on the device", samples);
  return maker.make();
}

}  // namespace

TEST_CASE("the counter counts") {
  const std::uint64_t before = allocations;
  const std::string text(100, 'x');
  CHECK(text.size() == 100);
  CHECK(allocations == before + 1);
}

TEST_CASE("panning and zooming allocate nothing after warm-up, with pinned tracks as well") {
  Scene scene(busy_trace());
  scene.input.emphasis.selected = scene.slice("gemm");
  const Camera start = scene.input.view.camera;
  const TrackId pins[] = {scene.trace.tracks()[0].id, scene.trace.tracks()[9].id};
  const auto tour = [&] {
    for (int zoom = 0; zoom < 12; ++zoom) {
      for (int step = 0; step < 20; ++step) {
        scene.input.view.camera = start.zoomed_at(500, std::exp2(zoom)).panned(step * 13.7);
        scene.input.view.scroll_y = static_cast<float>(step * 10);
        layout_timeline(scene.input, scene.vertical, scene.list);
        layout_timeline(scene.input, scene.pinned, scene.pinned_list);  // the pane above
      }
    }
  };
  scene.vertical = layout_vertically(scene.input);
  scene.pinned = layout_pinned(scene.input, pins);
  tour();
  const std::uint64_t before = allocations;
  tour();
  CHECK(allocations - before == 0);
  REQUIRE(!scene.list.headers.empty());
}
