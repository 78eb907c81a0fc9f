#include "model/job/flight_dumps.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "model/base/os/folder_paths.h"
#include "model/base/stable_sort.h"
#include "model/formats/flight_recorder/flight_dump.h"
#include "model/formats/pickle/pickle_reader.h"
#include "model/input/bytes.h"

namespace lacuna {
namespace {

/// What is said of a pickle of something else: of a model, say, whose opcodes execute something.
bool is_of_something_else(const Error& error) {
  return error.cause.find("no dump of") != std::string::npos || error.cause.find("is refused") != std::string::npos;
}

/// Of a thousand traces no more than their first bytes are read.
bool begins_like_pickle(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x80 && file.peek() >= 2 && file.peek() <= 5;
}

/// Regular files of a folder by name, as many as are looked at.
std::vector<std::string> files_of(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::filesystem::path path : folder_paths(folder.string(), error)) {
    std::error_code ignored;
    if (!is_regular_file(path, ignored) || file_size(path, ignored) > kMostFlightBytes) continue;
    files.push_back(path.string());
    if (files.size() == kMostFolderFiles) break;
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

HangFiles find_flight_dumps(std::span<const std::string> paths) {
  HangFiles found;
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    const std::filesystem::path whole(path);
    std::error_code ignored;
    folders.insert((std::filesystem::is_directory(whole, ignored) ? whole : whole.parent_path()).string());
  }
  for (const std::string& folder : folders) {
    for (const std::string& path : files_of(folder.empty() ? "." : folder)) {
      if (!begins_like_pickle(path)) continue;
      const Result<OpenedFile> file = open_file(path, kMostFlightBytes * 2, nullptr);
      if (!file || !looks_like_pickle(*file->bytes) || file->bytes->ending().error) continue;
      Result<FlightDump> dump = read_flight_dump(*file->bytes, path);
      if (dump) {
        found.dumps.push_back(std::move(*dump));
      } else if (!is_of_something_else(dump.error())) {
        found.problems.push_back(dump.error().message());
      }
    }
  }
  number_ranks(found.dumps);
  sort_stably(found.dumps, {}, &FlightDump::rank);
  if (!found.dumps.empty()) found.analysis = analyze_hang(found.dumps);
  return found;
}

}  // namespace lacuna
