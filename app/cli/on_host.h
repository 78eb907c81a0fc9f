#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/remote/remote_place.h"
#include "model/base/result.h"

namespace lacuna {

class FarSide;

/// Commands on other machines get no standard input: an error if it holds data at the start, or if the command's words
/// show that it would be read ("python -").
Result<void> check_input_for_host(const RemotePlace& place, const std::vector<std::string>& words);

/// Runs a Lacuna command at `place` and prints its output as it arrives; Ctrl+C, SIGTERM and SIGUSR1 are passed on.
/// Returns its exit code. `output`: receives a copy of its standard output; may be null. `describes_line`: first prints
/// how long the connection took, as a line of `lacuna doctor`.
Result<int> run_on_host(const RemotePlace& place, const std::vector<std::string>& words, std::string* output,
                        bool describes_line);

/// Fetches the files that `paths` name at `place` (RemoteFiles), with progress on standard error. Ctrl+C ends it.
Result<std::vector<std::string>> fetch_from_host(const RemotePlace& place, const std::vector<std::string>& paths);

/// Connects to `place` and checks that `paths` name files there. Returns the connection.
Result<std::unique_ptr<FarSide>> find_on_host(const RemotePlace& place, const std::vector<std::string>& paths);

}  // namespace lacuna
