#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/session/listener.h"
#include "model/base/result.h"

namespace lacuna {

/// A program of this user that was started dormant (LACUNA_DORMANT) and waits to be woken, or is being looked at.
struct DormantProgram {
  int pid = 0;          ///< as the kernel says
  std::string address;  ///< of its abstract socket, without the zero before it
  int watcher = 0;      ///< pid of who looks at it; 0: it sleeps
  std::string command;  ///< as `ps` shows it
};

/// All of them in this network namespace, ascending by pid. Wakes none. Each is asked, which takes it a tenth of a
/// millisecond; one that does not answer within half a second (it is stopped) is left out.
std::vector<DormantProgram> find_dormant();
/// Looks at these processes alone, without asking them: `watcher` and `command` are not filled.
std::vector<DormantProgram> find_dormant(const std::vector<int>& pids);

/// Wakes one, which is then captured. The connection's socket ends that when it is closed. `capture`: as
/// wire::kCaptureVariable. Errors: another viewer has it, it has ended, or is of another version of Lacuna.
Result<Listener::Connection> wake_dormant(const DormantProgram& program, const std::string& capture,
                                          std::uint32_t ring_kib);
/// Asks a woken one to sleep again; what it still holds then comes into its rings.
void ask_to_sleep(int socket);
/// Whether it has answered that it sleeps, or is gone.
bool is_asleep(int socket);

/// "NAME=value" each: what a program needs in its environment to be dormant. PYTHONPATH has the hook alone.
struct DormantVariable {
  std::string name;
  std::string value;
  bool goes_in_front = false;  ///< of what the variable has (a search path)
};
std::vector<DormantVariable> dormant_environment(bool torch, bool shapes, bool allocator);

}  // namespace lacuna
