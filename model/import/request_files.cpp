#include "model/import/request_files.h"

#include <filesystem>
#include <string_view>
#include <unordered_set>

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
  return existing_one((fs::path(trace).parent_path() / "requests").generic_string());
}

}  // namespace

std::vector<std::string> find_request_files(std::span<const std::string> traces) {
  const auto normal = [](const std::string& path) { return fs::path(path).lexically_normal().string(); };
  std::unordered_set<std::string> known;  // the traces, and what was found
  for (const std::string& trace : traces) known.insert(normal(trace));
  std::vector<std::string> files;
  for (const std::string& trace : traces) {
    if (is_url(trace)) continue;
    std::string found = requests_beside(trace);
    if (!found.empty() && known.insert(normal(found)).second) files.push_back(std::move(found));
  }
  return files;
}

}  // namespace lacuna
