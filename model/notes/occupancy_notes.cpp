// What limits how many threads of a kernel are on a multiprocessor at once.

#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "model/columns/input_shapes.h"
#include "model/kernels/kernel_class.h"
#include "model/notes/note_parts.h"
#include "model/trace/find_device.h"

namespace lacuna {
namespace {

/// "Technical Specifications per Compute Capability" of the CUDA C++ Programming Guide.
struct Multiprocessor {
  std::uint32_t major, minor;
  int threads;
  int blocks;
  int shared_kb;
};
constexpr std::array kMultiprocessors = {
    Multiprocessor{7, 0, 2048, 32, 96},  Multiprocessor{7, 5, 1024, 16, 64},   Multiprocessor{8, 0, 2048, 32, 164},
    Multiprocessor{8, 6, 1536, 16, 100}, Multiprocessor{8, 7, 1536, 16, 164},  Multiprocessor{8, 9, 1536, 24, 100},
    Multiprocessor{9, 0, 2048, 32, 228}, Multiprocessor{10, 0, 2048, 32, 228}, Multiprocessor{12, 0, 1536, 32, 100}};
constexpr int kRegisters = 65'536;
constexpr int kWarp = 32;

std::optional<double> number_of_argument(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double kMost = 1e9;  // more than any of these can be; "inf" and "nan" are numbers to from_chars
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= kMost;
  return is_number ? std::optional(value) : std::nullopt;
}

/// Blocks that fit on a multiprocessor, and what allows no more.
struct Fit {
  int blocks = 0;
  std::string limit;
};

std::optional<Fit> fit(const NoteFacts& facts, const DeviceProperties& device, int threads) {
  const auto known = std::ranges::find_if(kMultiprocessors, [&](const Multiprocessor& m) {
    return m.major == device.compute_major && m.minor == device.compute_minor;
  });
  const auto registers = number_of_argument(facts.argument("registers per thread"));
  const auto shared = number_of_argument(facts.argument("shared memory"));
  if (known == kMultiprocessors.end() || device.name.find("AMD") != std::string::npos || !registers || !shared ||
      threads <= 0)
    return std::nullopt;
  const int warps = (threads + kWarp - 1) / kWarp;
  Fit best{known->threads / (warps * kWarp), fmt::format("{} threads a block", threads)};
  const auto limit = [&](int blocks, std::string words) {
    if (blocks < best.blocks) best = {blocks, std::move(words)};
  };
  limit(known->blocks, fmt::format("the {} blocks that a multiprocessor takes", known->blocks));
  if (*registers > 0 && *registers <= kRegisters) {
    const int of_warp = (static_cast<int>(*registers) * kWarp + 255) / 256 * 256;
    limit(kRegisters / (of_warp * warps), fmt::format("{:.0f} registers a thread", *registers));
  }
  if (*shared > 0) {
    const double reserved = known->major >= 8 ? 1024 : 0;
    limit(static_cast<int>(known->shared_kb * 1024 / (*shared + reserved)),
          fmt::format("{:.1f} kB of shared memory a block", *shared / 1024));
  }
  if (best.blocks <= 0) return std::nullopt;
  return best;
}

}  // namespace

void note_occupancy(const NoteFacts& facts) {
  if (facts.category() != CategoryClass::kKernel) return;
  const auto occupancy = number_of_argument(facts.argument("est. achieved occupancy %"));
  const auto per_multiprocessor = number_of_argument(facts.argument("blocks per SM"));
  const std::vector<Shape> block = parse_shapes("[" + std::string(facts.argument("block")) + "]");
  if (!occupancy || block.empty() || block[0].size() != 3) return;
  const int threads = static_cast<int>(std::min(block[0][0] * block[0][1] * block[0][2], 4096.0));
  const DeviceProperties* device = find_device(facts.trace, facts.trace.track_of(facts.slice));
  const std::optional<Fit> room = device == nullptr ? std::nullopt : fit(facts, *device, threads);
  std::string text;
  if (*occupancy == 0) {
    text =
        "0 % occupancy is no measurement: the profiler writes it where its calculator finds no room for a block, or "
        "less than half a percent. The kernel ran.";
    if (per_multiprocessor && *per_multiprocessor < 1)
      text += fmt::format(" Its grid has {:.2g} blocks for each multiprocessor.", *per_multiprocessor);
    return facts.add("occupancy", std::move(text));
  }
  text = fmt::format("{:.0f} % occupancy is the profiler's estimate of how full the multiprocessors are with threads. ",
                     *occupancy);
  if (per_multiprocessor && *per_multiprocessor < 1)
    text += fmt::format("The grid limits it: {:.2g} blocks for each multiprocessor leave some without any. ",
                        *per_multiprocessor);
  else if (room && per_multiprocessor && *per_multiprocessor < room->blocks)
    text += fmt::format("The grid limits it: {:.2g} blocks for each multiprocessor, which has room for {}. ",
                        *per_multiprocessor, room->blocks);
  else if (room)
    text += fmt::format("A multiprocessor has room for {} of its blocks, limited by {}. ", room->blocks, room->limit);
  const KernelClass of = kernel_class(facts.name());
  const bool hides_by_itself =
      of == KernelClass::kGemm || of == KernelClass::kAttention || of == KernelClass::kConvolution;
  if (*occupancy < 50)
    text += hides_by_itself
                ? "Few threads are right for matrix kernels that keep tiles in registers and shared memory: "
                  "judge them by FLOP/s."
                : "Kernels that wait for memory need more threads at once.";
  while (text.ends_with(' ')) text.pop_back();
  facts.add("occupancy", std::move(text));
}

}  // namespace lacuna
