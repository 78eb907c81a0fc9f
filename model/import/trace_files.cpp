#include "model/import/trace_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/base/natural_order.h"
#include "model/base/os/folder_paths.h"
#include "model/formats/file_names.h"
#include "model/formats/formats.h"
#include "model/input/archive.h"
#include "model/input/streams.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& path) {
  return path.find_first_of("*?[") != std::string::npos;
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Those of the first use that any has a name for.
std::vector<std::string> of_first_use(const std::vector<std::string>& all, std::span<const FormatUse> uses) {
  std::vector<std::string> found;
  for (const FormatUse use : uses) {
    std::ranges::copy_if(all, std::back_inserter(found),
                         [&](const std::string& path) { return is_named_for(use, name_of(path)); });
    if (!found.empty()) break;
  }
  std::ranges::sort(found, natural_less);
  return found;
}

/// The files of a folder whose names do not begin with a dot.
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> all;
  std::error_code error;
  for (const fs::path path : folder_paths(folder, error)) {
    std::error_code unknown;
    if (!path.filename().string().starts_with('.') && fs::is_regular_file(path, unknown)) all.push_back(path.string());
  }
  return all;
}

/// The folders below that have traces, as far as they are looked through.
std::vector<std::string> folders_with_traces(const std::string& folder, std::span<const FormatUse> uses) {
  constexpr std::size_t kMostFolders = 2000, kDeepest = 6;
  std::vector<std::string> found;
  std::vector<std::pair<std::string, std::size_t>> to_see{{folder, 0}};
  for (std::size_t i = 0; i < to_see.size() && to_see.size() < kMostFolders; ++i) {
    const auto [here, depth] = to_see[i];
    if (depth > 0 && !of_first_use(files_of(here), uses).empty()) found.push_back(here);
    std::error_code error;
    for (const fs::path path : folder_paths(here, error)) {
      std::error_code unknown;
      const bool is_folder = fs::is_directory(fs::symlink_status(path, unknown));
      if (is_folder && depth < kDeepest && !path.filename().string().starts_with('.'))
        to_see.emplace_back(path.string(), depth + 1);
    }
  }
  std::ranges::sort(found, natural_less);
  return found;
}

std::vector<std::string> files_matching(const std::string& pattern) {
  std::vector<std::string> found;
  for (std::string& path : paths_matching(pattern))
    if (std::error_code unknown; !fs::is_directory(path, unknown)) found.push_back(std::move(path));
  std::ranges::sort(found, natural_less);
  return found;
}

/// Fills a list with what paths stand for.
class FileSearch {
 public:
  FileSearch(const TraceFileSearch& search, std::vector<TraceFile>& files) : search_(search), files_(files) {}

  Result<void> add(const std::string& path) {
    if (is_url(path))
      return fail(ErrorCode::kUnsupported,
                  "is an address on the network, and Lacuna fetches nothing: download the file, then open it", path);
    std::error_code unknown;
    if (fs::is_directory(path, unknown)) return add_folder(path);
    if (!fs::exists(path, unknown) && file_on_disk(path) == path && is_pattern(path)) {
      const std::vector<std::string> found = files_matching(path);
      if (found.empty()) return fail(ErrorCode::kNotFound, "no file matches this pattern", path);
      add_all(found);
      return {};
    }
    const auto archive = search_.opens_archives && !is_compressed_trace(path)
                             ? OpenedArchive::open(path, search_.most_bytes, search_.progress)
                             : Result<std::shared_ptr<const OpenedArchive>>();
    // What cannot be opened says so when it is read, where one failure leaves the other files as they are.
    if (!archive && archive.error().code != ErrorCode::kNotFound) return tl::make_unexpected(archive.error());
    if (archive && *archive != nullptr) return add_archive(path, *archive);
    files_.push_back({path, false});
    return {};
  }

 private:
  /// By its name: what it holds would have to be decompressed to see that it is no archive.
  bool is_compressed_trace(const std::string& path) const {
    const std::string lower = to_lower(name_of(path));
    return std::ranges::any_of(kContainerEndings, [&](std::string_view ending) { return lower.ends_with(ending); }) &&
           std::ranges::any_of(search_.uses, [&](FormatUse use) { return is_named_for(use, lower); });
  }

  void add_all(const std::vector<std::string>& found) {
    for (const std::string& path : found) files_.push_back({path, true});
  }

  /// Of files that none has a name for, those that a format knows by their first bytes. Chrome JSON, the last one,
  /// knows none: it takes what is left.
  std::vector<std::string> of_known_bytes(std::vector<std::string> all) const {
    constexpr std::size_t kMostLooked = 256;
    std::ranges::sort(all, natural_less);
    if (all.size() > kMostLooked) all.resize(kMostLooked);
    std::erase_if(all, [&](const std::string& path) {
      const auto file = open_file(path, search_.most_bytes, nullptr);
      if (!file) return true;
      const Format& format = recognise_format(*file);
      return &format == all_formats().back() || std::ranges::find(search_.uses, format.use) == search_.uses.end();
    });
    return all;
  }

  Result<void> add_folder(const std::string& folder) {
    const std::vector<std::string> all = files_of(folder);
    if (const auto found = of_first_use(all, search_.uses); !found.empty()) {
      add_all(found);
      return {};
    }
    std::vector<std::string> archives;
    std::ranges::copy_if(all, std::back_inserter(archives), [](const std::string& p) { return is_named_archive(p); });
    std::ranges::sort(archives, natural_less);
    if (!archives.empty() && search_.opens_archives) {
      for (const std::string& archive : archives)
        if (auto added = add(archive); !added) return added;
      return {};
    }
    if (const auto found = of_known_bytes(all); !found.empty()) {
      add_all(found);
      return {};
    }
    const std::vector<std::string> below = folders_with_traces(folder, search_.uses);
    if (below.size() == 1) {
      add_all(of_first_use(files_of(below.front()), search_.uses));
      return {};
    }
    std::string cause = fmt::format("no traces in this directory ({})", describe_names(search_.uses));
    if (!below.empty()) {
      const auto inside = [&](std::size_t i) {
        return below[i].substr(folder.size() + (folder.ends_with('/') ? 0 : 1));
      };
      cause = fmt::format("no traces in this directory, but in {} folders below it; open one: {}, {}{}", below.size(),
                          inside(0), inside(1), below.size() > 2 ? " …" : "");
    }
    return fail(ErrorCode::kNotFound, std::move(cause), folder);
  }

  Result<void> add_archive(const std::string& path, const std::shared_ptr<const OpenedArchive>& archive) {
    std::vector<std::string> all;
    std::vector<std::string> archives;
    for (const ArchiveMember& member : archive->members()) {
      const std::string_view name = name_of(member.name);
      if (name.starts_with('.') || member.name.starts_with("__MACOSX/")) continue;
      (is_named_archive(name) ? archives : all).push_back(path + "/" + member.name);
    }
    std::vector<std::string> found = of_first_use(all, search_.uses);
    if (found.empty() && archives.empty()) found = of_known_bytes(all);
    for (const std::string& file : found) {
      const ArchiveMember* member = archive->find(std::string_view(file).substr(path.size() + 1));
      files_.push_back({file, true, archive, member == nullptr ? 0 : member->stored});
    }
    std::ranges::sort(archives, natural_less);
    const std::size_t before = files_.size() - found.size();
    for (const std::string& inner : archives)
      if (auto added = add_inner(inner); !added) return added;
    if (files_.size() > before) return {};
    return fail(ErrorCode::kNotFound,
                fmt::format("no traces in this {} archive, which holds {} files ({})", archive->title(),
                            archive->members().size(), describe_names(search_.uses)),
                path);
  }

  /// What holds no traces there is one of the files that are no traces.
  Result<void> add_inner(const std::string& path) {
    const auto archive = OpenedArchive::open(path, search_.most_bytes, search_.progress);
    if (!archive && archive.error().code == ErrorCode::kUnsupported) return {};
    if (!archive) return tl::make_unexpected(archive.error());
    if (*archive == nullptr) return {};
    if (auto added = add_archive(path, *archive); !added && added.error().code != ErrorCode::kNotFound) return added;
    return {};
  }

  const TraceFileSearch& search_;
  std::vector<TraceFile>& files_;
};

}  // namespace

Result<std::vector<TraceFile>> find_trace_files(std::span<const std::string> paths, const TraceFileSearch& search) {
  std::vector<TraceFile> files;
  FileSearch found(search, files);
  for (const std::string& path : paths)
    if (auto added = found.add(path); !added) return tl::make_unexpected(added.error());
  return files;
}

bool is_url(std::string_view path) {
  const std::size_t end = path.find("://");
  return end != path.npos && end > 1 && end < 12 &&
         std::ranges::all_of(path.substr(0, end), [](char c) { return is_ascii_letter(c) || is_digit(c); });
}

bool may_be_traces(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown) || file_on_disk(path) != path || (is_pattern(path) && !files_matching(path).empty());
}

}  // namespace lacuna
