#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "capture/remote/frame.h"

namespace lacuna {

/// A connection: a pair of descriptors with frames in both directions. Owns both and makes them non-blocking. The
/// preamble and the hello are sent with the first frame. One thread.
class RemoteLine {
 public:
  RemoteLine(int in, int out, bool skips_noise);
  ~RemoteLine();
  RemoteLine(const RemoteLine&) = delete;
  RemoteLine& operator=(const RemoteLine&) = delete;

  /// Sends a frame; waits at most `stall_ms` while the other end does not read. Returns false and closes the connection
  /// if the other end is gone or the wait was too long.
  bool send(FrameKind kind, std::uint32_t request, std::string_view payload);
  void set_stall_ms(int stall_ms) { stall_ms_ = stall_ms; }

  enum class Got {
    kFrame,
    kNothing,  ///< timeout
    kGone,     ///< the other end closed the connection
    kBroken    ///< the data received is invalid: problem()
  };
  /// Waits at most `timeout_ms` for a frame. The wait also ends when `extra` (a descriptor, or -1) becomes readable.
  Got receive(Frame& frame, int timeout_ms, int extra = -1);
  const std::string& problem() const { return reader_.problem(); }
  const std::string& noise() const { return reader_.noise(); }
  bool is_open() const { return out_ >= 0; }
  void close();
  /// When a frame was last sent or received.
  std::chrono::steady_clock::time_point last_sent() const { return last_sent_; }
  std::chrono::steady_clock::time_point last_received() const { return last_received_; }

 private:
  bool write_all(std::string_view bytes);

  int in_ = -1;
  int out_ = -1;
  int stall_ms_ = 60'000;
  bool has_begun_ = false;
  bool is_at_end_ = false;
  FrameReader reader_;
  std::chrono::steady_clock::time_point last_sent_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_received_ = last_sent_;
};

}  // namespace lacuna
