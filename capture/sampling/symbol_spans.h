#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <elfutils/libdwfl.h>

namespace lacuna {

/// A module's symbols in the order of their addresses, read once: libdw goes through all of them for each address,
/// which for libtorch are hundreds of thousands and took 5 ms. The module must live as long. One thread at a time.
class SymbolSpans {
 public:
  explicit SymbolSpans(Dwfl_Module* module);

  /// The name of the function at `address`, readable; empty where there is none: the symbol that libdw's search would
  /// find, unless it does not reach that far (4 KiB where it has no size).
  std::string at(std::uint64_t address);

  /// How often libdw had to search: beside what has a size only (labels of assembly).
  std::uint64_t searches() const { return searches_; }

 private:
  static constexpr std::uint64_t kSizelessReach = 4096;

  struct Symbol {
    std::uint64_t begin, end;
    std::uint64_t reach;  // the greatest end up to this one
    int index;            // in libdw's table
    int binding;          // greater = preferred among those of one place
  };
  using Symbols = std::vector<Symbol>;
  static void sort(Symbols& symbols);
  static const Symbol* find(const Symbols& symbols, std::uint64_t address);
  std::string search(std::uint64_t address);

  Dwfl_Module* module_;
  Symbols globals_, locals_;             // those with a size, by begin
  std::vector<std::uint64_t> sizeless_;  // begins
  std::uint64_t searches_ = 0;
};

}  // namespace lacuna
