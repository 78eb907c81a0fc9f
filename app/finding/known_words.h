#pragma once
// Which names can be published because they do not identify the owner of a trace. UI and command line; any thread.

#include <string_view>

namespace lacuna {

/// Whether the name of an operator, annotation, runtime call or state comes from PyTorch, its libraries or the
/// profiler.
bool is_public_name(std::string_view name);
/// Whether a kernel, copy or set is a library's: its first namespace or first word is, and so is everything that its
/// template arguments name.
bool is_public_kernel(std::string_view name);
/// Whether it is a module class of torch.nn.
bool is_public_module(std::string_view name);
/// Whether profilers write this key of args with a number or a word of their own as its value.
bool is_public_argument(std::string_view key);
/// Whether this top-level value of a trace says nothing about people.
bool is_public_member(std::string_view key);

}  // namespace lacuna
