#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// A machine, container or the like, and how one reaches it.
struct RemotePlace {
  std::string host;                    ///< as the user's ssh knows it; may be empty with a transport
  std::vector<std::string> transport;  ///< a command to which the words of the far side's are added; empty: ssh

  bool is_set() const { return !host.empty() || !transport.empty(); }
  /// The name for people: the host, else the words of the transport.
  std::string name() const;
};

/// `transport`: one line, in a shell's quoting. kInvalidArgument: a host that ssh would take for an option, or a quote
/// that is not closed.
Result<RemotePlace> make_remote_place(const std::string& host, const std::string& transport);

/// Whether it is ssh that gets there, and not another program.
bool is_by_ssh(const RemotePlace& place);

/// The command that runs `script` in a shell there. ssh hands words to a shell: for it they are quoted once more.
std::vector<std::string> words_to_run(const RemotePlace& place, const std::string& script);

/// The script that runs `lacuna serve --stdio`, from where install-on puts it, else from PATH. Exit code 127: it is not
/// there.
std::string serve_script();

/// The folder into which install-on puts Lacuna, for a shell to expand.
inline constexpr const char* kInstallFolder = "${XDG_DATA_HOME:-$HOME/.local/share}/lacuna/there";

}  // namespace lacuna
