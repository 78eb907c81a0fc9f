#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// A file to put into a zip archive.
struct ZipEntry {
  std::string name;       ///< path in the archive, with '/' as separator
  std::string text = {};  ///< its contents …
  std::string path = {};  ///< … or the file with its contents; empty: use `text`
};

/// Writes a zip archive of `entries`, completely or not at all. Texts are deflated; files are stored unchanged, because
/// they are compressed already. No owner, time or path of this machine is included: equal entries give equal bytes.
/// kInvalidArgument: the file at `path` must be kept; kNotWritable; kNotReadable if an entry cannot be read. Blocking.
Result<void> write_zip(const std::string& path, Existing existing, const std::vector<ZipEntry>& entries);

}  // namespace lacuna
