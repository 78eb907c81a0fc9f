#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace lacuna {

/// Limits the frames in transit to a page. Usually one, so that the page always gets the newest next and a slow
/// connection drops frames instead of queueing them. With a long latency, one frame would leave the connection idle
/// most of the time: two from 20 ms round trip on, three from 60 ms. Times in seconds, of any monotonic
/// clock. One thread.
class FramePace {
 public:
  bool may_send() const { return under_way_.size() < allowed(); }
  void note_sent(std::uint32_t frame, double now_s) { under_way_.push_back({frame, now_s}); }
  /// The page has drawn this frame and all before; `held_s`: the time that the page itself took.
  void note_answer(std::uint32_t frame, double now_s, double held_s = 0) {
    while (!under_way_.empty() && static_cast<std::int32_t>(frame - under_way_.front().frame) >= 0) {
      const double took_s = std::max(0.0, now_s - under_way_.front().sent_s - held_s);
      under_way_.pop_front();
      // Minimum of the recent times: the latency without queueing. It may grow again, slowly.
      if (!is_known_ || took_s < least_s_)
        least_s_ = took_s;
      else
        least_s_ += (took_s - least_s_) * 0.02;
      is_known_ = true;
    }
  }
  std::size_t allowed() const { return !is_known_ || least_s_ < 0.02 ? 1 : least_s_ < 0.06 ? 2 : 3; }

 private:
  struct Sent {
    std::uint32_t frame;
    double sent_s;
  };
  std::deque<Sent> under_way_;
  double least_s_ = 0;
  bool is_known_ = false;
};

}  // namespace lacuna
