#include "capture/metrics/host_meter.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <unistd.h>

#include "capture/sampling/proc_files.h"

namespace lacuna {
namespace {

/// Numbers of a line, one after the other; 0 once there are no more.
class Numbers {
 public:
  explicit Numbers(std::string_view line) : rest_(line) {}
  std::uint64_t next() {
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
    std::uint64_t value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (read.ec != std::errc{}) {
      rest_ = {};
    } else {
      rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    }
    return value;
  }

 private:
  std::string_view rest_;
};

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

/// The number behind "KEY:" in a file of such lines.
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key) {
  std::optional<std::uint64_t> found;
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with(key) && line.substr(key.size()).starts_with(':'))
      found = Numbers(line.substr(key.size() + 1)).next();
  });
  return found;
}

double per_second(std::uint64_t now, std::uint64_t before, double seconds) {
  return now > before ? static_cast<double>(now - before) / seconds : 0;
}

}  // namespace

HostReading HostMeter::read(std::uint64_t now, const std::vector<int>& pids) {
  HostReading reading;
  const double seconds = last_ == 0 || now <= last_ ? 0 : static_cast<double>(now - last_) / 1e9;
  last_ = now;
  read_cores(reading);
  const std::string memory = proc_text("/proc/meminfo");
  const auto total = value_of(memory, "MemTotal"), available = value_of(memory, "MemAvailable");
  if (total && available && *total >= *available)
    reading.memory_bytes = static_cast<double>(*total - *available) * 1024;
  if (!pids.empty()) {
    read_network(seconds, pids.front(), reading);
    reading.cgroup = cgroup_.read(pids.front());
  }
  read_program(seconds, pids, reading);
  return reading;
}

void HostMeter::read_cores(HostReading& reading) {
  std::vector<Core> cores;
  for_each_line(proc_text("/proc/stat"), [&](std::string_view line) {
    if (!line.starts_with("cpu") || line.starts_with("cpu ")) return;
    Numbers numbers(line.substr(std::min(line.find(' '), line.size())));
    Core core;
    for (int field = 0; field < 8; ++field) {  // user nice system idle iowait irq softirq steal
      const std::uint64_t ticks = numbers.next();
      core.all += ticks;
      if (field != 3 && field != 4) core.busy += ticks;
    }
    cores.push_back(core);
  });
  if (cores.size() == cores_.size()) {
    double busy = 0;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      const std::uint64_t all = cores[i].all > cores_[i].all ? cores[i].all - cores_[i].all : 0;
      const double part =
          all == 0 ? 0 : std::min(1.0, per_second(cores[i].busy, cores_[i].busy, static_cast<double>(all)));
      reading.core_percent.push_back(100 * part);
      busy += part;
    }
    reading.busy_cores = busy;
  }
  cores_ = std::move(cores);
}

void HostMeter::read_network(double seconds, int pid, HostReading& reading) {
  const auto text = readable_proc_text(fmt::format("/proc/{}/net/dev", pid));
  if (!text) return;
  std::uint64_t received = 0, sent = 0;
  for_each_line(*text, [&](std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return;
    std::string_view name = line.substr(0, colon);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    if (name == "lo") return;
    Numbers numbers(line.substr(colon + 1));
    received += numbers.next();
    for (int field = 1; field < 8; ++field) (void)numbers.next();
    sent += numbers.next();
  });
  if (network_ && seconds > 0) {
    reading.received = per_second(received, network_->first, seconds);
    reading.sent = per_second(sent, network_->second, seconds);
  }
  network_ = {received, sent};
}

void HostMeter::read_program(double seconds, const std::vector<int>& pids, HostReading& reading) {
  static const double kTick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  static const auto kPage = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::map<int, Used> used;
  double cores = 0, resident = 0, in = 0, out = 0, faults = 0, disk_faults = 0;
  bool tells_io = false;
  for (const int pid : pids) {
    const std::string stat = proc_text(fmt::format("/proc/{}/stat", pid));
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == stat.npos || name_end + 4 >= stat.size()) continue;
    Used now;
    // Of the fields before the times one may be negative: words are counted, not numbers.
    std::string_view rest = std::string_view(stat).substr(name_end + 2);
    auto skip_to = [&rest, word = 3](int to) mutable {
      for (; word < to && !rest.empty(); ++word)
        rest.remove_prefix(std::min(rest.size(), rest.find(' ') == rest.npos ? rest.size() : rest.find(' ') + 1));
      return Numbers(rest).next();
    };
    now.faults = skip_to(10);
    now.disk_faults = skip_to(12);
    now.ticks = skip_to(14);
    now.ticks += skip_to(15);
    const std::string pages = proc_text(fmt::format("/proc/{}/statm", pid));
    Numbers memory(pages);
    (void)memory.next();
    resident += static_cast<double>(memory.next()) * kPage;
    if (const auto io = readable_proc_text(fmt::format("/proc/{}/io", pid))) {
      tells_io = true;
      now.read = value_of(*io, "read_bytes").value_or(0);
      now.written = value_of(*io, "write_bytes").value_or(0);
    }
    const auto before = used_.find(pid);
    // A process that is new since the last look has done all of it since then; at the first look nobody knows.
    const Used since = before != used_.end() ? before->second : used_.empty() ? now : Used{};
    if (seconds > 0) {
      cores += per_second(now.ticks, since.ticks, seconds) * kTick;
      in += per_second(now.read, since.read, seconds);
      out += per_second(now.written, since.written, seconds);
      faults += per_second(now.faults, since.faults, seconds);
      disk_faults += per_second(now.disk_faults, since.disk_faults, seconds);
    }
    used.emplace(pid, now);
  }
  if (!used.empty()) reading.program_bytes = resident;
  if (seconds > 0 && !used_.empty() && !used.empty()) {
    reading.program_cores = cores;
    reading.faults = faults;
    reading.disk_faults = disk_faults;
    if (tells_io) reading.program_read = in, reading.program_written = out;
  }
  used_ = std::move(used);
}

}  // namespace lacuna
