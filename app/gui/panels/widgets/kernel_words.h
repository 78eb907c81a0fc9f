#pragma once

#include <string_view>

#include "app/gui/panels/ui_context.h"
#include "model/kernels/kernel_name.h"
#include "model/trace/category.h"

namespace lacuna {

/// Parses a kernel's name; caches the most recent names, so that frames do not parse them again. The result is valid
/// until some other names were parsed. UI thread.
const KernelName& read_kernel(std::string_view name);

/// Draws the name of a slice in a tooltip: for a known kernel its short name and its description, else the name, cut.
/// Returns true if the caller should also draw the full name, below everything else.
bool tooltip_name(const UiContext& ui, std::string_view name, CategoryClass category);
/// Draws the full name of tooltip_name(), muted and cut.
void tooltip_full_name(const UiContext& ui, std::string_view name);

/// Expands a title that ends in "…" to the whole word of the name that it begins with. Returns other titles unchanged.
std::string_view uncut_title(std::string_view name, std::string_view title);

/// Like fitted_name(), with a tooltip that describes the kernel.
void fitted_kernel_name(const UiContext& ui, std::string_view name, CategoryClass category);

}  // namespace lacuna
