#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "capture/session/live_plan.h"

namespace lacuna {

/// Decides which parts of a recording are kept within a limit: a part begins every eighth of the limit, and the oldest
/// is dropped once the others alone reach the limit. The owner defines what a part is. One thread.
class KeptWindow {
 public:
  explicit KeptWindow(KeepLimit keep, Nanos now = 0) : keep_(keep), parts_{{0, 0, now, now}} {}

  /// Sets the number of events in the newest part so far.
  void count(std::uint64_t events, Nanos now) {
    parts_.back().events = events;
    parts_.back().end = now;
  }
  /// Whether a new part should begin.
  bool is_part_full(Nanos now) const {
    const Part& newest = parts_.back();
    return keep_.is_set() && newest.events > 0 &&
           (newest.events >= most_events() / kPartsOfLimit || now - newest.began >= longest() / kPartsOfLimit);
  }
  /// `place`: the owner's position at which the part begins.
  void start_part(std::uint64_t place, Nanos now) { parts_.push_back({place, 0, now, now}); }

  /// Whether the oldest part exceeds the limit. A burst larger than the limit stays until newer events
  /// arrive.
  bool is_too_much(Nanos now) const {
    if (!keep_.is_set() || parts_.size() < 2) return false;
    std::uint64_t kept = 0;
    for (const Part& part : parts_) kept += part.events;
    return (kept > most_events() && kept > parts_.front().events) || now - parts_.front().end > longest();
  }
  void drop_oldest() {
    forgotten_ += parts_.front().events;
    parts_.erase(parts_.begin());
  }

  /// The number of events in dropped parts.
  std::uint64_t forgotten() const { return forgotten_; }
  /// The time, and the owner's position, at which the kept range begins.
  Nanos since() const { return parts_.front().began; }
  std::uint64_t place() const { return parts_.front().place; }

 private:
  static constexpr int kPartsOfLimit = 8;

  struct Part {
    std::uint64_t place = 0;
    std::uint64_t events = 0;
    Nanos began = 0;
    Nanos end = 0;
  };
  std::uint64_t most_events() const {
    return keep_.memory_bytes == 0 ? ~0ull : std::max<std::uint64_t>(keep_.memory_bytes / KeepLimit::kBytesPerEvent, 1);
  }
  Nanos longest() const { return keep_.last_ns == 0 ? kMaxNanos : keep_.last_ns; }

  KeepLimit keep_;
  std::vector<Part> parts_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace lacuna
