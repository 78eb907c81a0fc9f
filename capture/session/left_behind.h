#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// How long a recording goes on once its command has ended: while processes that the command left behind are
/// captured, or may be soon. One thread.
class LeftBehind {
 public:
  /// `socket`: where the collectors of this recording connect; it is in the environment of all that the command
  /// started. Without `waits` what is left gets half a second.
  LeftBehind(std::string socket, bool waits) : socket_(std::move(socket)), waits_(waits) {}

  /// Every round once the command has ended: true when the recording is to end. `running`: captured processes
  /// that run. `is_asked_to_end`: somebody has stopped the command or the recording.
  bool is_over(Nanos now, std::uint64_t running, bool is_asked_to_end);
  /// What to tell the user, once each.
  std::vector<std::string> take_messages();
  /// The message at the end about processes that still run. Empty: none does.
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
