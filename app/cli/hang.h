#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna hang`
struct HangCommand {
  std::vector<std::string> paths;
  bool json = false;
  std::size_t width = 120;

  void add_to(CLI::App& hang);
};

/// Says which collectives never completed, from dumps of the flight recorder. Errors: those of reading a file.
Result<void> print_hang(const HangCommand& command, Output& out);

}  // namespace lacuna
