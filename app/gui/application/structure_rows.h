#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/diff/structure_diff.h"

namespace lacuna {

/// Which places of a comparison by structure are shown: a tree whose rows open, or what a filter finds with the rows
/// around it. UI thread.
class StructureRows {
 public:
  /// Those that moved most are open at first.
  static constexpr std::size_t kOpenAtFirst = 24;

  /// Another answer, which must outlive this; null: none.
  void reset(const StructureDiff* diff);
  /// Every word must be in the name or the kind of a row.
  void set_filter(const std::string& filter);
  bool is_open(std::uint32_t row) const { return is_open_[row]; }
  bool can_open(std::uint32_t row) const { return diff_->rows[row].end > row + 1; }
  void toggle(std::uint32_t row);

  /// Indices in StructureDiff::rows, ascending.
  const std::vector<std::uint32_t>& visible() const { return visible_; }

 private:
  void update();

  const StructureDiff* diff_ = nullptr;
  std::string filter_;
  std::vector<bool> is_open_;
  std::vector<std::uint32_t> visible_;
};

}  // namespace lacuna
