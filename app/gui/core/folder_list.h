#pragma once
// File listings of the open dialog: listing, sorting and filtering folders, and completing typed paths.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// One line of a folder listing.
struct FolderEntry {
  std::string name;
  bool is_folder = false;
  std::uint64_t bytes = 0;
  std::int64_t modified_s = 0;  ///< seconds since 1970, UTC
};

struct FolderListing {
  std::vector<FolderEntry> entries;  ///< unsorted, hidden ones included
  std::string problem;               ///< why the folder could not be read, a whole sentence
};
/// Reads names, sizes and dates. Blocks for one stat() per entry.
FolderListing list_folder(const std::string& path);

enum class FolderColumn { kName, kModified, kSize };

/// Which entries are shown, and how they are sorted.
struct FolderView {
  std::string typed = {};  ///< part of the name, case ignored; names that begin with it come first
  bool only_traces = true;
  FolderColumn column = FolderColumn::kModified;
  bool descending = true;
};
/// Returns the indices of the entries to show: folders first, then files. Hidden entries are shown only if `typed`
/// begins with a dot.
std::vector<std::size_t> rows_of(const std::vector<FolderEntry>& entries, const FolderView& view);

/// Replaces "~" and the "~/" of "~/x" by the user's home folder; returns every other path unchanged.
std::string expand_home(const std::string& path);

/// A partly typed path: its complete folder, and the beginning of a name in that folder.
struct TypedPath {
  std::string folder;  ///< absolute
  std::string name;    ///< the text after the last slash
};
/// Splits `typed`, which is relative to `current` unless it begins with "/" or "~".
TypedPath split_typed(const std::string& current, const std::string& typed);

/// Extends the last part of `typed` by the prefix that all shown entries beginning with it have in common; a folder
/// that is the only match gets its slash. `entries`: of the folder that split_typed() returns.
std::string complete_path(const std::string& typed, const std::vector<FolderEntry>& entries, bool only_traces);

}  // namespace lacuna
