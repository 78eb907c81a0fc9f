#include "render/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr Rgba kBlack = 0x000000ff;
constexpr Rgba kWhite = 0xffffffff;

/// Relative luminance by WCAG 2.1.
double luminance(Rgba colour) {
  const auto channel = [&](int shift) {
    const double c = static_cast<double>((colour >> shift) & 0xff) / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(24) + 0.7152 * channel(16) + 0.0722 * channel(8);
}

}  // namespace

Palette::Palette(bool dark) : dark_(dark) {
  for (int tone = 0; tone < kTones; ++tone) {
    for (int hue = 0; hue < kHues; ++hue) {
      const Rgba fill = kPaletteTable[dark ? 1 : 0][tone][hue];
      colours_[tone][hue] = {fill, label_on(fill)};
    }
  }
}

std::uint8_t Palette::hue_of(std::string_view name) {
  // FNV-1a and a final mix (the low bits of FNV alone are poor), both fixed for good: a hash that
  // changed would change the colours people know.
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : name) {
    if (c >= '0' && c <= '9') continue;
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  }
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93ull;
  hash ^= hash >> 32;
  return static_cast<std::uint8_t>(hash % kHues);
}

Tone Palette::tone_of(CategoryClass category) {
  switch (category) {
    case CategoryClass::kKernel:
      return Tone::kKernel;
    case CategoryClass::kMemcpy:
    case CategoryClass::kMemset:
      return Tone::kTransfer;
    case CategoryClass::kRuntime:
      return Tone::kRuntime;
    case CategoryClass::kCpuAnnotation:
    case CategoryClass::kGpuAnnotation:
      return Tone::kAnnotation;
    case CategoryClass::kPythonFunction:
    case CategoryClass::kSample:
      return Tone::kPython;
    case CategoryClass::kOverhead:
    case CategoryClass::kSynchronisation:
    case CategoryClass::kThreadState:
      return Tone::kMuted;
    case CategoryClass::kCpuOperator:
    case CategoryClass::kOther:
      break;
  }
  return Tone::kOperator;
}

const Palette::Colour& Palette::thread_state(std::string_view name) const {
  constexpr int kGreen = 10, kOrange = 3, kGrey = 0;
  const auto of = [&](Tone tone, int hue) -> const Colour& { return colours_[static_cast<std::size_t>(tone)][hue]; };
  if (name == kRunningState) return of(Tone::kOperator, kGreen);
  if (name == kPreemptedState) return of(Tone::kKernel, kOrange);
  return of(Tone::kMuted, kGrey);
}

Rgba Palette::label_on(Rgba fill) {
  return contrast(fill, kBlack) >= contrast(fill, kWhite) ? kBlack : kWhite;
}

double Palette::contrast(Rgba a, Rgba b) {
  const double la = luminance(a);
  const double lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

void NameHues::extend(const StringPool& strings) {
  hues_.reserve(strings.size());
  for (std::uint32_t id = size(); id < strings.size(); ++id)
    hues_.push_back(Palette::hue_of(strings.get(StringId{id})));
}

const Palette::Colour& Palette::of_class(KernelClass of) const {
  // Any two lie at least 21 apart (CIE76), in both themes; what waits or is not known is grey.
  struct Look {
    Tone tone;
    int hue;
  };
  constexpr std::array<Look, kKernelClassCount> kLooks{{{Tone::kKernel, 16},
                                                        {Tone::kKernel, 14},
                                                        {Tone::kKernel, 19},
                                                        {Tone::kKernel, 12},
                                                        {Tone::kKernel, 9},
                                                        {Tone::kKernel, 11},
                                                        {Tone::kKernel, 6},
                                                        {Tone::kKernel, 4},
                                                        {Tone::kKernel, 23},
                                                        {Tone::kOperator, 0},
                                                        {Tone::kRuntime, 21},
                                                        {Tone::kKernel, 1},
                                                        {Tone::kMuted, 18},
                                                        {Tone::kPython, 5}}};
  const Look look = kLooks[static_cast<std::size_t>(of)];
  return colours_[static_cast<std::size_t>(look.tone)][look.hue];
}

KernelClass NameClasses::of(const StringPool& strings, StringId name) {
  constexpr std::uint8_t kUnasked = 0xff;
  if (name.value >= classes_.size()) classes_.resize(std::max<std::size_t>(strings.size(), name.value + 1), kUnasked);
  std::uint8_t& known = classes_[name.value];
  if (known == kUnasked) known = static_cast<std::uint8_t>(kernel_class(strings.get(name)));
  return static_cast<KernelClass>(known);
}

}  // namespace lacuna
