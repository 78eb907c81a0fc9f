#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/import/importer.h"

namespace CLI {
class App;
}

namespace lacuna {

/// What every command that loads traces takes: the files, and how to read them.
struct LoadOptions {
  std::vector<std::string> paths;
  ImportOptions import;

  /// The traces, and the options below.
  void add_to(CLI::App& command, bool needs_traces);
  void add_options_to(CLI::App& command);
};

/// "64", "200M", "1.5G" (powers of 1024; also written KiB, MB …) to bytes; 0 when it is no size.
std::uint64_t parse_byte_size(const std::string& text);

}  // namespace lacuna
