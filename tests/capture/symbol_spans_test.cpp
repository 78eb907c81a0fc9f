// Names of functions by address against libdw's own search, which goes through all symbols for each address.

#include "capture/sampling/symbol_spans.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <cxxabi.h>
#include <doctest/doctest.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

using namespace lacuna;

namespace {

// The rule of the names, from libdw alone: the symbol must reach the address, 4 KiB where it has no size.
std::string name_by_search(Dwfl_Module* module, std::uint64_t address) {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr || offset >= (symbol.st_size == 0 ? 4096 : symbol.st_size)) return {};
  int status = 0;
  char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 ? readable : name;
  std::free(readable);
  return text;
}

struct OwnProcess {
  OwnProcess() {
    static char* no_debug_folders = nullptr;
    static const Dwfl_Callbacks callbacks{
        dwfl_linux_proc_find_elf,
        [](Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) { return -1; },
        nullptr, &no_debug_folders};
    dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(dwfl);
    CHECK(dwfl_linux_proc_report(dwfl, getpid()) == 0);
    dwfl_report_end(dwfl, nullptr, nullptr);
  }
  ~OwnProcess() { dwfl_end(dwfl); }
  Dwfl* dwfl;
};

// Begins, middles and ends of symbols, and what lies beside them.
std::vector<std::uint64_t> places_in(Dwfl_Module* module, int most) {
  std::vector<std::uint64_t> places;
  const int count = dwfl_module_getsymtab(module);
  const int step = std::max(1, count / most);
  for (int i = 0; i < count; i += step) {
    GElf_Sym symbol;
    GElf_Addr begin = 0;
    if (dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr) == nullptr || begin == 0)
      continue;
    for (const std::uint64_t at : {begin - 1, begin, begin + symbol.st_size / 2, begin + symbol.st_size - 1,
                                   begin + symbol.st_size, begin + symbol.st_size + 40})
      places.push_back(at);
  }
  return places;
}

}  // namespace

TEST_CASE("names of functions are those of libdw's search through all symbols, without that search") {
  OwnProcess own;
  // A program with its symbols, and a library with those that it exports only.
  for (const void* inside : {reinterpret_cast<const void*>(&name_by_search), reinterpret_cast<const void*>(&getpid)}) {
    Dwfl_Module* module = dwfl_addrmodule(own.dwfl, reinterpret_cast<std::uint64_t>(inside));
    REQUIRE(module != nullptr);
    SymbolSpans spans(module);
    const std::vector<std::uint64_t> places = places_in(module, 60);
    REQUIRE(places.size() > 100);
    std::size_t named = 0;
    for (const std::uint64_t place : places) {
      const std::string name = spans.at(place);
      named += name.empty() ? 0 : 1;
      CHECK_MESSAGE(name == name_by_search(module, place), place);
    }
    CHECK(named > places.size() / 3);
    CHECK(named < places.size());
    // The search through all symbols is for labels without a size only.
    const std::uint64_t searched = spans.searches();
    const auto begin = reinterpret_cast<std::uint64_t>(inside);
    for (std::uint64_t i = 0; i < 4; ++i) CHECK(spans.at(begin + i) == name_by_search(module, begin));
    CHECK(spans.searches() == searched);
  }
}
