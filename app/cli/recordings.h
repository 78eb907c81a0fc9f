#pragma once

#include <string>
#include <string_view>

#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna recordings`: what windows that crashed left behind, and what is kept by recordings under way.
struct RecordingsOptions {
  bool saves = false;  ///< --save was given
  std::string save;    ///< name of one to save; empty: the only one
  std::string output;  ///< … to
  bool force = false;  ///< … whatever lies there
  std::string remove;  ///< name of one to delete, or "all"
  void add_to(CLI::App& command);
};

Result<void> run_recordings(const RecordingsOptions& options);

}  // namespace lacuna
