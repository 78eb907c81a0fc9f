#include "app/cli/pipe_notice.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "app/cli/text_table.h"
#include "model/base/standard_error.h"
#include "model/base/start_thread.h"
#include "model/import/trace_files.h"

namespace lacuna {
namespace {

constexpr std::chrono::milliseconds kLookEvery{50};
constexpr std::chrono::milliseconds kPatience{1000};

/// The first pipe that `paths` stand for, by name or by a pattern; a folder stands for none.
std::optional<std::string> first_pipe(std::span<const std::string> paths) {
  std::error_code unknown;
  for (const std::string& path : paths) {
    if (is_pipe(path)) return path;
    if (std::filesystem::exists(path, unknown)) continue;
    const auto files = find_trace_files(std::span(&path, 1));
    if (!files) continue;
    for (const TraceFile& file : *files)
      if (is_pipe(file.path)) return file.path;
  }
  return std::nullopt;
}

}  // namespace

bool is_pipe(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_fifo(path, unknown);
}

PipeNotice::PipeNotice(std::span<const std::string> paths, const ImportProgress& progress) {
  const auto pipe = first_pipe(paths);
  if (!pipe) return;
  watch_ = start_thread([&progress, path = *pipe](std::stop_token stop) {
    for (std::chrono::milliseconds waited{0}; !stop.stop_requested(); std::this_thread::sleep_for(kLookEvery)) {
      waited = progress.waits_for_writer ? waited + kLookEvery : std::chrono::milliseconds{0};
      if (waited < kPatience) continue;
      to_standard_error(fmt::format("lacuna: waiting until something is written into {}\n", printable(path)));
      return;
    }
  });
}

}  // namespace lacuna
