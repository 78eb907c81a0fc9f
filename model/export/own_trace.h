#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Returns the first member of every trace that Lacuna writes, as JSON text with the following separator: the writer.
std::string written_by_member();
/// The key of that member in the metadata.
inline constexpr std::string_view kWrittenByKey = "writtenBy";

/// The key in the metadata of Arrow tables whose value is the table's name.
inline constexpr std::string_view kTableKey = "lacuna.table";

/// Whether Lacuna wrote the file, judged by its contents: it begins with written_by_member() or, for earlier
/// versions, with the header that only their recordings have (compressed or not, whole or cut), or it is a table with
/// kTableKey. Reads a few KB.
/// False if the file cannot be read.
bool is_own_trace(const std::string& path);

}  // namespace lacuna
