#pragma once
// What a job with KINETO_USE_DAEMON and its daemon say to each other: datagrams of {u64 size; char type[32]} and
// `size` bytes, in the machine's byte order (dynolog's "ipcfabric"). Pure; whatever comes in is checked.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// Longest datagram that is looked at; a job's have 56 bytes and 4 for each of its ancestors.
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
  bool accepts = false;          ///< kPoll: it would take a request; false while it is being profiled
  std::vector<int> pids;         ///< its own, and for kPoll its ancestors', as its own /proc shows them; never empty
};

/// kInvalidArgument: it is none of these, with what is wrong.
Result<KinetoMessage> parse_kineto_message(std::string_view datagram);

/// The answer to a "req": the text of a request.
std::string kineto_answer(std::string_view request);
/// The answer to a "ctxt": how many are registered.
std::string kineto_registered(std::int32_t count);

}  // namespace lacuna
