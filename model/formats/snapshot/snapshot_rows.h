#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/formats/pickle/pickle_document.h"
#include "model/memory/deferred_stacks.h"
#include "model/memory/snapshot.h"

namespace lacuna {

/// Stores the dictionaries of a snapshot as rows: events, frames, blocks, segments and annotations. A dictionary that
/// looks like one but lacks required keys becomes a lost row, which is counted.
class SnapshotRows final : public PickleRows {
 public:
  enum class Row : std::uint8_t { kEvent, kFrame, kBlock, kSegment, kAnnotation, kHistory, kLost };

  SnapshotRows(MemorySnapshot& snapshot, MemoryRoom& room);

  std::span<const std::string_view> names() const override;
  std::uint32_t take(PickleDocument& document, std::span<const PickleValue> items) override;

  static Row kind(std::uint32_t row) { return static_cast<Row>(row >> kIndexBits); }
  static std::uint32_t index(std::uint32_t row) { return row & kIndexMask; }
  /// Stores a list of frames in the stacks, once. Returns a ticket, like all stacks of the rows until finish_stacks().
  std::uint32_t stack_of(PickleDocument& document, PickleValue frames);
  /// Call when all is read: replaces the tickets by the numbers of the stacks. Throws MemoryRoom::Exhausted.
  void finish_stacks();

 private:
  static constexpr unsigned kIndexBits = 28;
  static constexpr std::uint32_t kIndexMask = (std::uint32_t{1} << kIndexBits) - 1;
  struct History {
    std::uint64_t real_size = 0;
    std::uint32_t stack = 0;
  };
  struct Fields;

  static std::uint32_t row(Row kind, std::size_t index);
  std::uint32_t take_event(PickleDocument& document, const Fields& fields);
  std::uint32_t take_frame(PickleDocument& document, const Fields& fields);
  std::uint32_t take_block(PickleDocument& document, const Fields& fields);
  std::uint32_t take_segment(PickleDocument& document, const Fields& fields);
  std::uint32_t take_annotation(PickleDocument& document, const Fields& fields);
  std::uint32_t stream_of(PickleDocument& document, PickleValue value);
  std::uint8_t action_of(StringId name);
  std::uint32_t lost();
  template <class T>
  void pay_for(const std::vector<T>& rows);

  MemorySnapshot& snapshot_;
  MemoryRoom& room_;
  std::vector<History> history_;
  std::unordered_map<std::int64_t, std::uint32_t, SeededHash> stream_ids_;
  std::unordered_map<std::uint32_t, std::uint8_t> action_codes_;
  DeferredStacks deferred_;
  std::vector<std::uint32_t> frames_;   // of the current list, outermost first
  std::vector<PickleValue> last_list_;  // the previous list, outermost first
  std::int64_t last_stream_ = 0;
  std::uint32_t last_stream_id_ = 0;
};

}  // namespace lacuna
