#include "capture/sampling/symbol_spans.h"

#include <algorithm>
#include <iterator>

#include "model/base/demangled.h"

namespace lacuna {
namespace {

std::string readable_symbol(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // a function of C named "i" is none of type int
  return demangled(name).value_or(name);
}

/// As libdw ranks symbols of one place.
int rank_of_binding(const GElf_Sym& symbol) {
  switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL:
      return 3;
    case STB_WEAK:
      return 2;
    case STB_LOCAL:
      return 1;
    default:
      return 0;
  }
}

bool names_a_place(const GElf_Sym& symbol, const char* name) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  return name != nullptr && *name != '\0' && symbol.st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE &&
         type != STT_TLS;
}

}  // namespace

SymbolSpans::SymbolSpans(Dwfl_Module* module) : module_(module) {
  const int count = dwfl_module_getsymtab(module);
  const int first_global = dwfl_module_getsymtab_first_global(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr begin = 0;
    const char* name = dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
    if (!names_a_place(symbol, name)) continue;
    if (symbol.st_size == 0) {
      sizeless_.push_back(begin);
    } else {
      (i < first_global ? locals_ : globals_).push_back({begin, begin + symbol.st_size, 0, i, rank_of_binding(symbol)});
    }
  }
  std::sort(sizeless_.begin(), sizeless_.end());
  sort(globals_);
  sort(locals_);
}

void SymbolSpans::sort(Symbols& symbols) {
  // Of those that begin at one place the preferred one is the last: the smallest, then by binding, then the first.
  std::sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    if (a.end != b.end) return a.end > b.end;
    return a.binding != b.binding ? a.binding < b.binding : a.index > b.index;
  });
  std::uint64_t reach = 0;
  for (Symbol& symbol : symbols) symbol.reach = reach = std::max(reach, symbol.end);
}

const SymbolSpans::Symbol* SymbolSpans::find(const Symbols& symbols, std::uint64_t address) {
  auto at = std::upper_bound(symbols.begin(), symbols.end(), address,
                             [](std::uint64_t a, const Symbol& symbol) { return a < symbol.begin; });
  while (at != symbols.begin()) {
    --at;
    if (address < at->end) return &*at;
    if (address >= at->reach) break;
  }
  return nullptr;
}

std::string SymbolSpans::at(std::uint64_t address) {
  const Symbol* found = find(globals_, address);
  if (found == nullptr) found = find(locals_, address);
  if (found != nullptr) {
    GElf_Sym symbol;
    const char* name = dwfl_module_getsym(module_, found->index, &symbol, nullptr);
    return name != nullptr ? readable_symbol(name) : std::string();
  }
  const auto label = std::upper_bound(sizeless_.begin(), sizeless_.end(), address);
  if (label == sizeless_.begin() || address - *std::prev(label) >= kSizelessReach) return {};
  return search(address);  // a label's answer depends on the section too
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
