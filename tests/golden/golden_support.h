#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/trace/trace.h"

namespace lacuna {

/// Returns the folder of shared real traces: $LACUNA_SHARED_TRACES, else ../shared/traces beside the
/// project. Empty if it does not exist: tests that need it call skip().
std::filesystem::path shared_traces();

/// Return tests/fixtures, and the demo trace's path.
std::filesystem::path fixtures();
std::filesystem::path demo_trace();

/// Returns the files below `folder` whose names end in `suffix`, sorted.
std::vector<std::filesystem::path> files_ending_in(const std::filesystem::path& folder, std::string_view suffix);

/// Returns `path` without its ending `suffix`.
std::filesystem::path without_suffix(const std::filesystem::path& path, std::string_view suffix);

nlohmann::json read_json(const std::filesystem::path& path);

/// Imports one file; on failure fails the test and returns an empty trace.
Trace load_golden(const std::filesystem::path& path);

/// Returns all decompressed bytes of the trace's only file.
std::string json_of(const Trace& trace);

/// Returns the byte offsets of the entries of the event list, in file order: entry i of the list starts at
/// result[i]. Finds them by counting brackets, independently of the importer. Valid JSON only.
std::vector<std::uint64_t> event_offsets(std::string_view json);

/// Returns the SHA-256 as lower-case hexadecimal digits.
std::string sha256(std::string_view data);

}  // namespace lacuna
