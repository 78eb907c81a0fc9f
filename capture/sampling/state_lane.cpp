#include "capture/sampling/state_lane.h"

#include <algorithm>
#include <array>

#include <sys/syscall.h>

#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

struct KnownCall {
  long number;
  WaitReason reason;
};

// Calls in which threads wait, of all machines and of older ones.
constexpr std::array kKnownCalls {
  KnownCall{SYS_futex, {"waiting: lock", "futex"}}, KnownCall{SYS_read, {"waiting: read", "read"}},
      KnownCall{SYS_pread64, {"waiting: read", "pread64"}}, KnownCall{SYS_readv, {"waiting: read", "readv"}},
      KnownCall{SYS_write, {"waiting: write", "write"}}, KnownCall{SYS_pwrite64, {"waiting: write", "pwrite64"}},
      KnownCall{SYS_writev, {"waiting: write", "writev"}}, KnownCall{SYS_fsync, {"waiting: write", "fsync"}},
      KnownCall{SYS_fdatasync, {"waiting: write", "fdatasync"}},
      KnownCall{SYS_recvfrom, {"waiting: network", "recvfrom"}},
      KnownCall{SYS_recvmsg, {"waiting: network", "recvmsg"}}, KnownCall{SYS_sendto, {"waiting: network", "sendto"}},
      KnownCall{SYS_sendmsg, {"waiting: network", "sendmsg"}}, KnownCall{SYS_accept, {"waiting: network", "accept"}},
      KnownCall{SYS_accept4, {"waiting: network", "accept4"}}, KnownCall{SYS_connect, {"waiting: network", "connect"}},
      KnownCall{SYS_ppoll, {"waiting: poll", "ppoll"}}, KnownCall{SYS_pselect6, {"waiting: poll", "pselect6"}},
      KnownCall{SYS_epoll_pwait, {"waiting: poll", "epoll_pwait"}},
#if defined(SYS_poll)
      KnownCall{SYS_poll, {"waiting: poll", "poll"}}, KnownCall{SYS_select, {"waiting: poll", "select"}},
      KnownCall{SYS_epoll_wait, {"waiting: poll", "epoll_wait"}},
#endif
      KnownCall{SYS_nanosleep, {"waiting: sleep", "nanosleep"}},
      KnownCall{SYS_clock_nanosleep, {"waiting: sleep", "clock_nanosleep"}},
      KnownCall{SYS_wait4, {"waiting: child", "wait4"}}, KnownCall{SYS_waitid, {"waiting: child", "waitid"}},
      KnownCall{SYS_ioctl, {"waiting: device", "ioctl"}},
};

}  // namespace

WaitReason wait_reason(long system_call) {
  const auto known = std::ranges::find(kKnownCalls, system_call, &KnownCall::number);
  return known == kKnownCalls.end() ? WaitReason{} : known->reason;
}

SampledSlice StateLane::slice(std::uint64_t end) const {
  SampledSlice slice{track_, {}, kThreadStateCategory, since_, std::max(end, since_), {}};
  switch (state_) {
    case State::kRunning:
      slice.name = kRunningState;
      break;
    case State::kPreempted:
      slice.name = kPreemptedState;
      break;
    default:
      slice.name = reason_.empty() ? kWaitingState : reason_;
      break;
  }
  if (state_ == State::kWaiting && !system_call_.empty())
    slice.args.append("\"system call\":\"").append(system_call_).append("\"");
  return slice;
}

void StateLane::change(std::uint64_t time, State state, std::vector<SampledSlice>& out) {
  if (state == state_) return;
  time = std::max(time, since_);
  if (state_ != State::kUnknown && time > since_) out.push_back(slice(time));
  state_ = state;
  since_ = time;
  reason_ = system_call_ = {};
}

void StateLane::waits_for(std::string_view what, std::string_view system_call) {
  if (state_ != State::kWaiting) return;
  reason_ = what;
  system_call_ = system_call;
}

void StateLane::add_open(std::uint64_t now, std::vector<SampledSlice>& out) const {
  if (state_ != State::kUnknown && now > since_) out.push_back(slice(now));
}

}  // namespace lacuna
