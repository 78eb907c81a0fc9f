#include "app/cli/pipe_notice.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "app/cli/text_table.h"
#include "model/base/standard_error.h"

namespace lacuna {
namespace {

constexpr std::chrono::milliseconds kLookEvery{50};
constexpr std::chrono::milliseconds kPatience{1000};

}  // namespace

bool is_pipe(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_fifo(path, unknown);
}

PipeNotice::PipeNotice(std::span<const std::string> paths, const ImportProgress& progress) {
  const auto pipe = std::ranges::find_if(paths, is_pipe);
  if (pipe == paths.end()) return;
  watch_ = std::jthread([&progress, path = *pipe](std::stop_token stop) {
    for (std::chrono::milliseconds waited{0}; !stop.stop_requested(); std::this_thread::sleep_for(kLookEvery)) {
      waited = progress.waits_for_writer ? waited + kLookEvery : std::chrono::milliseconds{0};
      if (waited < kPatience) continue;
      to_standard_error(fmt::format("lacuna: waiting until something is written into {}\n", printable(path)));
      return;
    }
  });
}

}  // namespace lacuna
