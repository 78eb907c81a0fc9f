#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/load_options.h"
#include "app/cli/output.h"
#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// Steps of SQLite after which a query is given up unless --steps says otherwise: some minutes.
inline constexpr std::uint64_t kMostQuerySteps = 20'000'000'000;

/// lacuna query: SQL over traces.
struct QueryCommand {
  std::vector<std::string> words;  ///< traces, followed by the SQL unless a file gives it
  std::string file;
  bool json = false;
  bool csv = false;
  bool arrow = false;
  bool stdio = false;
  bool schema = false;
  std::optional<std::size_t> limit;
  std::uint64_t steps = kMostQuerySteps;  ///< 0: any number
  LoadOptions load;

  void add_to(CLI::App& command);
};

/// Runs the query and writes its rows. Errors name the place in the SQL as byte, line and column.
Result<void> run_query(const QueryCommand& command, std::size_t width, Output& out);

}  // namespace lacuna
