#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// Decides how long a recording continues after its command has ended: while processes that the command left behind
/// are captured, or soon may be. One thread.
class LeftBehind {
 public:
  /// `socket`: where the collectors of this recording connect; all processes that the command started have it in their
  /// environment. Without `waits`, remaining processes get half a second.
  LeftBehind(std::string socket, bool waits) : socket_(std::move(socket)), waits_(waits) {}

  /// Call every round once the command has ended: whether the recording should end. `running`: number of captured
  /// processes that still run. `is_asked_to_end`: the user has stopped the command or the recording.
  bool is_over(Nanos now, std::uint64_t running, bool is_asked_to_end);
  /// Returns new messages for the user, each once.
  std::vector<std::string> take_messages();
  /// Returns the final message about processes that still run; empty when none does.
  std::string last_words(std::uint64_t running) const;

 private:
  struct Found {
    std::string captured;  // "python3 (123)", joined
    std::string uncaptured;
    std::size_t captured_count = 0;
    std::size_t uncaptured_count = 0;
  };
  Found look() const;

  std::string socket_;
  bool waits_;
  std::optional<Nanos> ended_;
  Nanos looked_ = 0;
  Found found_;
  bool has_reported_captured_ = false;
  bool has_reported_uncaptured_ = false;
  std::vector<std::string> messages_;
};

}  // namespace lacuna
