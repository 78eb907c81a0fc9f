#include "model/input/memory_room.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "model/base/os/machine.h"
#include "model/base/spill_space.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{96} << 20;  // for what goes on beside the load
/// A load that goes on with so little left puts the rest on disk.
constexpr std::uint64_t kSpillBelow = 4 * kReserve;
constexpr std::uint64_t kLeftOnDisk = std::uint64_t{256} << 20;  // for others
// Of the JSON's size; measured: 0.2 to 0.35, and 0.41 of small files. Less than any trace took, so that none is refused
// in vain; more, so that memory suffices where nothing is said.
constexpr double kLeastPart = 0.1;
constexpr double kMostPart = 0.45;
constexpr double kSpilledPart = 0.3;  // what lay on disk at most; measured: 0.21

std::uint64_t part_of(std::uint64_t bytes, double part) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * part);
}

constexpr const char* kMemoryVariable = "LACUNA_MEMORY";

/// "4G"; nothing when it is no size.
std::optional<std::uint64_t> size_in(const char* text) {
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t unit = *end == 0 ? std::string_view::npos : kUnits.find(*end);
  if (end == text || !(number >= 0) || (*end != 0 && unit == std::string_view::npos)) return std::nullopt;
  const int power = unit == std::string_view::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  return static_cast<std::uint64_t>(std::min(std::ldexp(number, power), 1e18));
}

/// What the user allows.
std::optional<std::uint64_t> free_by_request() {
  const char* const text = std::getenv(kMemoryVariable);
  const auto allowed = text == nullptr ? std::nullopt : size_in(text);
  if (!allowed) return std::nullopt;
  return *allowed - std::min(*allowed, resident_own_bytes().value_or(0));
}

}  // namespace

std::string describe_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} {}", bytes, kUnits[unit]) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::optional<std::uint64_t> free_memory() {
  const auto left = memory_left_by_system(), allowed = free_by_request();
  return left && allowed ? std::min(left, allowed) : left ? left : allowed;
}

Result<void> check_memory(const std::string& what_is_read) {
  const auto free = free_memory();
  if (free && *free < kSpillBelow && !is_spilling()) (void)start_spilling();
  if (!free || *free >= kReserve) return {};
  return fail(ErrorCode::kLimit, fmt::format("not enough memory: after {} only {} are free; leave out categories "
                                             "(--skip-category python_function, say), or load it where there is more",
                                             what_is_read, describe_bytes(*free)));
}

Result<void> check_memory_of_stream(std::uint64_t bytes) {
  const auto free = free_memory();
  if (free && *free < bytes && !is_spilling()) (void)start_spilling();
  return check_memory(describe_bytes(bytes) + " of decompressed data");
}

Result<void> check_memory_request() {
  if (const char* const text = std::getenv(kMemoryVariable); text != nullptr && *text != '\0' && !size_in(text))
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not a size; try \"4G\"", text), kMemoryVariable);
  return {};
}

Result<void> make_room_for_json(std::uint64_t json_bytes) {
  const auto free = free_memory();
  if (!free || *free >= part_of(json_bytes, kMostPart) + kReserve) return {};
  // A disk that is too small helps nobody: then memory has to do, if it can.
  const std::uint64_t on_disk = free_to_spill();
  const bool has_room = on_disk >= part_of(json_bytes, kSpilledPart) + kLeftOnDisk;
  Result<void> started;
  if (has_room) started = start_spilling();
  const std::uint64_t least = part_of(json_bytes, kLeastPart);
  if ((has_room && started) || *free >= least) return {};
  const std::string disk = started ? fmt::format("{} more on the disk of the user's cache", describe_bytes(on_disk))
                                   : fmt::format("no tables can be kept on disk ({})", started.error().message());
  return fail(ErrorCode::kLimit,
              fmt::format("not enough memory: {} of JSON need {} at least, and {} are free, {}; leave out categories "
                          "(--skip-category python_function, say), or load it where there is more",
                          describe_bytes(json_bytes), describe_bytes(least), describe_bytes(*free), disk));
}

void make_room_for_tables(std::uint64_t bytes) {
  const auto free = free_memory();
  if (free && *free < bytes + kReserve && free_to_spill() >= bytes + kLeftOnDisk) (void)start_spilling();
}

}  // namespace lacuna
