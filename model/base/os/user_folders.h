#pragma once
// The user's folders, on Windows %APPDATA%, %LOCALAPPDATA% and %USERPROFILE% unless variables name others, by the XDG
// Base Directory Specification 0.8 (https://specifications.freedesktop.org/basedir-spec/). As it demands, a variable
// that is not an absolute path counts as not set. Any thread, while no other sets variables.

#include <string>

namespace lacuna {

/// $HOME; empty: not set.
std::string home_folder();
/// $XDG_CONFIG_HOME, else ~/.config; empty: neither is known.
std::string user_config_folder();
/// $XDG_STATE_HOME, else ~/.local/state; empty: neither is known.
std::string user_state_folder();
/// $XDG_CACHE_HOME, else ~/.cache; empty: neither is known.
std::string user_cache_folder();
/// $XDG_RUNTIME_DIR, which is private and deleted at the end of the session; empty: not set.
std::string user_runtime_folder();
/// $TMPDIR, else /tmp.
std::string temporary_folder();

/// Creates `folder` and its parents where missing, and returns whether it is a real folder of this user to
/// which no other user can write: nothing in other users' folders is read, loaded or replaced. errno says why
/// it could not be created.
bool make_private_folder(const std::string& folder);

}  // namespace lacuna
