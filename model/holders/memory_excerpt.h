#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/holders/holder_areas.h"
#include "model/holders/memory_history.h"

namespace lacuna {

/// The memory of one device for those who see a trace from elsewhere, in a bounded size: of many allocations the
/// largest ones, of many moments those at which they begin and end and the peaks between, each as it was.
struct MemoryExcerpt {
  struct Piece {
    MemoryPiece piece;                                 ///< moments are those of `times`
    std::uint32_t stack = 0;                           ///< in `stacks`
    std::array<std::uint32_t, kHolderGroups> group{};  ///< in Group::names
    ReportPlace allocated_by, freed_by;
  };
  struct Group {
    bool is_there = false;
    std::vector<std::string> names;
    std::vector<HolderArea> areas;       ///< of all allocations
    std::vector<std::uint32_t> area_of;  ///< by piece
    std::uint64_t others = 0;            ///< HolderAreas::others
  };

  std::string name;
  SourceId source;
  bool has_pieces = true;
  std::vector<Nanos> times;
  std::vector<std::int64_t> active;
  std::vector<std::string> labels;
  std::vector<Piece> pieces;  ///< by begin
  std::array<Group, kHolderGroups> groups;
  std::vector<std::string> frames;
  std::vector<std::vector<std::uint32_t>> stacks;   ///< in `frames`
  std::uint64_t piece_count = 0, moment_count = 0;  ///< before the limits
  bool has_whole_stacks = true;
};

/// Limits of an excerpt.
struct ExcerptLimits {
  std::size_t pieces = 0;
  std::size_t moments = 0;  ///< more than two for each piece
  std::size_t frames = 0;   ///< different ones
};
MemoryExcerpt excerpt_memory(const MemoryHistory& history, const ExcerptLimits& limits);

/// Whether one made by excerpt_memory() holds together; what comes from elsewhere may not.
bool is_sound(const MemoryExcerpt& excerpt);

/// The history in an excerpt.
class ExcerptHistory final : public MemoryHistory {
 public:
  /// `excerpt`: is_sound().
  explicit ExcerptHistory(MemoryExcerpt excerpt);

  std::vector<std::uint32_t> groups(HolderGroup by, std::vector<std::string>& names) const override;
  bool has_group(HolderGroup by) const override;
  std::vector<std::string> stack(const MemoryPiece& piece) const override;
  ReportPlace allocated_by(const MemoryPiece& piece) const override {
    return excerpt_.pieces[piece.index].allocated_by;
  }
  ReportPlace freed_by(const MemoryPiece& piece) const override { return excerpt_.pieces[piece.index].freed_by; }
  bool has_pieces() const override { return excerpt_.has_pieces; }
  bool fill_areas(HolderAreas& areas) const override;
  LeftOut left_out() const override {
    return {excerpt_.piece_count - excerpt_.pieces.size(), excerpt_.moment_count - excerpt_.active.size()};
  }
  bool is_whole() const override { return left_out().pieces == 0 && excerpt_.has_whole_stacks; }

 private:
  MemoryExcerpt excerpt_;
};

}  // namespace lacuna
