#pragma once

#include <string_view>

#include "app/cli/output.h"
#include "app/cli/record_options.h"
#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna env`: the variables with which a program starts dormant.
struct EnvCommand {
  bool json = false;
  bool no_torch = false;
  bool shapes = false;
  bool allocator = false;
  void add_to(CLI::App& env);
};

/// Prints the variables as shell commands or JSON. Error: the collector is not installed where it belongs.
Result<void> print_environment(const EnvCommand& command, Output& out);

/// `lacuna record --dormant`: replaces this process by the command, with those variables. Returns only with an error.
Result<int> run_dormant(const RecordOptions& options);

}  // namespace lacuna
