#pragma once

#include <string_view>

#include "model/category.h"
#include "render/draw_list.h"

namespace lacuna {

/// Colours of slices: stable (the same name has the same colour in every trace and session),
/// pleasant, distinguishable for colour-blind people, labels with a contrast of at least 4.5:1
/// (WCAG AA). Names that differ only in digits ("ProfilerStep#3") share a colour.
class Palette {
 public:
  explicit Palette(bool dark) : dark_(dark) {}
  bool is_dark() const { return dark_; }

  Rgba slice(std::string_view name, CategoryClass category) const;
  /// Black or white, whichever reads better on `fill`.
  static Rgba label_on(Rgba fill);
  /// Contrast ratio by WCAG 2.1, 1..21.
  static double contrast(Rgba a, Rgba b);

 private:
  bool dark_;
};

}  // namespace lacuna
