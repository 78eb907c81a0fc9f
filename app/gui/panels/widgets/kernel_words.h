#pragma once

#include <string_view>

#include "app/gui/panels/ui_context.h"
#include "model/kernels/kernel_name.h"
#include "model/trace/category.h"

namespace lacuna {

/// What a kernel's name says; the latest ones that were asked for are kept, so that frames do not read them again. Good
/// until some other names were asked for. UI thread.
const KernelName& read_kernel(std::string_view name);

/// The name of a slice in a tooltip: of a kernel that is known its short name and what it is, else the name, cut.
/// True: the full name is to be shown as well, below everything else.
bool tooltip_name(const UiContext& ui, std::string_view name, CategoryClass category);
/// … which this does, muted and cut.
void tooltip_full_name(const UiContext& ui, std::string_view name);

/// What a title that ends in "…" stands for: the whole word of the name that it begins with. Another title is itself.
std::string_view uncut_title(std::string_view name, std::string_view title);

/// As fitted_name(), with a tooltip that says what a kernel is.
void fitted_kernel_name(const UiContext& ui, std::string_view name, CategoryClass category);

}  // namespace lacuna
