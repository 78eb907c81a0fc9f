#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// A file to put into a zip archive.
struct ZipEntry {
  std::string name;       ///< in the archive, with '/' between its parts
  std::string text = {};  ///< what it holds …
  std::string path = {};  ///< … or where that lies; empty: `text`
};

/// Writes a zip archive of them, whole or not at all. Texts are deflated; what has a path is stored as it is, because
/// it is compressed already. No owner, time or path of this machine goes into it: the same entries give the same bytes.
/// kInvalidArgument: what is at `path` stays; kNotWritable; kNotReadable for an entry that cannot be read. Blocking.
Result<void> write_zip(const std::string& path, Existing existing, const std::vector<ZipEntry>& entries);

}  // namespace lacuna
