#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <elfutils/libdwfl.h>

namespace lacuna {

/// The places of a module where libdw's answer can change, read once: libdw goes through all symbols for each address,
/// which for libtorch are hundreds of thousands. Inside one span its answer is the same, so it's asked once for each.
/// The module must live as long. One thread at a time.
class SymbolSpans {
 public:
  explicit SymbolSpans(Dwfl_Module* module);

  /// The name of the function at `address`, readable; empty where there is none: what libdw's search of all symbols
  /// says, without a symbol's being stretched over what comes behind its end.
  std::string at(std::uint64_t address);

  /// How often libdw had to be asked: what an address costs.
  std::uint64_t searches() const { return searches_; }

 private:
  static constexpr std::uint64_t kSizelessReach = 4096;

  std::string search(std::uint64_t address);

  Dwfl_Module* module_;
  std::vector<std::uint64_t> bounds_, sizeless_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> covered_;  // by symbols with a size, joined
  std::unordered_map<std::uint64_t, std::string> answers_;        // by the bound at or below
  std::uint64_t searches_ = 0;
};

}  // namespace lacuna
