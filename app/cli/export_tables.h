#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "model/base/result.h"
#include "model/import/importer.h"

namespace CLI {
class App;
}

namespace lacuna {

/// lacuna export: tables of traces for other programs.
struct ExportCommand {
  std::string folder;
  std::vector<std::string> tables;  ///< empty: all
  bool force = false;
  bool json = false;

  void add_to(CLI::App& command);
};

std::string_view export_help();

/// Writes a file for each table into the folder; of several traces into folders "rank=N" there, one trace after the
/// other. What it wrote goes to `out`. kInvalidArgument where a file that Lacuna did not write is in the way.
Result<void> run_export(const std::vector<std::string>& paths, const ImportOptions& import,
                        const ExportCommand& command, Output& out);

}  // namespace lacuna
