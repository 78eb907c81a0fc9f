#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/job/rank_facts.h"

namespace lacuna {

/// Version of the digest's columns. A reader accepts files of the same version only.
inline constexpr int kDigestVersion = 6;

/// Whether the file starts like a digest (an Arrow IPC file); false if it cannot be read.
bool is_digest(const std::string& path);

/// Writes `ranks` as one Arrow IPC file (Feather V2): one row per rank, with collectives, kernels, steps and groups as
/// lists of structs, so that any Arrow reader opens it and rows of many digests can be concatenated.
/// Columns: see digest_file.cpp; the schema's metadata has "lacuna.digest" = version. kNotWritable.
Result<void> write_digest(const std::vector<JobRank>& ranks, const std::string& path);

/// Reads a digest. Errors: kNotATrace if the file is not a digest of this version, or damaged; kNotReadable.
Result<std::vector<JobRank>> read_digest(const std::string& path);

}  // namespace lacuna
