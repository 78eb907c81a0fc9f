#include "app/gui/models/statistics/statistics_view.h"

#include <algorithm>

#include "app/gui/core/waiting_names.h"
#include "model/base/ascii.h"
#include "model/causes/known_names.h"

namespace lacuna {
namespace {

bool contains_ignoring_case(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return to_lower(a) == to_lower(b); }) != text.end();
}

bool is_no_work(const Trace& trace, const StatisticsRow& row) {
  const CategoryClass category = trace.category_class(row.category);
  if (category == CategoryClass::kGpuAnnotation || category == CategoryClass::kCpuAnnotation) return true;
  // Old traces have steps among their operators.
  if (is_profiler_step(trace.text(row.name))) return true;
  if (category == CategoryClass::kSample) return is_waiting_sample(trace.text(row.name));
  return category == CategoryClass::kPythonFunction && is_waiting_frame(trace.text(row.name));
}

}  // namespace

bool matches_words(std::string_view filter, std::string_view name, std::string_view category) {
  while (!filter.empty()) {
    const std::size_t begin = filter.find_first_not_of(' ');
    if (begin == std::string_view::npos) return true;
    const std::size_t end = std::min(filter.find(' ', begin), filter.size());
    const std::string_view word = filter.substr(begin, end - begin);
    if (!contains_ignoring_case(name, word) && !contains_ignoring_case(category, word)) return false;
    filter.remove_prefix(end);
  }
  return true;
}

bool is_gpu_side(CategoryClass category) {
  return is_gpu_activity(category) || category == CategoryClass::kGpuAnnotation;
}

void StatisticsView::update(const Trace& trace, const Statistics& statistics, std::uint64_t version) {
  const bool new_data = version != version_;
  const bool new_order = new_data || column != used_column_ || descending != used_descending_;
  if (!new_order && filter == used_filter_ && side == used_side_ && only_work == used_only_work_) return;
  version_ = version;
  used_filter_ = filter;
  used_side_ = side;
  used_only_work_ = only_work;
  used_column_ = column;
  used_descending_ = descending;
  if (new_data) sorted_ = statistics;
  if (new_order) sort_rows(trace, sorted_, column, descending);

  rows_.clear();
  events_ = 0;
  left_out_ = 0;
  for (std::uint32_t i = 0; i < sorted_.rows.size(); ++i) {
    const StatisticsRow& row = sorted_.rows[i];
    if (side != StatisticsSide::kAll) {
      const bool gpu = is_gpu_side(trace.category_class(row.category));
      if (gpu != (side == StatisticsSide::kGpu)) continue;
    }
    if (!matches_words(filter, trace.text(row.name), trace.category_name(row.category))) continue;
    if (only_work && filter.empty() && is_no_work(trace, row)) {
      ++left_out_;
      continue;
    }
    rows_.push_back(i);
    events_ += row.count;
  }
}

}  // namespace lacuna
