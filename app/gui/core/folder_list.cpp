#include "app/gui/core/folder_list.h"

#include <algorithm>
#include <system_error>
#include <tuple>

#include "app/gui/core/files.h"
#include "model/base/ascii.h"
#include "model/base/os/files.h"
#include "model/base/os/folder_paths.h"
#include "model/base/os/user_folders.h"
#include "model/formats/file_names.h"

namespace lacuna {
namespace {

bool is_listed(const FolderEntry& entry, bool only_traces, bool with_hidden) {
  if (!with_hidden && entry.name.starts_with('.')) return false;
  return entry.is_folder || !only_traces || looks_like_trace(entry.name);
}

}  // namespace

FolderListing list_folder(const std::string& path) {
  FolderListing listing;
  std::error_code error;
  for (const std::string& found : folder_paths(path, error)) {
    FolderEntry& entry = listing.entries.emplace_back();
    entry.name = found.substr(found.rfind('/') + 1);
    const auto facts = facts_at(found);
    if (!facts) continue;  // a link to nowhere: named, without facts
    entry.is_folder = facts->is_folder();
    entry.bytes = entry.is_folder ? 0 : facts->bytes;
    entry.modified_s = facts->modified_ns / 1'000'000'000;
  }
  if (error) listing.problem = error.message();
  return listing;
}

std::vector<std::size_t> rows_of(const std::vector<FolderEntry>& entries, const FolderView& view) {
  struct Row {
    std::size_t index;
    bool begins_with;
    std::string lower;
  };
  const std::string typed = to_lower(view.typed);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!is_listed(entries[i], view.only_traces, view.typed.starts_with('.'))) continue;
    std::string lower = to_lower(entries[i].name);
    const std::size_t at = lower.find(typed);
    if (at != std::string::npos) rows.push_back({i, at == 0, std::move(lower)});
  }
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const FolderEntry& x = entries[a.index];
    const FolderEntry& y = entries[b.index];
    if (a.begins_with != b.begins_with) return a.begins_with;
    if (x.is_folder != y.is_folder) return x.is_folder;
    const auto by_name = std::tie(a.lower, x.name) <=> std::tie(b.lower, y.name);
    if (x.is_folder && view.column != FolderColumn::kModified) {
      return view.column == FolderColumn::kName && view.descending ? by_name > 0 : by_name < 0;
    }
    std::weak_ordering order = by_name;
    if (view.column == FolderColumn::kModified) order = x.modified_s <=> y.modified_s;
    if (view.column == FolderColumn::kSize) order = x.bytes <=> y.bytes;
    if (order == 0) return by_name < 0;
    return view.descending ? order > 0 : order < 0;
  });
  std::vector<std::size_t> indices;
  for (const Row& row : rows) indices.push_back(row.index);
  return indices;
}

std::string expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const std::string home = home_folder();
  return home.empty() ? path : home + path.substr(1);
}

TypedPath split_typed(const std::string& current, const std::string& typed) {
  const std::string whole = expand_home(typed == "~" ? "~/" : typed);
  const std::size_t slash = whole.rfind('/');
  if (slash == std::string::npos) return {current, whole};
  std::string folder = whole.substr(0, slash + 1);
  if (folder.front() != '/') folder = current + "/" + folder;
  folder = absolute_path(folder);
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return {folder, whole.substr(slash + 1)};
}

std::string complete_path(const std::string& typed, const std::vector<FolderEntry>& entries, bool only_traces) {
  const std::string name = typed.substr(typed.rfind('/') + 1);  // npos + 1 is the beginning
  if (typed == "~") return "~/";
  const std::string begin = typed.substr(0, typed.size() - name.size());
  const FolderEntry* first = nullptr;
  std::string common;
  std::size_t count = 0;
  for (const bool exactly : {true, false}) {  // as typed, else in any case
    for (const FolderEntry& entry : entries) {
      if (!is_listed(entry, only_traces, name.starts_with('.'))) continue;
      const bool fits = exactly ? entry.name.starts_with(name) : to_lower(entry.name).starts_with(to_lower(name));
      if (!fits) continue;
      if (count++ == 0) {
        first = &entry;
        common = entry.name;
      }
      const auto end = std::mismatch(common.begin(), common.end(), entry.name.begin(), entry.name.end()).first;
      common.erase(end, common.end());
    }
    if (count > 0) break;
  }
  if (common.size() < name.size()) return typed;
  return begin + common + (count == 1 && first->is_folder ? "/" : "");
}

}  // namespace lacuna
