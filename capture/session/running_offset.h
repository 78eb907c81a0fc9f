#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lacuna {

/// File offset of ranges that are still running and not yet in the recording; bytes() of a LiveSource serves it.
inline constexpr std::uint64_t kRunningOffset = std::uint64_t{1} << 62;
/// The text that a reader finds at kRunningOffset.
inline constexpr std::string_view kRunningEvent =
    "{\"ph\":\"B\",\"ts\":0,\"name\":\"\",\"args\":{\"state\":\"still running\"}}";
/// Implements read_at() for offsets from kRunningOffset on.
inline std::size_t read_running_event(std::uint64_t offset, std::span<char> out) {
  const std::uint64_t at = offset - kRunningOffset;
  return at >= kRunningEvent.size() ? 0 : kRunningEvent.copy(out.data(), out.size(), at);
}

}  // namespace lacuna
