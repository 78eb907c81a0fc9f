#pragma once
// Which names can be published because they do not identify the owner of a trace. UI and command line; any thread.

#include <string_view>

namespace lacuna {

/// Whether the name of an operator, annotation or state comes from PyTorch, its libraries or the profiler.
bool is_public_name(std::string_view name);
/// Whether what is a call of a runtime by its category has a name as CUDA, HIP and NCCL give: "cudaLaunchKernel".
bool is_public_call(std::string_view name);
/// Whether a name is a namespace of PyTorch, its libraries or CUDA's.
bool is_public_namespace(std::string_view name);
/// Whether a kernel, copy or set is a library's: each of its names, those in template arguments, too, lies in a
/// namespace of one, or is made of words that their kernels' names are made of.
bool is_public_kernel(std::string_view name);
/// Whether a frame of C code, "<built-in function len>", is Python's own or a method of a type of PyTorch or NumPy.
bool is_public_built_in(std::string_view name);
/// Whether it is the step of an inference server (model/trace/engine_steps.h) and nothing else.
bool is_public_step(std::string_view name);
/// Whether it is a module class of torch.nn.
bool is_public_module(std::string_view name);
/// Whether profilers write this key of args with a number or a word of their own as its value.
bool is_public_argument(std::string_view key);
/// Whether this top-level value of a trace says nothing about people.
bool is_public_member(std::string_view key);
/// Whether profilers write this key inside such a value.
bool is_public_member_key(std::string_view key);
/// Whether it is a type of a tensor or argument, a collective's name, or a kind of synchronisation.
bool is_public_type(std::string_view text);
/// Whether it is a GPU as its driver names it.
bool is_public_device(std::string_view name);
/// Whether it is an IPv4 address, or one of IPv6 in digits, with or without a port.
bool is_network_address(std::string_view text);

}  // namespace lacuna
