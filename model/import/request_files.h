#pragma once

#include <span>
#include <string>
#include <vector>

namespace lacuna {

/// Files of requests to a server (formats/requests/requests.h) beside these traces, each once, none of which is among
/// them: for "run.json.gz" run.otel.json and run.json.gz.otel.json, else requests.json in its folder, each also as
/// lines
/// (.jsonl) and with .gz. Blocking; looks at folders, opens no file.
std::vector<std::string> find_request_files(std::span<const std::string> traces);

}  // namespace lacuna
