#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "model/trace/trace.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/trace_maker.h"

namespace lacuna {

inline constexpr Nanos kUs = 1000;
inline constexpr Nanos kMs = 1'000'000;

/// Loads a trace of the shared folder ($LACUNA_SHARED_TRACES, else ../shared/traces beside the project);
/// nothing, and a message, if the folder does not exist.
inline std::optional<Trace> shared_trace(const std::string& name) {
  const char* given = std::getenv("LACUNA_SHARED_TRACES");
  const std::filesystem::path folder = given != nullptr && *given != '\0'
                                           ? std::filesystem::path(given)
                                           : std::filesystem::path(source_folder()) / ".." / "shared" / "traces";
  const std::string path = (folder / name).string();
  if (!std::filesystem::exists(path)) {
    skip("no " + path);
    return std::nullopt;
  }
  Result<Trace> trace = import_files(std::span<const std::string>(&path, 1));
  REQUIRE_MESSAGE(trace.has_value(), path);
  return std::move(*trace);
}

/// Returns the first slice of this name.
inline SliceId slice_named(const Trace& trace, std::string_view name) {
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i)
      if (trace.name({LaneId{l}, i}) == name) return {LaneId{l}, i};
  return {};
}

/// Small random numbers, the same in every run.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  Nanos roll(Nanos low, Nanos high) {
    return low + static_cast<Nanos>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937 engine_;
};

/// Returns a random trace: nested operators, calls and frames on two threads, and work that they launch on
/// three streams of a device, some of it in graphs.
inline Trace random_trace(std::uint32_t seed) {
  Dice dice(seed);
  TraceMaker make;
  std::uint64_t correlation = 0;
  const char* streams[] = {"7", "13", "20"};
  for (const char* tid : {"1", "2"}) {
    Nanos now = dice.roll(0, 50 * kUs);
    Nanos gpu_free[] = {0, 0, 0};
    for (int op = 0; op < 60; ++op) {
      const Nanos start = now;
      const Nanos inner = start + dice.roll(0, 20 * kUs);
      const Nanos call = inner + dice.roll(0, 20 * kUs);
      const Nanos call_end = call + dice.roll(1, 80 * kUs);
      const Nanos end = call_end + dice.roll(0, 10 * kUs);
      make.thread("op" + std::to_string(dice.roll(0, 4)), start, end, "cpu_op", tid);
      make.thread("inner" + std::to_string(dice.roll(0, 4)), inner, end, "cpu_op", tid);
      if (dice.roll(0, 9) == 0) make.thread("frame.py(1): f", inner, call_end, "python_function", tid);
      ++correlation;
      const auto s = static_cast<std::size_t>(dice.roll(0, 2));
      const bool waits = dice.roll(0, 7) == 0;
      make.launch(waits ? "cudaStreamSynchronize" : "cudaLaunchKernel", call, call_end, correlation, tid);
      if (!waits) {
        const Nanos kernels = dice.roll(0, 9) == 0 ? 5 : 1;
        for (Nanos k = 0; k < kernels; ++k) {
          const Nanos begin = std::max(call + dice.roll(1, 30 * kUs), gpu_free[s] + dice.roll(0, 40 * kUs));
          const Nanos length = dice.roll(0, 60 * kUs);
          make.kernel(dice.roll(0, 5) == 0 ? "ncclDevKernel_AllReduce" : "gemm", begin, begin + length,
                      dice.roll(0, 20) == 0 ? 0 : correlation, streams[s]);
          gpu_free[s] = begin + length;
        }
      }
      now = end + dice.roll(0, 60 * kUs);
    }
  }
  return make.build();
}

}  // namespace lacuna
