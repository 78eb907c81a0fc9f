#include "model/import/trace_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <glob.h>

#include "model/base/ascii.h"
#include "model/base/folder_paths.h"
#include "model/formats/file_names.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

/// "rank2" before "rank10": runs of digits compare as numbers.
bool names_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  const auto take_digits = [](std::string_view& text) {
    std::size_t size = 0;
    while (size < text.size() && is_digit(text[size])) ++size;
    std::string_view digits = text.substr(0, size);
    text.remove_prefix(size);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_digits(a);
      const std::string_view y = take_digits(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

bool is_pattern(const std::string& path) {
  return path.find_first_of("*?[") != std::string::npos;
}

/// The files of the first use that there are any of.
std::vector<std::string> files_in(const std::string& folder, std::span<const FormatUse> uses) {
  std::vector<std::string> all;
  std::error_code error;
  for (const fs::path path : folder_paths(folder, error)) {
    std::error_code unknown;
    if (!path.filename().native().starts_with('.') && fs::is_regular_file(path, unknown)) all.push_back(path.string());
  }
  std::vector<std::string> found;
  for (const FormatUse use : uses) {
    std::ranges::copy_if(all, std::back_inserter(found), [&](const std::string& path) {
      return is_named_for(use, std::string_view(path).substr(path.rfind('/') + 1));
    });
    if (!found.empty()) break;
  }
  std::ranges::sort(found, names_less);
  return found;
}

std::vector<std::string> files_matching(const std::string& pattern) {
  std::vector<std::string> found;
  glob_t matches{};
  if (::glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    for (std::size_t i = 0; i < matches.gl_pathc; ++i) {
      std::error_code unknown;
      if (!fs::is_directory(matches.gl_pathv[i], unknown)) found.emplace_back(matches.gl_pathv[i]);
    }
  }
  ::globfree(&matches);
  std::ranges::sort(found, names_less);
  return found;
}

}  // namespace

Result<std::vector<TraceFile>> find_trace_files(std::span<const std::string> paths,
                                                std::span<const FormatUse> of_folders) {
  std::vector<TraceFile> files;
  for (const std::string& path : paths) {
    std::error_code unknown;
    const bool is_folder = fs::is_directory(path, unknown);
    if (!is_folder && (fs::exists(path, unknown) || !is_pattern(path))) {
      files.push_back({path, false});
      continue;
    }
    const std::vector<std::string> found = is_folder ? files_in(path, of_folders) : files_matching(path);
    if (found.empty())
      return fail(ErrorCode::kNotFound,
                  is_folder ? fmt::format("no traces in this directory ({})", describe_names(of_folders))
                            : "no file matches this pattern",
                  path);
    for (const std::string& file : found) files.push_back({file, true});
  }
  return files;
}

bool may_be_traces(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown) || (is_pattern(path) && !files_matching(path).empty());
}

}  // namespace lacuna
