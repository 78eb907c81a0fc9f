#pragma once

#include <utility>

namespace lacuna {

/// Owns a file descriptor: an open file, pipe or socket. One thread.
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
  /// The descriptor; -1: none.
  int get() const { return number_; }
  /// Passes ownership to the caller.
  int release() { return std::exchange(number_, -1); }
  /// Closes it. False, with errno: the data may not have been written. Does nothing when none is open.
  bool close();

 private:
  int number_ = -1;
};

}  // namespace lacuna
