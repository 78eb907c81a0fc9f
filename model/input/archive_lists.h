#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/input/archive.h"

namespace lacuna {

inline constexpr std::size_t kTarBlock = 512;

/// Whether `head` is the beginning of a zip archive: a local file header, or the end record of an empty archive.
bool is_zip_head(std::string_view head);
/// Whether these kTarBlock bytes are a tar header, checksum included.
bool is_tar_head(std::string_view head);

/// Return an archive's members, in its order. kNotATrace with a message if the list cannot be read; kLimit for more
/// than OpenedArchive::kMostMembers; kCancelled. A truncated tar archive ends where the data end.
Result<std::vector<ArchiveMember>> list_zip(const ImportBytes& bytes, const ImportProgress* progress);
Result<std::vector<ArchiveMember>> list_tar(const ImportBytes& bytes, const ImportProgress* progress);

/// Returns a name in the form of ArchiveMember::name; empty if it leads out of the archive or is not a name.
std::string clean_member_name(std::string_view name);

}  // namespace lacuna
