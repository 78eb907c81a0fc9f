#pragma once

#include <utility>

namespace lacuna {

/// Owns what the system numbers: an open file, pipe or socket. One thread.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    const int taken = other.release();
    (void)close();
    number_ = taken;
    return *this;
  }
  ~Descriptor() { (void)close(); }

  bool is_open() const { return number_ >= 0; }
  /// -1: none.
  int get() const { return number_; }
  /// From here on the caller's.
  int release() { return std::exchange(number_, -1); }
  /// False, with errno: what was written did not arrive. Nothing happens where none is open.
  bool close();

 private:
  int number_ = -1;
};

}  // namespace lacuna
