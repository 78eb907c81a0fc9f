#include "render/paint/theme.h"

#include <array>
#include <cmath>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

using Vec = std::array<double, 3>;
using Matrix = std::array<Vec, 3>;

// Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
constexpr std::array<Matrix, 4> kSights = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

Vec linear(Rgba colour) {
  Vec rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = ((colour >> (24 - 8 * i)) & 0xffu) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

Vec lab(const Vec& rgb, const Matrix& sight) {
  Vec seen{};
  for (std::size_t i = 0; i < 3; ++i)
    seen[i] = std::clamp(sight[i][0] * rgb[0] + sight[i][1] * rgb[1] + sight[i][2] * rgb[2], 0.0, 1.0);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.95047);
  const double y = f(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
  const double z = f((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST_CASE("causes of gaps can be told apart and read, in both themes and by everybody") {
  for (const bool dark : {true, false}) {
    const Theme theme = make_theme(dark);
    CAPTURE(dark);
    for (std::size_t a = 0; a < kGapCauseCount; ++a) {
      CAPTURE(a);
      CHECK(Palette::contrast(theme.gap_causes[a], theme.background) >= 4.5);
      CHECK(Palette::contrast(theme.gap_causes[a], theme.panel) >= 4.5);
      for (std::size_t b = 0; b < a; ++b) {
        for (const Matrix& sight : kSights) {
          const Vec p = lab(linear(theme.gap_causes[a]), sight);
          const Vec q = lab(linear(theme.gap_causes[b]), sight);
          const double distance = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
          CAPTURE(b);
          CHECK(distance >= 13);  // of so many; their hatching differs as well
        }
      }
    }
  }
}

TEST_CASE("text can be read on every surface that it stands on (WCAG AA)") {
  for (const bool dark : {true, false}) {
    const Theme t = make_theme(dark);
    CAPTURE(dark);
    const std::array surfaces = {t.background, t.panel, t.raised, t.hovered, t.process_band, t.ruler};
    const std::array texts = {t.text, t.muted, t.accent, t.good, t.warning, t.error, t.gap};
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
      for (std::size_t x = 0; x < texts.size(); ++x) {
        CAPTURE(s);
        CAPTURE(x);
        CHECK(Palette::contrast(texts[x], surfaces[s]) >= 4.5);
      }
    }
    CHECK(Palette::contrast(t.accent_text, t.accent) >= 4.5);
  }
}

TEST_CASE("labels of slices can be read while others are highlighted") {
  for (const bool dark : {true, false}) {
    const Theme t = make_theme(dark);
    CAPTURE(dark);
    for (const auto& tone : kPaletteTable[dark ? 1 : 0]) {
      for (const Rgba fill : tone) {
        CAPTURE(fill);
        CHECK(Palette::contrast(t.muted, dimmed_fill(t, fill)) >= 4.5);
        const Rgba receded = receded_fill(t, fill);
        CHECK(Palette::contrast(Palette::label_on(receded), receded) >= 4.5);
      }
    }
  }
}

}  // namespace
}  // namespace lacuna
