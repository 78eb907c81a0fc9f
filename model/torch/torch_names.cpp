#include "model/torch/torch_names.h"

#include <array>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

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

/// As c10::demangle: the text itself when it is no mangled name. One-letter names are left alone,
/// because they would turn into the types that letters stand for.
std::string demangled(std::string_view text) {
  std::string name(text);
  if (name.size() <= 1) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> result(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                      std::free);
  if (status == 0 && result) name = result.get();
  return name;
}

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
  std::string name = demangled(text);
  if (name.starts_with("ProfilerStep#")) name = "ProfilerStep*";
  return intern(name);
}

}  // namespace lacuna
