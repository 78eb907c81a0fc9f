#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/input/archive.h"

namespace lacuna {

inline constexpr std::size_t kTarBlock = 512;

/// Whether a file begins as a zip archive does: with a file, or with the end of an empty list.
bool is_zip_head(std::string_view head);
/// Whether these kTarBlock bytes are the head of a file in a tar archive, checksum included.
bool is_tar_head(std::string_view head);

/// What the archives hold, in their order. kNotATrace with words where the list cannot be read; kLimit for more than
/// OpenedArchive::kMostMembers; kCancelled. A tar archive that is cut off ends there.
Result<std::vector<ArchiveMember>> list_zip(const ImportBytes& bytes, const ImportProgress* progress);
Result<std::vector<ArchiveMember>> list_tar(const ImportBytes& bytes, const ImportProgress* progress);

/// A name as ArchiveMember has it; empty where it leads out of the archive or is no name.
std::string clean_member_name(std::string_view name);

}  // namespace lacuna
