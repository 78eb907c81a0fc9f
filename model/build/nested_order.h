#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lacuna {

/// Finds the order by `lies_before` of records that come ordered by their ends, as a capture receives
/// ranges: children before their parent. O(n), where sorting would cost n log n and mispredict every branch.
///
/// Appends indices of `records` to `order`; when ranges cross each other, or the records come in another
/// order, the result may be unsorted, which the caller must check.
template <class Records, class Less>
void order_by_nesting(const Records& records, Less lies_before, std::vector<std::uint32_t>& order) {
  constexpr std::uint32_t kNone = ~0u;
  struct Block {  // a range and all ranges in it, as a list
    std::uint32_t head, tail;
  };
  std::vector<std::uint32_t> next(records.size(), kNone);
  std::vector<Block> blocks;  // each before the following one
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    Block block{i, i};
    std::uint32_t first_child = kNone;
    while (!blocks.empty() && lies_before(records[i], records[blocks.back().head])) {
      const Block child = blocks.back();
      blocks.pop_back();
      if (first_child == kNone) {
        block.tail = child.tail;
      } else {
        next[child.tail] = first_child;
      }
      first_child = child.head;
    }
    next[i] = first_child;
    blocks.push_back(block);
  }
  order.reserve(order.size() + records.size());
  for (const Block& block : blocks)
    for (std::uint32_t i = block.head;; i = next[i]) {
      order.push_back(i);
      if (i == block.tail) break;
    }
}

}  // namespace lacuna
