#include "model/formats/memory_timeline/timeline_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

/// Lists of numbers within lists, three deep at most, from a window on the file.
class NumberLists {
 public:
  NumberLists(const ByteSource& source, const std::string& path) : source_(source), path_(path) {}

  /// take(depth, numbers) at each end of a list that holds numbers.
  template <class Take>
  Result<void> read(Take&& take) {
    std::vector<double> numbers;
    int depth = 0;
    for (;;) {
      const char c = next();
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || (c == ',' && depth > 0)) continue;
      if (c == '[') {
        if (++depth > 3) return wrong("lists deeper than those of a memory timeline");
        numbers.clear();
      } else if (c == ']' && depth > 0) {
        if (!numbers.empty()) take(depth, std::span<const double>(numbers));
        numbers.clear();
        if (--depth == 0) return {};
      } else if (c == '\0' && at_ >= size_) {
        return wrong("the file ends within its lists: it was cut off");
      } else {
        const auto number = read_number(c);
        if (!number || depth == 0) return wrong("not a list of numbers, as those of export_memory_timeline are");
        numbers.push_back(*number);
      }
    }
  }

 private:
  char next() {
    if (at_ >= size_ && !refill()) return '\0';
    return window_[at_++];
  }
  bool refill() {
    base_ += size_;
    window_.resize(std::size_t{1} << 20);
    size_ = source_.read_at(base_, window_);
    at_ = 0;
    return size_ > 0;
  }
  std::optional<double> read_number(char first) {
    std::string text(1, first);
    for (char c = next(); c != '\0'; c = next()) {
      if (!is_digit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E') {
        --at_;
        break;
      }
      if (text.size() > 40) return std::nullopt;
      text.push_back(c);
    }
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
  }
  tl::unexpected<Error> wrong(std::string cause) const {
    return fail(ErrorCode::kNotATrace, std::move(cause), path_, base_ + (at_ == 0 ? 0 : at_ - 1));
  }

  const ByteSource& source_;
  const std::string& path_;
  std::string window_;
  std::uint64_t base_ = 0;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(std::llround(std::clamp(value, -9e18, 9e18)));
}

struct RawRow {
  double time = 0;
  double bytes = 0;
  std::size_t category = 0;
};

/// Rows of what was there before have the time -1.
void add_up(std::vector<RawRow>& rows, CategoryTimeline& timeline) {
  double first = 0;
  bool has_time = false;
  for (const RawRow& row : rows) {
    if (row.time < 0) continue;
    first = has_time ? std::min(first, row.time) : row.time;
    has_time = true;
  }
  for (RawRow& row : rows)
    if (row.time < 0) row.time = first;
  std::ranges::stable_sort(rows, {}, &RawRow::time);
  std::array<double, kMemoryCategories> now{};
  for (const RawRow& row : rows) {
    now[row.category] += row.bytes;
    const std::int64_t time = whole(row.time / 1000);
    if (timeline.times_us.empty() || timeline.times_us.back() != time) {
      timeline.times_us.push_back(time);
      timeline.bytes.emplace_back();
    }
    std::ranges::transform(now, timeline.bytes.back().begin(), whole);
  }
}

}  // namespace

Result<CategoryTimeline> read_category_timeline(const ByteSource& source, const std::string& path) {
  CategoryTimeline timeline;
  std::vector<double> first;  // a row, or the times
  std::vector<RawRow> rows;
  std::vector<std::array<double, kMemoryCategories>> sizes;
  const auto take_row = [&](std::span<const double> row) {
    ++timeline.rows;
    if (row.size() == 4 && row[1] >= 1 && row[1] <= 4 && row[3] >= 0 && row[3] < kMemoryCategories) {
      rows.push_back({row[0], row[2], static_cast<std::size_t>(row[3])});
    } else {
      ++timeline.not_understood;
    }
  };
  std::size_t lists = 0;
  const Result<void> read = NumberLists(source, path).read([&](int depth, std::span<const double> numbers) {
    ++lists;
    if (depth == 2 && lists == 1) {
      first.assign(numbers.begin(), numbers.end());
    } else if (depth == 2) {
      take_row(numbers);
    } else if (depth == 3 && numbers.size() == kMemoryCategories + 1) {
      ++timeline.rows;
      std::copy_n(numbers.begin() + 1, kMemoryCategories, sizes.emplace_back().begin());
    } else {
      ++timeline.not_understood;
    }
  });
  if (!read) return tl::make_unexpected(read.error());
  timeline.is_raw = sizes.empty();
  if (timeline.is_raw) {
    // The first row comes first again: equal times keep the order of the file.
    const std::size_t before = rows.size();
    if (!first.empty()) take_row(first);
    if (rows.size() > before) std::rotate(rows.begin(), rows.end() - 1, rows.end());
    add_up(rows, timeline);
  } else {
    const std::size_t count = std::min(first.size(), sizes.size());
    timeline.not_understood += std::max(first.size(), sizes.size()) - count;
    for (std::size_t i = 0; i < count; ++i) {
      timeline.times_us.push_back(whole(first[i]));
      std::ranges::transform(sizes[i], timeline.bytes.emplace_back().begin(), whole);
    }
  }
  return timeline;
}

}  // namespace lacuna
