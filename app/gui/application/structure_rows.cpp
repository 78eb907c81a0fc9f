#include "app/gui/application/structure_rows.h"

#include "app/gui/models/statistics/statistics_view.h"

namespace lacuna {

void StructureRows::reset(const StructureDiff* diff) {
  diff_ = diff;
  is_open_.assign(diff == nullptr ? 0 : diff->rows.size(), false);
  if (diff != nullptr)
    for (const std::uint32_t row : most_moved(*diff, kOpenAtFirst)) is_open_[diff->rows[row].parent] = true;
  update();
}

void StructureRows::set_filter(const std::string& filter) {
  if (filter == filter_) return;
  filter_ = filter;
  update();
}

void StructureRows::toggle(std::uint32_t row) {
  is_open_[row] = !is_open_[row];
  update();
}

void StructureRows::update() {
  visible_.clear();
  if (diff_ == nullptr) return;
  const std::vector<StructureRow>& rows = diff_->rows;
  if (filter_.empty()) {
    for (std::uint32_t row = 0; row < rows.size(); row = is_open_[row] ? row + 1 : rows[row].end)
      visible_.push_back(row);
    return;
  }
  std::vector<bool> is_shown(rows.size(), false);
  for (std::uint32_t row = static_cast<std::uint32_t>(rows.size()); row-- > 0;) {
    if (matches_words(filter_, rows[row].name(), structure_kind_key(rows[row].kind))) is_shown[row] = true;
    if (is_shown[row]) is_shown[rows[row].parent] = true;
  }
  for (std::uint32_t row = 0; row < rows.size(); ++row)
    if (is_shown[row]) visible_.push_back(row);
}

}  // namespace lacuna
