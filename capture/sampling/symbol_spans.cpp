#include "capture/sampling/symbol_spans.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <cxxabi.h>

namespace lacuna {
namespace {

std::string readable_symbol(const char* name) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 && demangled != nullptr ? demangled : name;
  std::free(demangled);
  return text;
}

}  // namespace

SymbolSpans::SymbolSpans(Dwfl_Module* module) : module_(module) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sized;
  const int count = dwfl_module_getsymtab(module);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr begin = 0;
    if (dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr) == nullptr) continue;
    bounds_.push_back(begin);
    if (symbol.st_size == 0) {
      sizeless_.push_back(begin);
    } else {
      bounds_.push_back(begin + symbol.st_size);
      sized.emplace_back(begin, begin + symbol.st_size);
    }
  }
  std::sort(bounds_.begin(), bounds_.end());
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  std::sort(sizeless_.begin(), sizeless_.end());
  std::sort(sized.begin(), sized.end());
  for (const auto& [begin, end] : sized) {
    if (covered_.empty() || begin > covered_.back().second) covered_.emplace_back(begin, end);
    covered_.back().second = std::max(covered_.back().second, end);
  }
}

std::string SymbolSpans::at(std::uint64_t address) {
  const auto range = std::upper_bound(covered_.begin(), covered_.end(), address,
                                      [](std::uint64_t a, const auto& r) { return a < r.first; });
  const bool is_covered = range != covered_.begin() && address < std::prev(range)->second;
  if (!is_covered) {
    const auto label = std::upper_bound(sizeless_.begin(), sizeless_.end(), address);
    if (label == sizeless_.begin() || address - *std::prev(label) >= kSizelessReach) return {};
    return search(address);  // a label's answer depends on the section too
  }
  const std::uint64_t bound = *std::prev(std::upper_bound(bounds_.begin(), bounds_.end(), address));
  if (const auto known = answers_.find(bound); known != answers_.end()) return known->second;
  return answers_.emplace(bound, search(address)).first->second;
}

std::string SymbolSpans::search(std::uint64_t address) {
  ++searches_;
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
  // Without a symbol of its own the nearest one is somebody else's.
  if (name == nullptr || offset >= (symbol.st_size == 0 ? kSizelessReach : symbol.st_size)) return {};
  return readable_symbol(name);
}

}  // namespace lacuna
