#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <elfutils/libdwfl.h>

namespace lacuna {

/// The symbols of a module, sorted by address and read once: libdw goes through all of them for each address,
/// which takes 5 ms for the hundreds of thousands in libtorch. The module must outlive this. One thread at a time.
class SymbolSpans {
 public:
  explicit SymbolSpans(Dwfl_Module* module);

  /// Returns the demangled name of the function at `address`, or empty: the symbol that libdw's search would
  /// find, unless it ends before `address` (after 4 KiB where it has no size).
  std::string at(std::uint64_t address);

  /// The number of searches by libdw: for addresses near symbols without a size (labels of assembly).
  std::uint64_t searches() const { return searches_; }

 private:
  static constexpr std::uint64_t kSizelessReach = 4096;

  struct Symbol {
    std::uint64_t begin, end;
    std::uint64_t reach;  // the greatest end of the symbols up to this one
    int index;            // in libdw's symbol table
    int binding;          // the greatest is preferred among symbols at the same address
  };
  using Symbols = std::vector<Symbol>;
  static void sort(Symbols& symbols);
  static const Symbol* find(const Symbols& symbols, std::uint64_t address);
  std::string search(std::uint64_t address);

  Dwfl_Module* module_;
  Symbols globals_, locals_;             // symbols with a size, sorted by begin
  std::vector<std::uint64_t> sizeless_;  // begins of the symbols without a size
  std::uint64_t searches_ = 0;
};

}  // namespace lacuna
