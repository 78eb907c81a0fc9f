#pragma once

#include <string>
#include <string_view>

#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna recordings`: lists the recordings of crashed windows and of recordings that still run.
struct RecordingsOptions {
  bool saves = false;  ///< --save was given
  std::string save;    ///< name of the recording to save; empty: the only one
  std::string output;  ///< the file for --save
  bool force = false;  ///< replaces an existing file
  std::string remove;  ///< name of one to delete, or "all"
  void add_to(CLI::App& command);
};

Result<void> run_recordings(const RecordingsOptions& options);

}  // namespace lacuna
