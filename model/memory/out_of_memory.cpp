#include "model/memory/out_of_memory.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/base/plural.h"

namespace lacuna {
namespace {

using Cause = OutOfMemory::Cause;

constexpr std::size_t kMostExplained = 100;

Cause cause_of(const OutOfMemory& oom) {
  if (oom.requested <= oom.device_free) return Cause::kLimited;
  if (oom.on_stream.free_bytes >= oom.requested) return Cause::kFragmented;
  if (oom.state.free_bytes >= oom.requested) return Cause::kOtherStreams;
  if (oom.state.free_bytes + oom.device_free >= oom.requested) return Cause::kCached;
  if (oom.state.reserved + oom.device_free < oom.requested) return Cause::kTooLarge;
  return Cause::kHeld;
}

void describe_cause(const MemorySnapshot& snapshot, OutOfMemory& oom) {
  auto& words = oom.sentences;
  const auto asked = describe_size(oom.requested);
  words.push_back(fmt::format("{} was requested on stream {}; the device had {} left", asked,
                              snapshot.streams[oom.stream], describe_size(oom.device_free)));
  words.push_back(fmt::format("PyTorch held {} in {} {}: {} in use, {} cached; the largest free range was {}",
                              describe_size(oom.state.reserved), oom.state.segment_count,
                              noun_after(oom.state.segment_count, "segment"), describe_size(oom.state.live),
                              describe_size(oom.state.free_bytes), describe_size(oom.state.largest_free)));
  const auto expandable = snapshot.setting("expandable_segments");
  const bool is_expandable = expandable && (*expandable == "True" || *expandable == "1");
  switch (oom.cause) {
    case Cause::kFragmented:
      words.push_back(fmt::format("{} was free in segments of this stream, but the largest range was {}: fragmentation",
                                  describe_size(oom.on_stream.free_bytes), describe_size(oom.on_stream.largest_free)));
      words.emplace_back(is_expandable ? "expandable_segments was on already; fewer different sizes would help, or "
                                         "torch.cuda.empty_cache() before the large allocation"
                                       : "it would have fitted with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, "
                                         "which joins free memory into one range");
      break;
    case Cause::kOtherStreams:
      words.push_back(
          fmt::format("{} was free, but {} of it in segments of other streams, which this one cannot use",
                      describe_size(oom.state.free_bytes),
                      describe_size(oom.state.free_bytes - std::min(oom.state.free_bytes, oom.on_stream.free_bytes))));
      words.emplace_back("allocate on one stream, or call torch.cuda.empty_cache() between the phases");
      break;
    case Cause::kCached:
      words.emplace_back("cached and free memory together would have sufficed, but no range of it did");
      words.emplace_back(is_expandable ? "expandable_segments was on already: what is cached lies between allocations"
                                       : "fewer cached segments would have done: "
                                         "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or "
                                         "garbage_collection_threshold");
      break;
    case Cause::kHeld:
      words.push_back(
          fmt::format("{} more would have had to be free: the program holds too much, see the holders",
                      describe_size(oom.requested - std::min(oom.requested, oom.state.free_bytes + oom.device_free))));
      break;
    case Cause::kTooLarge:
      words.emplace_back("that is more than all that PyTorch held and the device had left together");
      break;
    case Cause::kLimited:
      words.emplace_back(
          "the device had enough left: a limit of the process (set_per_process_memory_fraction), or "
          "memory that the driver keeps");
      break;
  }
  if (oom.state.unused_segment_bytes > 0)
    words.push_back(fmt::format("{} {} of {} held nothing at all", oom.state.unused_segments,
                                noun_after(oom.state.unused_segments, "segment"),
                                describe_size(oom.state.unused_segment_bytes)));
}

}  // namespace

std::string describe_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1024; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

std::string_view out_of_memory_key(Cause cause) {
  constexpr std::array<std::string_view, 6> kKeys{"fragmented", "otherStreams", "cached",
                                                  "held",       "tooLarge",     "limited"};
  return kKeys[static_cast<std::size_t>(cause)];
}

std::vector<OutOfMemory> explain_out_of_memory(const MemorySnapshot& snapshot, const DeviceMemory& memory) {
  std::vector<OutOfMemory> found;
  const DeviceHistory& history = *memory.history;
  for (std::size_t i = 0; i < history.event_count && found.size() < kMostExplained; ++i) {
    const AllocatorEvent& event = snapshot.event(history, i);
    if (!event.is(AllocatorAction::kOutOfMemory)) continue;
    OutOfMemory oom;
    oom.moment = i;
    oom.time_us = event.time_us;
    oom.requested = event.size;
    oom.device_free = event.address;
    oom.stream = event.stream();
    oom.stack = event.stack;
    found.push_back(std::move(oom));
  }
  if (found.empty()) return found;
  AllocatorReplay replay(memory);
  for (auto oom = found.rbegin(); oom != found.rend(); ++oom) {
    replay.go_to(oom->moment);
    oom->state = state_of(memory, replay);
    oom->on_stream = state_of(memory, replay, oom->stream);
    oom->cause = cause_of(*oom);
    describe_cause(snapshot, *oom);
  }
  return found;
}

}  // namespace lacuna
