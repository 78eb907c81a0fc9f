#include "capture/sampling/python_source.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/sampling/proc_files.h"

namespace lacuna {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * kSecond + static_cast<std::int64_t>(time.tv_nsec);
}

std::int64_t clock_now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return nanoseconds(time);
}

/// When a process began, by CLOCK_REALTIME; the kernel tells it in ticks. 0 where it does not.
std::int64_t began_at(int pid) {
  constexpr int kStartTime = 22;  // the field of /proc/PID/stat, from 1
  const std::string stat = proc_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == stat.npos) return 0;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= kStartTime && fields >> field; ++i) {
  }
  std::int64_t ticks = 0;
  if (std::from_chars(field.data(), field.data() + field.size(), ticks).ec != std::errc{} || !fields) return 0;
  const std::int64_t tick = kSecond / std::max(1L, sysconf(_SC_CLK_TCK));
  return clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME) + (ticks + 1) * tick;
}

}  // namespace

PythonSource::PythonSource(int pid) : pid_(pid), began_(began_at(pid)) {}

void PythonSource::read(const std::string& path, Lines& lines) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_size >= static_cast<off_t>(kMostSource - bytes_))
    return;
  if (began_ == 0 || nanoseconds(about.st_mtim) > began_ || nanoseconds(about.st_ctim) > began_) return;
  std::ifstream source(path);
  for (std::string text; std::getline(source, text);) {
    bytes_ += text.size() + sizeof text;
    lines.push_back(text);
  }
}

/// The text behind -c, which Python calls "<string>".
void PythonSource::read_command(Lines& lines) const {
  std::istringstream command(proc_text(fmt::format("/proc/{}/cmdline", pid_)));
  bool is_next = false;
  std::string argument;
  std::getline(command, argument, '\0');  // the interpreter
  while (std::getline(command, argument, '\0') && !is_next) {
    if (!argument.starts_with('-') || argument == "-" || argument.starts_with("--")) return;
    if (argument == "-X" || argument == "-W") std::getline(command, argument, '\0');
    is_next = argument.ends_with('c');
  }
  if (!is_next) return;
  std::istringstream source(argument);
  for (std::string text; std::getline(source, text);) lines.push_back(text);
}

const PythonSource::Lines& PythonSource::lines_of(std::string_view file) {
  const auto [entry, is_new] = files_.try_emplace(std::string(file));
  if (!is_new || bytes_ >= kMostSource) return entry->second;
  if (file == "<string>") {
    read_command(entry->second);
  } else {
    read(fmt::format("/proc/{}/{}{}", pid_, file.starts_with('/') ? "root" : "cwd/", file), entry->second);
  }
  return entry->second;
}

std::optional<std::string> PythonSource::text(std::string_view file, const SourcePlace& place) {
  constexpr std::uint32_t kMostLines = 100;
  if (place.line == 0 || place.end_line < place.line || place.end_line - place.line > kMostLines) return std::nullopt;
  const Lines& lines = lines_of(file);
  if (place.end_line > lines.size()) return std::nullopt;
  if (place.column < 0 || place.end_column < 0) return lines[place.line - 1];
  std::string text;
  for (std::uint32_t line = place.line; line <= place.end_line; ++line) {
    std::string_view part = lines[line - 1];
    if (line == place.end_line) part = part.substr(0, static_cast<std::size_t>(place.end_column));
    if (line == place.line) {
      const std::size_t column = std::min(part.size(), static_cast<std::size_t>(place.column));
      if (part.substr(0, column).ends_with(" in ")) return std::string();  // "for i in range(n)": each turn is there
      part = part.substr(column);
    }
    text.append(part).push_back('\n');
  }
  return text;
}

}  // namespace lacuna
