#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/holders/memory_history.h"

namespace lacuna {

/// What one group holds over time: `bytes[i]` from moments[i] on.
struct HolderArea {
  std::string name;
  std::uint64_t most = 0;  ///< bytes at its own peak
  std::vector<std::uint32_t> moments = {};
  std::vector<std::uint64_t> bytes = {};

  std::uint64_t at(std::uint32_t moment) const;
};

/// The groups that hold most at some moment, each alone; the others together.
struct HolderAreas {
  HolderGroup by = HolderGroup::kCategory;
  std::vector<HolderArea> areas;       ///< by `most`; the others, if there are any, last
  std::vector<std::uint32_t> area_of;  ///< by piece
  std::size_t others = 0;              ///< how many groups the last area stands for; 0: there is none such
};

/// Areas that are drawn one by one.
inline constexpr std::size_t kMostAreas = 11;

/// O(pieces log pieces).
HolderAreas make_holder_areas(const MemoryHistory& history, HolderGroup by, std::size_t most = kMostAreas);

/// A frame of stacks with the bytes that are held below it, of two moments.
struct ByteNode {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t before = 0;  ///< at the moment compared with
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;
  std::vector<std::uint32_t> children = {};  ///< most bytes first

  std::int64_t change() const { return static_cast<std::int64_t>(bytes - before); }
  std::uint64_t larger() const { return bytes > before ? bytes : before; }
};

/// Who allocated what is held at a moment, outermost frame first; nodes[0] is all of it.
struct ByteTree {
  std::vector<ByteNode> nodes;
  bool has_before = false;
};

/// With `before`, nodes also say what was held at that moment; memory held at both counts in both.
ByteTree make_byte_tree(const MemoryHistory& history, std::uint32_t moment, const std::uint32_t* before = nullptr);

}  // namespace lacuna
