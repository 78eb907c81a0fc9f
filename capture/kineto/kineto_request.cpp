#include "capture/kineto/kineto_request.h"

#include <algorithm>

#include <fmt/format.h>

namespace lacuna {
namespace {

constexpr std::string_view kTraceEnding = ".json";

}  // namespace

Result<std::string> kineto_text(const KinetoRequest& request, const std::string& file, std::int64_t start_ms) {
  const bool is_plain = std::ranges::none_of(file, [](unsigned char c) { return c < 0x20 || c == '#' || c == '='; });
  if (!is_plain || file.find("..") != std::string::npos || file.find(' ') == 0 || file.ends_with(' '))
    return fail(ErrorCode::kInvalidArgument, "Kineto does not accept a path with '#', '=', '..' or line breaks", file);
  if (request.snapshot) {
    // The file behind the first line, which puts a name of its own in its place. Nothing else has a meaning here.
    return fmt::format("PROFILE_MEMORY=true\nPROFILE_MEMORY_DURATION_MSECS={}\nACTIVITIES_LOG_FILE={}\n",
                       std::max<Nanos>(1, request.duration / 1'000'000), file);
  }
  std::string text = fmt::format("ACTIVITIES_LOG_FILE={}\n", file);
  if (request.duration > 0) {
    text += fmt::format("ACTIVITIES_WARMUP_PERIOD_SECS={}\nACTIVITIES_DURATION_MSECS={}\n",
                        kKinetoWarmupNs / 1'000'000'000, std::max<Nanos>(1, request.duration / 1'000'000));
  } else {
    // Without a duration, a job that takes no steps ignores the request, in all versions; with one (500 ms is the
    // default), newer ones record that in place of what was asked for.
    text += fmt::format(
        "PROFILE_START_ITERATION=0\nACTIVITIES_WARMUP_ITERATIONS=1\nACTIVITIES_ITERATIONS={}\n"
        "ACTIVITIES_DURATION_MSECS=0\n",
        request.iterations);
    if (request.multiple_of > 0) text += fmt::format("PROFILE_START_ITERATION_ROUNDUP={}\n", request.multiple_of);
  }
  if (request.shapes) text += "PROFILE_REPORT_INPUT_SHAPES=true\n";
  if (request.stacks) text += "PROFILE_WITH_STACK=true\n";
  if (request.memory) text += "PROFILE_PROFILE_MEMORY=true\n";
  if (request.modules) text += "PROFILE_WITH_MODULES=true\n";
  // Last: one that came too late ends the reading, and then the request is dropped with all else known.
  if (request.duration > 0 && start_ms > 0) text += fmt::format("PROFILE_START_TIME={}\n", start_ms);
  return text;
}

std::string kineto_file_of(const std::string& file, int pid) {
  std::string made = file;
  const std::size_t at = made.find(kTraceEnding);
  if (at != std::string::npos) made.insert(at, fmt::format("_{}", pid));
  return made;
}

}  // namespace lacuna
