#include "model/torch/torch_names.h"

#include <array>

#include "model/base/demangled.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 8> kLeftOutNames{"[memory]",
                                                        "[OutOfMemory]",
                                                        "profiler::_record_function_enter",
                                                        "profiler::_record_function_enter_new",
                                                        "profiler::_record_function_exit",
                                                        "aten::is_leaf",
                                                        "aten::output_nr",
                                                        "aten::_version"};

}  // namespace

std::span<const std::string_view> TorchNames::left_out() {
  return kLeftOutNames;
}

std::uint32_t TorchNames::intern(std::string_view text) {
  const auto [it, is_new] = ids_.try_emplace(std::string(text), size());
  if (is_new) texts_.push_back(it->first);
  return it->second;
}

std::uint32_t TorchNames::resolve(std::string_view text) {
  std::string name(text);
  // As c10::demangle. One-letter names are left alone: letters stand for types.
  if (name.size() > 1) name = demangled(name).value_or(name);
  if (name.starts_with("ProfilerStep#")) name = "ProfilerStep*";
  return intern(name);
}

}  // namespace lacuna
