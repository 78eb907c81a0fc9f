#pragma once
// What names say nothing of whose trace it is. UI and command line; any thread.

#include <string_view>

namespace lacuna {

/// An operator, annotation, runtime call or state whose name PyTorch, its libraries or the profiler made.
bool is_public_name(std::string_view name);
/// A kernel, copy or set of a library: its first namespace or its first word is a library's, and so is all that its
/// template arguments name.
bool is_public_kernel(std::string_view name);
/// A module class of torch.nn.
bool is_public_module(std::string_view name);
/// A key of args that a profiler writes, whose value is a number or a word of its own.
bool is_public_argument(std::string_view key);
/// A top-level value of a trace that says nothing about people.
bool is_public_member(std::string_view key);

}  // namespace lacuna
