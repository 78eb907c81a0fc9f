#include "capture/metrics/cgroup_meter.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "capture/sampling/proc_files.h"

namespace lacuna {
namespace {

template <class Number>
std::optional<Number> number_at(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

/// The number behind "KEY " in a file of such lines.
std::uint64_t count_of_key(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(key) && line.substr(key.size()).starts_with(' '))
      return number_at<std::uint64_t>(line.substr(key.size())).value_or(0);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return 0;
}

/// The path behind "N:…,CONTROLLER,…:" in /proc/PID/cgroup; of version 2 behind "0::".
std::optional<std::string_view> group_of(std::string_view text, std::string_view controller) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string_view list = line.substr(first + 1, second - first - 1);
    if (controller.empty() && list.empty()) return line.substr(second + 1);
    while (!list.empty()) {
      const std::string_view one = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), one.size() + 1));
      if (one == controller && !one.empty()) return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

}  // namespace

void CgroupMeter::find_groups(int pid) {
  cpu_.clear();
  memory_.clear();
  const std::string groups = proc_text(fmt::format("{}/proc/{}/cgroup", root_, pid));
  const auto folder = [&](std::string_view mount, std::string_view path) {
    // Inside of a container the group is the mount's top, whatever its path outside.
    const std::string whole = fmt::format("{}/sys/fs/cgroup{}{}", root_, mount, path == "/" ? "" : path);
    return readable_proc_text(whole + "/cgroup.procs") ? whole : fmt::format("{}/sys/fs/cgroup{}", root_, mount);
  };
  if (const auto cpu = group_of(groups, "cpu")) {
    cpu_top_ = fmt::format("{}/sys/fs/cgroup/cpu", root_);
    cpu_ = folder("/cpu", *cpu);
  } else if (const auto unified = group_of(groups, {})) {
    is_v2_ = true;
    cpu_top_ = fmt::format("{}/sys/fs/cgroup", root_);
    cpu_ = memory_ = folder("", *unified);
  }
  if (const auto memory = group_of(groups, "memory")) memory_ = folder("/memory", *memory);
}

std::optional<CgroupMeter::Quota> CgroupMeter::read_quota(const std::string& folder) const {
  Quota quota;
  if (is_v2_) {
    const std::string limit = proc_text(folder + "/cpu.max");  // "20000 100000", "max 100000"
    const auto allowed = number_at<double>(limit);
    const auto period = number_at<double>(std::string_view(limit).substr(std::min(limit.find(' '), limit.size())));
    if (!allowed || !period || *period <= 0) return std::nullopt;
    quota.cores = *allowed / *period;
  } else {
    const auto allowed = number_at<double>(proc_text(folder + "/cpu.cfs_quota_us"));  // -1: none
    const auto period = number_at<double>(proc_text(folder + "/cpu.cfs_period_us"));
    if (!allowed || !period || *allowed <= 0 || *period <= 0) return std::nullopt;
    quota.cores = *allowed / *period;
  }
  const std::string counts = proc_text(folder + "/cpu.stat");
  quota.periods = count_of_key(counts, "nr_periods");
  quota.throttled = count_of_key(counts, "nr_throttled");
  return quota;
}

CgroupReading CgroupMeter::read(int pid) {
  find_groups(pid);  // each time: a process may be moved
  CgroupReading reading;
  std::optional<Quota> tightest;
  std::string whose;
  for (std::string folder = cpu_; !folder.empty() && folder.size() >= cpu_top_.size();
       folder.resize(folder.rfind('/'))) {
    const std::optional<Quota> quota = read_quota(folder);
    if (!quota || (tightest && tightest->cores <= quota->cores)) continue;
    tightest = quota;
    whose = folder;
  }
  if (tightest) {
    reading.quota_cores = tightest->cores;
    if (tightest_ == whose && tightest->periods > last_.periods)
      reading.held_back = static_cast<double>(tightest->throttled - std::min(tightest->throttled, last_.throttled)) /
                          static_cast<double>(tightest->periods - last_.periods);
    else if (tightest_ == whose)
      reading.held_back = 0;  // no period has ended: nothing of it ran
    last_ = *tightest;
    tightest_ = whose;
  }
  if (!memory_.empty()) {
    const std::uint64_t killed =
        count_of_key(proc_text(memory_ + (is_v2_ ? "/memory.events" : "/memory.oom_control")), "oom_kill");
    if (last_killed_ && killed > *last_killed_) reading.killed = killed - *last_killed_;
    last_killed_ = killed;
  }
  return reading;
}

}  // namespace lacuna
