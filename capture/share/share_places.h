#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// Returns the folder for sockets of recordings that can be watched, which only this user may enter (mode
/// 0700): `lacuna` in $XDG_RUNTIME_DIR, else lacuna-UID in the temporary folder. Created if need be; an error
/// when another user owns it or can open it.
Result<std::string> share_folder();

/// Returns the path of a socket named by the user: `name` itself when it has a slash, else in share_folder().
Result<std::string> share_path(const std::string& name);

/// Leaves a note in share_folder() about a socket elsewhere, so that its recording is found. Returns the file to
/// remove at the end; empty when no note is needed (the socket is in the folder) or possible.
std::string leave_note(const std::string& socket);

/// Returns the sockets of recordings under way, by path; removes the remains of killed recordings in share_folder().
std::vector<std::string> shared_recordings();

}  // namespace lacuna
