#pragma once
// The protocol between a job with KINETO_USE_DAEMON and its daemon: datagrams of {u64 size; char type[32]} and
// `size` bytes, in the machine's byte order (dynolog's "ipcfabric"). No I/O; all input is validated.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// Limit of a datagram; a job's have 56 bytes and 4 for each of its ancestors.
inline constexpr std::size_t kMostKinetoBytes = 4096;

/// One datagram of a job.
struct KinetoMessage {
  enum class Kind : std::uint8_t {
    kRegister,  ///< "ctxt": once, from jobs that use a GPU
    kPoll,      ///< "req": every five seconds: is there a request for me?
  };
  Kind kind = Kind::kPoll;
  int gpu = -1;                  ///< kRegister: the CUDA device
  std::int64_t cluster_job = 0;  ///< SLURM_JOB_ID, 0 = none
  bool accepts = false;          ///< for kPoll: it would accept a request; false while it is being profiled
  std::vector<int> pids;         ///< its own, and for kPoll its ancestors', as in its own /proc; never empty
};

/// Errors: kInvalidArgument for any other datagram, with the reason.
Result<KinetoMessage> parse_kineto_message(std::string_view datagram);

/// Returns the answer to a "req": the text of a request.
std::string kineto_answer(std::string_view request);
/// Returns the answer to a "ctxt": the number of registered jobs.
std::string kineto_registered(std::int32_t count);

}  // namespace lacuna
