#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// A machine or container, and how to reach it.
struct RemotePlace {
  std::string host;                    ///< as in the user's ssh configuration; may be empty with a transport
  std::vector<std::string> transport;  ///< command to which the remote end's command line is appended; empty: ssh

  bool is_set() const { return !host.empty() || !transport.empty(); }
  /// Returns the name for users: the host, else the words of the transport.
  std::string name() const;
};

/// `transport`: one line with shell quoting. kInvalidArgument: a host that ssh would take for an option, or an
/// unclosed quote.
Result<RemotePlace> make_remote_place(const std::string& host, const std::string& transport);

/// Whether it is reached by ssh, not by another program.
bool is_by_ssh(const RemotePlace& place);

/// Returns the command that runs `script` in a shell there. Quotes once more for ssh, which passes words to a shell.
std::vector<std::string> words_to_run(const RemotePlace& place, const std::string& script);

/// Returns the script that runs `lacuna serve --stdio`, from install-on's folder, else from PATH. Exit code 127: not
/// found.
std::string serve_script();

/// The folder into which install-on installs Lacuna, for expansion by a shell.
inline constexpr const char* kInstallFolder = "${XDG_DATA_HOME:-$HOME/.local/share}/lacuna/there";

}  // namespace lacuna
