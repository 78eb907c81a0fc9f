#pragma once

#include <cstddef>
#include <vector>

namespace lacuna {

/// A list that keeps its elements when it is cleared, so that the strings inside them keep their
/// memory: a frame that shows as much as the last one allocates nothing. T needs `void reset()`,
/// which makes an element as good as new while keeping its memory.
template <class T>
class Recycled {
 public:
  /// Appends an element after calling its reset(). The reference is valid until the next add().
  T& add() {
    if (size_ == elements_.size()) elements_.emplace_back();
    T& element = elements_[size_++];
    element.reset();
    return element;
  }
  void clear() { size_ = 0; }
  void pop_back() { --size_; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }
  T& back() { return elements_[size_ - 1]; }
  const T& back() const { return elements_[size_ - 1]; }
  T* begin() { return elements_.data(); }
  T* end() { return elements_.data() + size_; }
  const T* begin() const { return elements_.data(); }
  const T* end() const { return elements_.data() + size_; }

 private:
  std::vector<T> elements_;
  std::size_t size_ = 0;
};

}  // namespace lacuna
