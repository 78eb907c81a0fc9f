#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/job/rank_facts.h"

namespace lacuna {

/// Version of the digest's columns. A reader takes files of the same version.
inline constexpr int kDigestVersion = 6;

/// Whether the file begins as a digest does (an Arrow IPC file); false where it cannot be read.
bool is_digest(const std::string& path);

/// Writes `ranks` as one Arrow IPC file (Feather V2): a row for each rank, collectives, kernels, steps and groups as
/// lists of structs in it, so that any Arrow reader opens it and rows of many digests can be put under each other.
/// Columns: see digest_file.cpp; the schema's metadata has "lacuna.digest" = version. kNotWritable.
Result<void> write_digest(const std::vector<JobRank>& ranks, const std::string& path);

/// Reads one back. kNotATrace when the file is no digest of this version or damaged; kNotReadable.
Result<std::vector<JobRank>> read_digest(const std::string& path);

}  // namespace lacuna
