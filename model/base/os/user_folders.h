#pragma once
// Where a program keeps what is the user's, by the XDG Base Directory Specification 0.8
// (https://specifications.freedesktop.org/basedir-spec/). A variable that is not an absolute path counts as not set,
// as that says. Any thread, while no other sets variables.

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
/// $XDG_RUNTIME_DIR, which is private and goes with the session; empty: not set.
std::string user_runtime_folder();
/// $TMPDIR, else /tmp.
std::string temporary_folder();

/// Makes `folder`, and what is above it, where it is not there, and says whether it is a real folder of this user into
/// which no other user can write: nothing in other users' folders is read, loaded or replaced. errno tells why
/// it could not be made.
bool make_private_folder(const std::string& folder);

}  // namespace lacuna
