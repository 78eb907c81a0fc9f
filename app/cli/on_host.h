#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/remote/remote_place.h"
#include "model/base/result.h"

namespace lacuna {

class FarSide;

/// The commands of other machines get no standard input: an error where somebody gives them some, or where their words
/// say that they would read it ("python -").
Result<void> check_input_for_host(const RemotePlace& place, const std::vector<std::string>& words);

/// Runs one of our commands at `place`, with its output here while it comes; Ctrl+C, SIGTERM and SIGUSR1 are passed on.
/// Returns its exit code. `output`: gets what it writes to standard output, too; may be null. `describes_line`: says
/// before how long the line took, as a line of `lacuna doctor`.
Result<int> run_on_host(const RemotePlace& place, const std::vector<std::string>& words, std::string* output,
                        bool describes_line);

/// Fetches what `paths` stand for at `place` (RemoteFiles), with its progress on standard error. Ctrl+C ends it.
Result<std::vector<std::string>> fetch_from_host(const RemotePlace& place, const std::vector<std::string>& paths);

/// A line to `place`, once it is known that there are files for `paths`.
Result<std::unique_ptr<FarSide>> find_on_host(const RemotePlace& place, const std::vector<std::string>& paths);

}  // namespace lacuna
