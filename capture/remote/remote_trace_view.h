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

/// Looks at traces on another machine while they are fetched from there: asks for what a picture of some part of them
/// needs, the newest wish alone. Nothing that comes is trusted. What it cannot have it does without, and says why: the
/// line and what runs on it stay.
class RemoteTraceView final : public FarAside {
 public:
  /// A picture that arrived.
  struct Picture {
    Trace trace;
    Statistics statistics;  ///< where `answers` has some
    RemoteAnswers answers;
    RemoteViewHead head;
  };
  /// `take` gets each, on the line's thread.
  using Take = std::function<void(Picture)>;
  /// `notice`: by which other windows know that this one waits, and it of them; may be null.
  explicit RemoteTraceView(Take take, std::unique_ptr<LineNotice> notice = nullptr);
  ~RemoteTraceView() override;
  RemoteTraceView(const RemoteTraceView&) = delete;
  RemoteTraceView& operator=(const RemoteTraceView&) = delete;

  /// Says which files are seen; nothing is asked before. On the line's thread.
  void choose(std::vector<SeenFile> files);
  /// Sets the view and questions wanted from now on. Any thread.
  void look(ThinView view, RemoteQuestions questions = {});

  enum class Phase : std::uint8_t {
    kAsking,   ///< nothing is known yet
    kReading,  ///< they are read there
    kSeen,     ///< they were seen
    kRefused   ///< they cannot be seen from there: `why`
  };
  struct State {
    Phase phase = Phase::kAsking;
    RemoteViewState reading;
    std::string why;
    bool is_asking = false;      ///< an answer is under way
    std::uint64_t pictures = 0;  ///< that came
    std::uint64_t bytes = 0;     ///< packed, of all of them
    std::uint64_t last_bytes = 0;
    std::uint64_t last_ns = 0;        ///< from the wish for the last to having it
    std::uint64_t last_there_ns = 0;  ///< of that, the work there
  };
  /// Any thread.
  State state() const;

  /// Takes frames of this request for answers. The line's thread; for step(), and for tests without a line.
  void expect(std::uint32_t request);

  // These are called by the line.
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
  std::optional<Wish> wish_;  // not asked yet; guarded, as is state_
  State state_;
  std::uint64_t wished_ns_ = 0;

  // These belong to the line's thread.
  std::vector<SeenFile> files_;
  std::optional<Wish> last_;  // what was asked for last
  std::vector<Asked> asked_;  // requests that are not answered
  bool is_read_there_ = false;
  bool is_first_ = true;
  std::unique_ptr<PackedReader> unpacker_;
  std::optional<RemoteViewHead> head_;  // of what is coming
  std::string bytes_;                   // of it
  std::string unpacked_;
  std::uint64_t packed_ = 0;
};

}  // namespace lacuna
