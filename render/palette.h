#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/kernels/kernel_class.h"
#include "model/trace/category.h"
#include "model/trace/string_pool.h"
#include "render/draw_list.h"
#include "render/palette_table.h"

namespace lacuna {

/// Colours of slices: stable (the same name has the same colour in every trace and session),
/// pleasant, distinguishable for colour-blind people, labels with a contrast of at least 4.5:1
/// (WCAG AA). Names that differ only in digits ("ProfilerStep#3") share a colour.
///
/// The category determines the tone (kernels saturated, Python frames greyish, …), the name one of 24
/// hues in it; the colours are the table in palette_table.h.
class Palette {
 public:
  struct Colour {
    Rgba fill = 0;
    Rgba text = 0;  ///< label_on(fill)
  };

  explicit Palette(bool dark);
  bool is_dark() const { return dark_; }

  /// By class: GPU activities have the colour of their kernel_class() instead of their name's.
  void colour_by_class(bool by_class) { by_class_ = by_class; }
  bool is_by_class() const { return by_class_; }

  Rgba slice(std::string_view name, CategoryClass category) const {
    if (by_class_ && is_gpu_activity(category)) return of_class(kernel_class(category, name)).fill;
    return colour(hue_of(name), category).fill;
  }
  /// Returns the colour of a class, wherever classes are shown.
  const Colour& of_class(KernelClass of) const;
  /// Returns the colour for a known hue, such as a frame's (see NameHues). O(1), without reading text.
  const Colour& colour(std::uint8_t hue, CategoryClass category) const {
    return colours_[static_cast<std::size_t>(tone_of(category))][hue % kHues];
  }

  /// Like colour(), in two steps, for loops over one category.
  const Colour* colours(CategoryClass category) const { return colours_[static_cast<std::size_t>(tone_of(category))]; }

  /// Returns the colour of a slice of TrackKind::kThreadStates by name: green runs, orange was preempted, grey waits.
  const Colour& thread_state(std::string_view name) const;

  /// Returns 0 … kHues-1, from the name without its digits. O(length). Never changes between versions.
  static std::uint8_t hue_of(std::string_view name);
  static Tone tone_of(CategoryClass category);
  /// Returns black or white, whichever reads better on `fill`.
  static Rgba label_on(Rgba fill);
  /// Returns the contrast ratio by WCAG 2.1, 1..21. Ignores alpha.
  static double contrast(Rgba a, Rgba b);

 private:
  bool dark_;
  bool by_class_ = false;
  Colour colours_[kTones][kHues];
};

/// Caches the class of each kernel name on first use, so that no frame classifies text twice. One byte per string. For
/// one thread.
class NameClasses {
 public:
  /// `strings`: always those of the same trace, which may grow.
  KernelClass of(const StringPool& strings, StringId name);

 private:
  std::vector<std::uint8_t> classes_;  ///< by string; kUnasked: not classified yet
};

/// The hue of every string of a pool, so that no frame hashes text. One byte per string; built in
/// O(text) once per trace. Read-only afterwards.
class NameHues {
 public:
  NameHues() = default;
  explicit NameHues(const StringPool& strings) { extend(strings); }
  /// Adds the strings that are new in the pool.
  void extend(const StringPool& strings);
  std::uint32_t size() const { return static_cast<std::uint32_t>(hues_.size()); }
  std::uint8_t operator[](StringId name) const {
    return name.value < hues_.size() ? hues_[name.value] : std::uint8_t{0};
  }

 private:
  std::vector<std::uint8_t> hues_;
};

}  // namespace lacuna
