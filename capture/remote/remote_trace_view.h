#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capture/remote/far_side.h"
#include "capture/remote/line_notice.h"
#include "capture/remote/packed.h"
#include "capture/remote/verbs.h"
#include "model/base/os/descriptor.h"

namespace lacuna {

/// Shows traces on another machine while they are being fetched: requests the picture of the visible part,
/// only for the newest view. Validates all input. On failure it does without pictures, and says why: the
/// connection and its other requests are unaffected.
class RemoteTraceView final : public FarAside {
 public:
  /// A picture that arrived.
  struct Picture {
    Trace trace;
    Statistics statistics;  ///< if `answers` has them
    RemoteAnswers answers;
    RemoteViewHead head;
  };
  /// Called with each picture, on the connection's thread.
  using Take = std::function<void(Picture)>;
  /// `notice`: tells other windows that this one waits, and vice versa; may be null.
  explicit RemoteTraceView(Take take, std::unique_ptr<LineNotice> notice = nullptr);
  ~RemoteTraceView() override;
  RemoteTraceView(const RemoteTraceView&) = delete;
  RemoteTraceView& operator=(const RemoteTraceView&) = delete;

  /// Sets the files to show; nothing is requested before. On the connection's thread.
  void choose(std::vector<SeenFile> files);
  /// Sets the view and questions wanted from now on. Any thread.
  void look(ThinView view, RemoteQuestions questions = {});

  enum class Phase : std::uint8_t {
    kAsking,   ///< unknown yet
    kReading,  ///< being read there
    kSeen,     ///< pictures arrive
    kRefused   ///< no pictures from there: see `why`
  };
  struct State {
    Phase phase = Phase::kAsking;
    RemoteViewState reading;
    std::string why;
    bool is_asking = false;      ///< an answer is pending
    std::uint64_t pictures = 0;  ///< number received
    std::uint64_t bytes = 0;     ///< packed, of all pictures
    std::uint64_t last_bytes = 0;
    std::uint64_t last_ns = 0;        ///< from the request of the last one to its arrival
    std::uint64_t last_there_ns = 0;  ///< its computing time there
  };
  /// Any thread.
  State state() const;

  /// Treats frames of this request as answers. Connection's thread; for step(), and for tests without a connection.
  void expect(std::uint32_t request);

  // Called by the connection.
  void begin() override;
  int wakes() const override { return wakes_.get(); }
  void step(FarSide& far) override;
  void take(const Frame& frame) override;
  bool is_urgent() const override { return waits() || (notice_ && notice_->others_wait()); }

 private:
  struct Asked {
    std::uint32_t request = 0;
    std::uint64_t wished_ns = 0;
  };
  bool waits() const { return !asked_.empty() && is_read_there_; }
  void tell_others() {
    if (notice_) notice_->wait(waits());
  }
  void take_frame(const Frame& frame);
  void refuse(const std::string& why);
  void take_answer(const Frame& frame);
  void finish(const Frame& frame);

  const Take take_;
  const std::unique_ptr<LineNotice> notice_;
  Descriptor wakes_;

  mutable std::mutex mutex_;
  struct Wish {
    ThinView view;
    RemoteQuestions questions;
  };
  std::optional<Wish> wish_;  // not requested yet; guarded, as is state_
  State state_;
  std::uint64_t wished_ns_ = 0;

  // Connection's thread only:
  std::vector<SeenFile> files_;
  std::optional<Wish> last_;  // last request
  std::vector<Asked> asked_;  // requests without an answer
  bool is_read_there_ = false;
  bool is_first_ = true;
  std::unique_ptr<PackedReader> unpacker_;
  std::optional<RemoteViewHead> head_;  // of the picture being received
  std::string bytes_;                   // its bytes so far
  std::string unpacked_;
  std::uint64_t packed_ = 0;
};

}  // namespace lacuna
