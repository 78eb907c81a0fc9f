#pragma once

#include <string>
#include <string_view>

#include "app/cli/record_options.h"
#include "model/base/result.h"

namespace lacuna {

/// `lacuna record`: runs the command, writes its trace, prints progress and messages on standard error
/// and a short table on standard output. Returns the exit code: the command's, unless it was stopped or
/// --exit-zero asks for 0. An Error when nothing could be recorded or saved.
Result<int> record(const RecordOptions& options);

/// The socket that `lacuna attach [NAME]` names. Errors: no recording to attach to, or several.
Result<std::string> recording_to_attach(const std::string& name);

std::string_view attach_help();
std::string_view record_help();
std::string_view live_help();

}  // namespace lacuna
