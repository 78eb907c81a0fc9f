#include "render/palette.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace lacuna;

namespace {

constexpr CategoryClass kClasses[] = {
    CategoryClass::kOther,           CategoryClass::kCpuOperator,   CategoryClass::kRuntime,
    CategoryClass::kKernel,          CategoryClass::kMemcpy,        CategoryClass::kMemset,
    CategoryClass::kCpuAnnotation,   CategoryClass::kGpuAnnotation, CategoryClass::kPythonFunction,
    CategoryClass::kOverhead,        CategoryClass::kSynchronisation};

double saturation(Rgba c) {
  const auto channel = [&](int shift) { return static_cast<double>((c >> shift) & 0xff); };
  const double most = std::max({channel(24), channel(16), channel(8)});
  return most == 0 ? 0 : (most - std::min({channel(24), channel(16), channel(8)})) / most;
}

double mean_saturation(const Palette& palette, CategoryClass category) {
  double sum = 0;
  for (int hue = 0; hue < kHues; ++hue) sum += saturation(palette.colour(static_cast<std::uint8_t>(hue), category).fill);
  return sum / kHues;
}

}  // namespace

TEST_CASE("contrast is that of WCAG") {
  CHECK(Palette::contrast(0xffffffff, 0x000000ff) == doctest::Approx(21));
  CHECK(Palette::contrast(0x777777ff, 0xffffffff) == doctest::Approx(4.48).epsilon(0.01));
  CHECK(Palette::contrast(0x12345600, 0x123456ff) == doctest::Approx(1));
}

TEST_CASE("labels can be read on every colour of both themes") {
  for (const bool dark : {false, true}) {
    const Palette palette(dark);
    for (const CategoryClass category : kClasses) {
      for (int hue = 0; hue < kHues; ++hue) {
        const Palette::Colour& colour = palette.colour(static_cast<std::uint8_t>(hue), category);
        CAPTURE(dark);
        CAPTURE(hue);
        CHECK(Palette::contrast(colour.fill, colour.text) >= 4.5);
        CHECK((colour.text == 0x000000ff || colour.text == 0xffffffff));
        CHECK((colour.fill & 0xff) == 0xff);
      }
    }
  }
}

TEST_CASE("slices stand out from the background") {
  for (const bool dark : {false, true}) {
    const Rgba background = dark ? 0x16181dff : 0xffffffff;
    for (const CategoryClass category : kClasses)
      for (int hue = 0; hue < kHues; ++hue)
        CHECK(Palette::contrast(Palette(dark).colour(static_cast<std::uint8_t>(hue), category).fill, background) >= 1.3);
  }
}

TEST_CASE("a name keeps its colour in every version") {
  // Pinned: people know their kernels by colour. Change these only with a reason.
  CHECK(Palette::hue_of("aten::mm") == 9);
  CHECK(Palette::hue_of("cudaLaunchKernel") == 2);
  CHECK(Palette::hue_of("") == 7);
}

TEST_CASE("names that differ in digits share a colour, others rarely do") {
  CHECK(Palette::hue_of("ProfilerStep#3") == Palette::hue_of("ProfilerStep#1024"));
  CHECK(Palette::hue_of("sm80_xmma_gemm_f32f32") == Palette::hue_of("sm90_xmma_gemm_f16f16"));
  std::vector<int> uses(kHues, 0);
  for (int i = 0; i < 2400; ++i) {
    std::string name = "op";
    for (int rest = i; rest > 0; rest /= 26) name += static_cast<char>('a' + rest % 26);
    ++uses[Palette::hue_of(name)];
  }
  for (const int n : uses) CHECK((n > 50 && n < 200));  // 100 each if even
}

TEST_CASE("kinds of work look different") {
  for (const bool dark : {false, true}) {
    const Palette palette(dark);
    const double kernel = mean_saturation(palette, CategoryClass::kKernel);
    const double cpu = mean_saturation(palette, CategoryClass::kCpuOperator);
    const double python = mean_saturation(palette, CategoryClass::kPythonFunction);
    const double overhead = mean_saturation(palette, CategoryClass::kOverhead);
    CHECK(kernel > cpu + 0.15);
    CHECK(cpu > python + 0.15);
    CHECK(python > overhead);
    std::set<Rgba> fills;
    for (const CategoryClass category : {CategoryClass::kKernel, CategoryClass::kMemcpy, CategoryClass::kCpuOperator,
                                         CategoryClass::kRuntime, CategoryClass::kCpuAnnotation, CategoryClass::kPythonFunction,
                                         CategoryClass::kOverhead})
      fills.insert(palette.slice("same name", category));
    CHECK(fills.size() == 7);
  }
}

TEST_CASE("the hues of a pool are those of its names and follow it when it grows") {
  StringPool pool;
  const StringId first = pool.intern("aten::mm");
  NameHues hues(pool);
  const StringId second = pool.intern("ncclKernel_AllReduce");
  CHECK(hues[first] == Palette::hue_of("aten::mm"));
  CHECK(hues[second] == 0);  // not taken in yet
  hues.extend(pool);
  CHECK(hues[second] == Palette::hue_of("ncclKernel_AllReduce"));
  CHECK(hues.size() == pool.size());
}
