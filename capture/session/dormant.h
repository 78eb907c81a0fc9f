#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/session/listener.h"
#include "model/base/result.h"

namespace lacuna {

/// A program of this user that was started dormant (LACUNA_DORMANT): it waits to be woken, or is being captured.
struct DormantProgram {
  int pid = 0;          ///< as reported by the kernel
  std::string address;  ///< of its abstract socket, without the leading zero byte
  int watcher = 0;      ///< pid of the process that captures it; 0: it is dormant
  std::string command;  ///< command line as `ps` shows it
};

/// Returns all dormant programs of this network namespace, ascending by pid, and wakes none. Asks each, which takes a
/// tenth of a millisecond; one that does not answer within half a second (because it is stopped) is left out.
std::vector<DormantProgram> find_dormant();
/// Returns those of these processes that are dormant, without asking them: `watcher` and `command` stay empty.
std::vector<DormantProgram> find_dormant(const std::vector<int>& pids);

/// Wakes a dormant program, which is then captured until the connection's socket is closed. `capture`: value of
/// wire::kCaptureVariable. Errors: another viewer captures it, it has ended, or its version of Lacuna differs.
Result<Listener::Connection> wake_dormant(const DormantProgram& program, const std::string& capture,
                                          std::uint32_t ring_kib);
/// Asks a woken program to become dormant again; it then writes its remaining records into its rings.
void ask_to_sleep(int socket);
/// Whether the program has confirmed that it is dormant again, or has ended.
bool is_asleep(int socket);

/// An environment variable, "NAME=value", that makes a program dormant. PYTHONPATH holds the hook only.
struct DormantVariable {
  std::string name;
  std::string value;
  bool goes_in_front = false;  ///< it is prepended to the variable's present value (a search path)
};
std::vector<DormantVariable> dormant_environment(bool torch, bool shapes, bool allocator);

}  // namespace lacuna
