#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "model/trace/link_table.h"

namespace lacuna {

/// A sorted table that grows, mostly near its end, in parts that it shares with tables made from it. Adding to a part
/// copies it. One thread; any thread may read the tables made from it.
template <class T>
class GrowingTable {
 public:
  static constexpr std::size_t kPart = 1024;

  /// Adds elements, which must be sorted by `less`. O(parts + elements of the parts that get some).
  template <class Less>
  void add(std::span<const T> more, Less less) {
    if (more.empty()) return;
    std::vector<Part> parts;
    parts.reserve(parts_.size() + more.size() / kPart + 2);
    merge(more, less, [&](const Part& part) { parts.push_back(part); });
    parts_ = std::move(parts);
    size_ += more.size();
  }
  /// Appends the elements, merged with `more`, to a table.
  template <class Less>
  void put_into(LinkTable<T>& table, std::span<const T> more, Less less) const {
    merge(more, less, [&](const Part& part) { table.add(part); });
  }
  std::size_t size() const { return size_; }
  std::size_t part_count() const { return parts_.size(); }

  /// Changes every element, and sorts again in case the order depends on the change. O(n).
  template <class Change, class Less>
  void change(Change&& change, Less less) {
    for (Part& part : parts_) {
      auto changed = std::make_shared<std::vector<T>>(*part);
      for (T& element : *changed) change(element);
      part = std::move(changed);
    }
    std::vector<T> all;
    all.reserve(size_);
    for (const Part& part : parts_) all.insert(all.end(), part->begin(), part->end());
    if (std::is_sorted(all.begin(), all.end(), less)) return;
    std::sort(all.begin(), all.end(), less);
    parts_.clear();
    put_parts(all, [&](const Part& part) { parts_.push_back(part); });
  }

 private:
  using Part = std::shared_ptr<const std::vector<T>>;

  template <class Take>
  static void put_parts(std::span<const T> elements, Take&& take) {
    while (!elements.empty()) {
      // Only the last part may be short.
      const std::size_t count = elements.size() < 2 * kPart ? elements.size() : kPart;
      take(std::make_shared<const std::vector<T>>(elements.begin(),
                                                  elements.begin() + static_cast<std::ptrdiff_t>(count)));
      elements = elements.subspan(count);
    }
  }

  /// Calls take(part) for each part, with the elements of `more` merged in.
  template <class Less, class Take>
  void merge(std::span<const T> more, Less less, Take&& take) const {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      const bool is_last = p + 1 == parts_.size();
      // Takes the elements before the next part; behind a full last part a new one begins.
      auto own = more.end();
      if (!is_last) {
        if (more.empty() || !less(more.front(), parts_[p + 1]->front())) {
          take(part);
          continue;
        }
        own = std::lower_bound(more.begin(), more.end(), parts_[p + 1]->front(), less);
      } else if (more.empty() || (part->size() >= kPart && !less(more.front(), part->back()))) {
        take(part);
        break;
      }
      std::vector<T> merged;
      merged.reserve(part->size() + static_cast<std::size_t>(own - more.begin()));
      std::merge(part->begin(), part->end(), more.begin(), own, std::back_inserter(merged), less);
      put_parts(merged, take);
      more = more.subspan(static_cast<std::size_t>(own - more.begin()));
    }
    put_parts(more, take);
  }

  std::vector<Part> parts_;
  std::size_t size_ = 0;
};

}  // namespace lacuna
