#include "model/query/thread_replay.h"

#include <algorithm>

namespace lacuna {

ThreadReplay::ThreadReplay(TraceTables& tables) : tables_(tables) {
  tables_.processes.push_back({});
  TraceTables::Thread idle;
  idle.upid = 0;
  idle.is_main = true;
  idle.is_idle = true;
  tables_.threads.push_back(idle);
}

void ThreadReplay::start_source(std::uint32_t source) {
  source_ = source;
  processes_.clear();
  threads_.clear();
  last_utid_ = TraceTables::kNone;
}

std::uint32_t ThreadReplay::start_thread(std::int64_t tid) {
  const auto utid = static_cast<std::uint32_t>(tables_.threads.size());
  TraceTables::Thread thread;
  thread.tid = tid;
  thread.source = source_;
  tables_.threads.push_back(thread);
  threads_[tid].push_back(utid);
  return utid;
}

std::uint32_t ThreadReplay::process(std::int64_t pid) {
  const auto [at, is_new] = processes_.try_emplace(pid, static_cast<std::uint32_t>(tables_.processes.size()));
  const std::uint32_t upid = at->second;
  if (!is_new) return upid;
  TraceTables::Process process;
  process.pid = pid;
  process.source = source_;
  tables_.processes.push_back(process);
  thread(pid, pid);
  return upid;
}

std::uint32_t ThreadReplay::thread(std::int64_t tid, std::int64_t pid) {
  if (last_utid_ != TraceTables::kNone && tid == last_tid_ && pid == last_pid_) return last_utid_;
  const std::uint32_t upid = process(pid);
  std::vector<std::uint32_t>& same = threads_[tid];
  std::uint32_t utid = TraceTables::kNone;
  for (auto at = same.rbegin(); at != same.rend(); ++at) {
    const std::uint32_t owner = tables_.threads[*at].upid;
    if (owner != TraceTables::kNone && owner != upid) continue;
    utid = *at;
    break;
  }
  if (utid == TraceTables::kNone) {
    utid = start_thread(tid);
  } else if (same.back() != utid) {
    same.erase(std::ranges::find(same, utid));
    same.push_back(utid);
  }
  TraceTables::Thread& thread = tables_.threads[utid];
  if (thread.upid == TraceTables::kNone) {
    thread.upid = upid;
    thread.is_main = tid == pid;
  }
  last_tid_ = tid;
  last_pid_ = pid;
  last_utid_ = utid;
  return utid;
}

std::uint32_t ThreadReplay::any_thread(std::int64_t tid) {
  last_utid_ = TraceTables::kNone;
  const auto found = threads_.find(tid);
  return found != threads_.end() && !found->second.empty() ? found->second.back() : start_thread(tid);
}

void ThreadReplay::name_process(std::uint32_t upid, StringId name) {
  tables_.processes[upid].name = name;
  tables_.processes[upid].has_cmdline = true;
}

}  // namespace lacuna
