#include "render/palette.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

constexpr CategoryClass kClasses[] = {
    CategoryClass::kOther,         CategoryClass::kCpuOperator,    CategoryClass::kRuntime,
    CategoryClass::kKernel,        CategoryClass::kMemcpy,         CategoryClass::kMemset,
    CategoryClass::kCpuAnnotation, CategoryClass::kGpuAnnotation,  CategoryClass::kPythonFunction,
    CategoryClass::kOverhead,      CategoryClass::kSynchronisation};

double saturation(Rgba c) {
  const auto channel = [&](int shift) { return static_cast<double>((c >> shift) & 0xff); };
  const double most = std::max({channel(24), channel(16), channel(8)});
  return most == 0 ? 0 : (most - std::min({channel(24), channel(16), channel(8)})) / most;
}

double mean_saturation(const Palette& palette, CategoryClass category) {
  double sum = 0;
  for (int hue = 0; hue < kHues; ++hue)
    sum += saturation(palette.colour(static_cast<std::uint8_t>(hue), category).fill);
  return sum / kHues;
}

struct Lab {
  double l, a, b;
};

/// CIELAB (D65) of a colour as somebody sees it whose eyes map linear RGB by `matrix`.
Lab seen(Rgba colour, const double (&matrix)[3][3]) {
  double linear[3], rgb[3];
  for (int k = 0; k < 3; ++k) {
    const double c = static_cast<double>((colour >> (24 - 8 * k)) & 0xff) / 255;
    linear[k] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  for (int k = 0; k < 3; ++k)
    rgb[k] = std::clamp(matrix[k][0] * linear[0] + matrix[k][1] * linear[1] + matrix[k][2] * linear[2], 0.0, 1.0);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047);
  const double y = f(0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2]);
  const double z = f((0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(const Lab& a, const Lab& b) {
  return std::hypot(a.l - b.l, a.a - b.a, a.b - b.b);
}

// Machado, Oliveira, Fernandes: "A Physiologically-based Model for Simulation of Color Vision Deficiency"
// (IEEE TVCG 15(6), 2009), severity 1.0.
constexpr double kEyes[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},  // protanopia
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},  // deuteranopia
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},  // tritanopia
};

}  // namespace

TEST_CASE("kernels and operators can be told apart by colour-blind people") {
  // Two dimensions of colour instead of three cannot hold 24 hues that are all far apart. What is promised:
  // of all pairs of hues at least 93 of 100 differ clearly (dE*ab >= 6), 98 noticeably (2.3, the just
  // noticeable difference of Mahy et al. 1994), and none is the same. The rest is left to labels and outlines.
  for (const bool dark : {false, true}) {
    const Palette palette(dark);
    for (const CategoryClass category : {CategoryClass::kKernel, CategoryClass::kCpuOperator}) {
      for (std::size_t eyes = 0; eyes < 4; ++eyes) {
        int pairs = 0, clear = 0, noticeable = 0;
        double least = 100;
        for (int i = 0; i < kHues; ++i) {
          for (int k = 0; k < i; ++k) {
            const double d = difference(seen(palette.colour(static_cast<std::uint8_t>(i), category).fill, kEyes[eyes]),
                                        seen(palette.colour(static_cast<std::uint8_t>(k), category).fill, kEyes[eyes]));
            ++pairs;
            clear += d >= 6 ? 1 : 0;
            noticeable += d >= 2.3 ? 1 : 0;
            least = std::min(least, d);
          }
        }
        CAPTURE(dark);
        CAPTURE(eyes);
        CHECK(clear * 100 >= pairs * 93);
        CHECK(noticeable * 100 >= pairs * 98);
        CHECK(least >= 1.9);
      }
    }
  }
}

TEST_CASE("classes of GPU work have colours that differ, and labels that can be read") {
  for (const bool dark : {false, true}) {
    const Palette palette(dark);
    for (std::size_t a = 0; a < kKernelClassCount; ++a) {
      const Palette::Colour& colour = palette.of_class(static_cast<KernelClass>(a));
      CAPTURE(dark);
      CAPTURE(a);
      CHECK(Palette::contrast(colour.fill, colour.text) >= 4.5);
      for (std::size_t b = 0; b < a; ++b) {
        CAPTURE(b);
        const Rgba other = palette.of_class(static_cast<KernelClass>(b)).fill;
        CHECK(difference(seen(colour.fill, kEyes[0]), seen(other, kEyes[0])) >= 21);
      }
    }
  }
}

TEST_CASE("by class, a kernel has its class's colour, and nothing else changes") {
  Palette palette(true);
  const Rgba by_name = palette.slice("volta_sgemm_128x64_nn", CategoryClass::kKernel);
  const Rgba operators = palette.slice("aten::mm", CategoryClass::kCpuOperator);
  palette.colour_by_class(true);
  CHECK(palette.slice("volta_sgemm_128x64_nn", CategoryClass::kKernel) == palette.of_class(KernelClass::kGemm).fill);
  CHECK(palette.slice("anything", CategoryClass::kMemcpy) == palette.of_class(KernelClass::kCopy).fill);
  CHECK(palette.slice("aten::mm", CategoryClass::kCpuOperator) == operators);
  palette.colour_by_class(false);
  CHECK(palette.slice("volta_sgemm_128x64_nn", CategoryClass::kKernel) == by_name);
  StringPool pool;
  const StringId gemm = pool.intern("gemm"), later = pool.intern("void softmax()");
  NameClasses classes;
  CHECK(classes.of(pool, gemm) == KernelClass::kGemm);
  CHECK(classes.of(pool, later) == KernelClass::kNormalisation);
  CHECK(classes.of(pool, pool.intern("ncclKernel")) == KernelClass::kCommunication);
  CHECK(classes.of(pool, gemm) == KernelClass::kGemm);
}

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
        CHECK(Palette::contrast(Palette(dark).colour(static_cast<std::uint8_t>(hue), category).fill, background) >=
              1.3);
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
    for (const CategoryClass category :
         {CategoryClass::kKernel, CategoryClass::kMemcpy, CategoryClass::kCpuOperator, CategoryClass::kRuntime,
          CategoryClass::kCpuAnnotation, CategoryClass::kPythonFunction, CategoryClass::kOverhead})
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
