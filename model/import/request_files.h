#pragma once

#include <span>
#include <string>
#include <vector>

namespace lacuna {

/// Returns the files of requests to a server (formats/requests/requests.h) beside these traces, each once and none of
/// the traces themselves: for "run.json.gz" run.otel.json and run.json.gz.otel.json, else requests.json in its folder,
/// each also as lines (.jsonl) and with .gz. Blocking; looks at folders, opens no file. O(traces).
std::vector<std::string> find_request_files(std::span<const std::string> traces);

}  // namespace lacuna
