#pragma once

#include <span>
#include <string>
#include <thread>

#include "model/import/importer.h"

namespace lacuna {

/// Whether the path is that of a pipe, which can be read once only.
bool is_pipe(const std::string& path);

/// Says once on standard error what the import waits for, when nothing has been written into a pipe for a second.
/// `progress` must outlive it.
class PipeNotice {
 public:
  PipeNotice(std::span<const std::string> paths, const ImportProgress& progress);

 private:
  std::jthread watch_;
};

}  // namespace lacuna
