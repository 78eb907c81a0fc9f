#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "model/base/page_memory.h"

namespace lacuna {

/// An immutable table in one or more parts: the tables of a recording's successive traces share their
/// common parts. A copy costs one pointer per part. Any thread may read.
template <class T>
class LinkTable {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    reference operator*() const { return table_->parts_[part_].data[offset_]; }
    pointer operator->() const { return &**this; }
    reference operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator++() {
      if (++offset_ == table_->parts_[part_].size) {
        ++part_;
        offset_ = 0;
      }
      return *this;
    }
    Iterator& operator--() {
      if (offset_ == 0) offset_ = table_->parts_[--part_].size;
      --offset_;
      return *this;
    }
    Iterator& operator+=(difference_type n) {
      const difference_type offset = static_cast<difference_type>(offset_) + n;
      if (part_ < table_->parts_.size() && offset >= 0 &&
          offset < static_cast<difference_type>(table_->parts_[part_].size)) {
        offset_ = static_cast<std::size_t>(offset);
        return *this;
      }
      return *this = table_->at(static_cast<std::size_t>(static_cast<difference_type>(position()) + n));
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.position()) - static_cast<difference_type>(b.position());
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.part_ == b.part_ && a.offset_ == b.offset_ && a.table_ == b.table_;
    }
    friend std::strong_ordering operator<=>(const Iterator& a, const Iterator& b) {
      const auto parts = a.part_ <=> b.part_;
      return parts != 0 ? parts : a.offset_ <=> b.offset_;
    }

   private:
    friend class LinkTable;
    Iterator(const LinkTable& table, std::size_t part, std::size_t offset)
        : table_(&table), part_(part), offset_(offset) {}
    std::size_t position() const {
      if (table_ == nullptr) return 0;
      return part_ < table_->parts_.size() ? table_->parts_[part_].first + offset_ : table_->size_;
    }

    const LinkTable* table_ = nullptr;
    std::size_t part_ = 0;
    std::size_t offset_ = 0;  // 0 at the end of all parts
  };

  /// A range of consecutive elements. Refers to its table.
  class Range {
   public:
    Range() = default;
    Range(Iterator begin, Iterator end) : begin_(begin), end_(end) {}
    Iterator begin() const { return begin_; }
    Iterator end() const { return end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    bool empty() const { return begin_ == end_; }
    const T& front() const { return *begin_; }
    const T& operator[](std::size_t i) const { return begin_[static_cast<std::ptrdiff_t>(i)]; }

   private:
    Iterator begin_;
    Iterator end_;
  };
  using value_type = T;
  using const_iterator = Iterator;

  LinkTable() = default;
  /// Makes a table of one part.
  explicit LinkTable(PageVector<T> rows) { add(std::make_shared<const PageVector<T>>(std::move(rows))); }

  /// Appends a part: a vector, which must not change and may be shared with other tables.
  template <class Rows>
  void add(std::shared_ptr<const Rows> rows) {
    if (rows->empty()) return;
    parts_.push_back({rows->data(), rows->size(), size_, nullptr});
    size_ += rows->size();
    parts_.back().holder = std::move(rows);
  }
  bool is_in_one_part() const { return parts_.size() <= 1; }
  std::span<const T> only_part() const {
    return parts_.empty() ? std::span<const T>() : std::span<const T>(parts_[0].data, parts_[0].size);
  }
  void reserve_parts(std::size_t count) { parts_.reserve(count); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return {*this, 0, 0}; }
  Iterator end() const { return {*this, parts_.size(), 0}; }
  /// Returns an iterator to a position; end() if the table is shorter.
  Iterator at(std::size_t position) const {
    if (position >= size_) return end();
    if (parts_.size() == 1) return {*this, 0, position};
    const auto next = std::upper_bound(parts_.begin(), parts_.end(), position,
                                       [](std::size_t p, const Part& part) { return p < part.first; });
    const auto part = next - 1;
    return {*this, static_cast<std::size_t>(part - parts_.begin()), position - part->first};
  }
  const T& operator[](std::size_t i) const { return *at(i); }
  Range subrange(std::size_t first, std::size_t count) const { return {at(first), at(first + count)}; }

  /// Returns the first element whose projection is not less than `key`; the table must be in that order. O(log n).
  template <class Key, class Projection>
  Iterator lower_bound(const Key& key, Projection projection) const {
    return first_that([&](const T& row) { return !(std::invoke(projection, row) < key); });
  }
  /// Returns the first element for which `is` is true; it must be true for all after it, too. O(log n).
  template <class Is>
  Iterator first_that(Is is) const {
    const auto part =
        std::partition_point(parts_.begin(), parts_.end(), [&](const Part& p) { return !is(p.data[p.size - 1]); });
    if (part == parts_.end()) return end();
    const T* found = std::partition_point(part->data, part->data + part->size, [&](const T& row) { return !is(row); });
    return {*this, static_cast<std::size_t>(part - parts_.begin()), static_cast<std::size_t>(found - part->data)};
  }
  /// The bytes of all parts, including those shared with other tables.
  std::size_t memory_bytes() const { return size_ * sizeof(T) + parts_.capacity() * sizeof(Part); }
  /// Returns the number of elements in parts shared with `other`.
  std::size_t shared_with(const LinkTable& other) const {
    std::vector<const T*> others;
    for (const Part& part : other.parts_) others.push_back(part.data);
    std::ranges::sort(others, std::less<>());
    std::size_t same = 0;
    for (const Part& part : parts_)
      if (std::ranges::binary_search(others, part.data, std::less<>())) same += part.size;
    return same;
  }

 private:
  struct Part {
    const T* data = nullptr;
    std::size_t size = 0;   // never 0
    std::size_t first = 0;  // number of elements before it
    std::shared_ptr<const void> holder;
  };
  std::vector<Part> parts_;
  std::size_t size_ = 0;
};

}  // namespace lacuna
