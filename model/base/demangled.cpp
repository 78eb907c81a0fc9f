#include "model/base/demangled.h"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace lacuna {

std::optional<std::string> demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                          std::free);
  if (status != 0 || !plain) return std::nullopt;
  return std::string(plain.get());
}

}  // namespace lacuna
