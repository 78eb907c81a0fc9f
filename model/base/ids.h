#pragma once
// Ids are types: the compiler rejects a TrackId where a LaneId is expected.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lacuna {

/// Marks an invalid index.
inline constexpr std::uint32_t kNoIndex = 0xffffffffu;

/// A 32-bit index into one table of a Trace (or of an EventBatch while importing). Default: invalid.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kInvalid = kNoIndex;
  std::uint32_t value = kInvalid;

  constexpr bool valid() const { return value != kInvalid; }
  constexpr auto operator<=>(const Id&) const = default;
};

using StringId = Id<struct StringTag>;      ///< into StringPool; StringId{0} is the empty string
using SourceId = Id<struct SourceTag>;      ///< into Trace::sources(): one loaded file or capture
using ProcessId = Id<struct ProcessTag>;    ///< into Trace::processes()
using TrackId = Id<struct TrackTag>;        ///< into Trace::tracks()
using LaneId = Id<struct LaneTag>;          ///< into Trace::lanes(); lanes of a track are adjacent
using CategoryId = Id<struct CategoryTag>;  ///< into Trace::categories()

inline constexpr StringId kEmptyString{0};

/// Identifies one slice: its lane and its index in that lane (ascending by start).
/// Stable for the life of a loaded Trace.
struct SliceId {
  LaneId lane;
  std::uint32_t index = 0;

  constexpr bool valid() const { return lane.valid(); }
  constexpr auto operator<=>(const SliceId&) const = default;
};

}  // namespace lacuna

template <class Tag>
struct std::hash<lacuna::Id<Tag>> {
  std::size_t operator()(lacuna::Id<Tag> id) const noexcept { return id.value; }
};
template <>
struct std::hash<lacuna::SliceId> {
  std::size_t operator()(lacuna::SliceId id) const noexcept {
    return (std::size_t{id.lane.value} << 32 | id.index) * 0x9E3779B97F4A7C15ull;
  }
};
