#include "model/import/request_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "model/import/trace_files.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRequestEndings[] = {".json", ".jsonl", ".json.gz", ".jsonl.gz"};

/// The one with this name and one of the endings; empty without any.
std::string existing_one(const std::string& stem) {
  for (const std::string_view ending : kRequestEndings) {
    std::error_code failed;
    std::string path = stem + std::string(ending);
    if (fs::is_regular_file(path, failed)) return path;
  }
  return {};
}

std::string requests_beside(const std::string& trace) {
  std::string stem = trace;
  if (std::string found = existing_one(stem + ".otel"); !found.empty()) return found;
  for (const std::string_view ending : {".gz", ".zst", ".json", ".jsonl"})
    if (stem.ends_with(ending)) stem.erase(stem.size() - ending.size());
  if (std::string found = existing_one(stem + ".otel"); !found.empty()) return found;
  return existing_one((fs::path(trace).parent_path() / "requests").string());
}

}  // namespace

std::vector<std::string> find_request_files(std::span<const std::string> traces) {
  std::vector<std::string> files;
  const auto is_among = [](std::span<const std::string> paths, const std::string& path) {
    return std::ranges::any_of(paths, [&](const std::string& other) {
      return fs::path(other).lexically_normal() == fs::path(path).lexically_normal();
    });
  };
  for (const std::string& trace : traces) {
    if (is_url(trace)) continue;
    std::string found = requests_beside(trace);
    if (!found.empty() && !is_among(traces, found) && !is_among(files, found)) files.push_back(std::move(found));
  }
  return files;
}

}  // namespace lacuna
