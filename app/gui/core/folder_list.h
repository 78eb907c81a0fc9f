#pragma once
// What the open dialog knows of folders: listing, sorting, narrowing down, and paths as people type them.

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
  std::int64_t modified_s = 0;  ///< since 1970, UTC
};

struct FolderListing {
  std::vector<FolderEntry> entries;  ///< in no order, hidden ones too
  std::string problem;               ///< why the folder could not be read (whole)
};
/// Reads names, sizes and dates. Blocking: one stat() for each entry.
FolderListing list_folder(const std::string& path);

enum class FolderColumn { kName, kModified, kSize };

/// Which entries are shown, and in which order.
struct FolderView {
  std::string typed = {};  ///< a part of the name, case ignored; those that begin with it come first
  bool only_traces = true;
  FolderColumn column = FolderColumn::kModified;
  bool descending = true;
};
/// Indices of the entries to show: folders first, then files. Hidden ones only if `typed`
/// begins with a dot.
std::vector<std::size_t> rows_of(const std::vector<FolderEntry>& entries, const FolderView& view);

/// "~" and "~/x" with the user's home folder in place; everything else as it is.
std::string expand_home(const std::string& path);

/// A path that is being typed: the folder so far, and the beginning of a name in it.
struct TypedPath {
  std::string folder;  ///< absolute
  std::string name;    ///< behind the last slash
};
/// `typed` is relative to `current` unless it begins with "/" or "~".
TypedPath split_typed(const std::string& current, const std::string& typed);

/// `typed` with as much added to its last part as all shown entries that begin with it have in common; a
/// folder that is the only one gets its slash. `entries`: of the folder that split_typed() gives.
std::string complete_path(const std::string& typed, const std::vector<FolderEntry>& entries, bool only_traces);

}  // namespace lacuna
