#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// The first member of every trace that Lacuna writes, as JSON text with what follows it: who wrote it.
std::string written_by_member();
/// The key of that metadata.
inline constexpr std::string_view kWrittenByKey = "writtenBy";

/// What the metadata of tables in Arrow's format begin with: the table's name.
inline constexpr std::string_view kTableKey = "lacuna.table";

/// Whether the file's own content says that Lacuna wrote it: it begins with written_by_member() or, of earlier
/// versions, with the header that only their recordings have; compressed or not, whole or cut; or it is a table with
/// kTableKey. Reads a few KB.
/// False for what cannot be read.
bool is_own_trace(const std::string& path);

}  // namespace lacuna
