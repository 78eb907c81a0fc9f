#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/byte_source.h"
#include "model/base/result.h"

namespace lacuna {

/// The contents of Perfetto's manifest (perfetto_manifest.json) about the files beside it in an archive or folder.
struct TraceManifest {
  struct File {
    std::string path;            ///< in the archive
    std::string machine = {};    ///< "": not said
    std::string reference = {};  ///< the file whose clock it follows; "": not said
    std::int64_t offset_ns = 0;  ///< time of the reference's clock at time 0 of this file's clock
  };
  std::vector<File> files;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< of the archive; values as JSON

  const File* find(const std::string& path) const;
};

/// Whether these bytes begin like a manifest.
bool is_manifest(const ByteSource& bytes);
/// Reads a manifest. kInvalidArgument with a message if it does not have version 1, or contradicts itself.
Result<TraceManifest> read_manifest(const ByteSource& bytes);

}  // namespace lacuna
