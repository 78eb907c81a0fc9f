#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/cli/output.h"
#include "model/diff/trace_diff.h"
#include "model/trace/trace.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna diff A B`
struct DiffCommand {
  bool json = false;
  std::string per_step = "auto";  ///< or "always", "never"
  std::string sort_by = "total";
  std::string name_a, name_b;  ///< as given
  std::size_t limit = 20;      ///< rows of each table in text; 0 = all
  bool has_limit = false;
  std::size_t width = 120;

  void add_to(CLI::App& diff);
};

/// Compares the first file of each trace.
void print_diff(const Trace& a, const Trace& b, const DiffCommand& command, Output& out);

}  // namespace lacuna
