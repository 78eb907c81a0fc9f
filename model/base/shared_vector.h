#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace lacuna {

/// A vector that grows at its end while other threads read earlier copies: a copy costs one pointer for
/// each kPart elements and shares them all. Copies do not see appended elements; appending to a copy, or to a
/// vector that was shortened, first duplicates the last part.
/// One thread changes a vector; any thread may read a copy meanwhile.
template <class T>
class SharedVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  static constexpr std::size_t kPart = 1024;

  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const SharedVector* vector, std::size_t at) : vector_(vector), at_(at) {}
    reference operator*() const { return (*vector_)[at_]; }
    pointer operator->() const { return &(*vector_)[at_]; }
    reference operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator+=(difference_type n) {
      at_ = static_cast<std::size_t>(static_cast<difference_type>(at_) + n);
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
    friend std::strong_ordering operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

   private:
    const SharedVector* vector_ = nullptr;
    std::size_t at_ = 0;
  };
  using value_type = T;
  using const_iterator = Iterator;

  SharedVector() = default;
  SharedVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }
  SharedVector(const SharedVector& other) : parts_(other.parts_), size_(other.size_), owns_last_(false) {}
  SharedVector(SharedVector&& other) noexcept
      : parts_(std::move(other.parts_)), size_(std::exchange(other.size_, 0)), owns_last_(other.owns_last_) {
    other.parts_.clear();
  }
  SharedVector& operator=(SharedVector other) noexcept {
    parts_ = std::move(other.parts_);
    size_ = other.size_;
    owns_last_ = other.owns_last_;
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return parts_[i / kPart][static_cast<std::ptrdiff_t>(i % kPart)]; }
  const T& front() const { return (*this)[0]; }
  const T& back() const { return (*this)[size_ - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

  void push_back(const T& item) {
    if (size_ == parts_.size() * kPart) {
      parts_.push_back(part());
      owns_last_ = true;
    }
    if (!owns_last_) own_last();
    std::construct_at(&parts_.back()[static_cast<std::ptrdiff_t>(size_ % kPart)], item);
    ++size_;
  }
  /// Keeps the first `size` elements.
  void shorten(std::size_t size) {
    if (size >= size_) return;
    size_ = size;
    parts_.resize((size + kPart - 1) / kPart);
    owns_last_ = false;
  }
  void clear() { shorten(0); }
  /// The number of leading elements known to equal those of `other` without comparing them: whole parts that both
  /// share, limited to the elements that both have. O(parts).
  std::size_t shared_with(const SharedVector& other) const {
    const std::size_t most = std::min(parts_.size(), other.parts_.size());
    std::size_t same = 0;
    while (same < most && parts_[same] == other.parts_[same]) ++same;
    return std::min({same * kPart, size_, other.size_});
  }

 private:
  using Part = std::shared_ptr<T[]>;
  static Part part() {
    return Part(std::allocator<T>().allocate(kPart), [](T* items) { std::allocator<T>().deallocate(items, kPart); });
  }
  /// Duplicates the last part, so that copies that share it do not change.
  void own_last() {
    Part own = part();
    const std::size_t count = size_ - (parts_.size() - 1) * kPart;
    std::uninitialized_copy_n(parts_.back().get(), count, own.get());
    parts_.back() = std::move(own);
    owns_last_ = true;
  }

  std::vector<Part> parts_;
  std::size_t size_ = 0;
  bool owns_last_ = true;  // no other vector appends to the last part
};

}  // namespace lacuna
