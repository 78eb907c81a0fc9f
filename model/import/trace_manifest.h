#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/byte_source.h"
#include "model/base/result.h"

namespace lacuna {

/// What Perfetto's manifest (perfetto_manifest.json) says of the files that it lies beside in an archive or folder.
struct TraceManifest {
  struct File {
    std::string path;            ///< in the archive
    std::string machine = {};    ///< "": not said
    std::string reference = {};  ///< the file whose clock it follows; "": not said
    std::int64_t offset_ns = 0;  ///< what the reference's clock reads when this file's reads 0
  };
  std::vector<File> files;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< of the archive; values as JSON

  const File* find(const std::string& path) const;
};

/// Whether these bytes begin as a manifest does.
bool is_manifest(const ByteSource& bytes);
/// kInvalidArgument with words where it is none of version 1, or contradicts itself.
Result<TraceManifest> read_manifest(const ByteSource& bytes);

}  // namespace lacuna
