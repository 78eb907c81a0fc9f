#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// Where recordings that can be watched have their sockets: a folder that only this user may enter (mode
/// 0700), `lacuna` in $XDG_RUNTIME_DIR, else lacuna-UID in the temporary folder. Made if need be; refused
/// when another user owns it or can open it.
Result<std::string> share_folder();

/// The socket that a user means: a path where there is a slash, else a name in share_folder().
Result<std::string> share_path(const std::string& name);

/// Leaves word in share_folder() of a recording whose socket is elsewhere, so that it is found. The file to remove
/// at its end; empty where none is needed (it is in the folder) or possible.
std::string leave_note(const std::string& socket);

/// Sockets of recordings under way, by path; what recordings that were killed left in share_folder() is removed.
std::vector<std::string> shared_recordings();

}  // namespace lacuna
