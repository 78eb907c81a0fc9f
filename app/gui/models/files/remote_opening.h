#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/gui/core/document.h"
#include "capture/remote/remote_files.h"
#include "capture/remote/remote_trace_view.h"

namespace lacuna {

/// Traces of another machine on their way here. Until they are here, and read, pictures of what is looked at come from
/// there, on the same line. A thread of its own; UI thread otherwise, but for fetch().
class RemoteOpening {
 public:
  /// `line`: one that was made already, or null. `stays_there`: nothing is fetched until it is let go of. `wake` is
  /// called on other threads when there is news.
  RemoteOpening(RemotePlace place, std::vector<std::string> paths, std::unique_ptr<FarSide> line, bool stays_there,
                std::function<void()> wake);
  ~RemoteOpening();
  /// Ends soon all that it does.
  void stop();
  RemoteOpening(const RemoteOpening&) = delete;
  RemoteOpening& operator=(const RemoteOpening&) = delete;

  /// Nothing more is fetched until it is let go of again; pictures come all the same.
  void hold(bool holds);
  bool is_held() const { return is_held_; }

  /// Blocks until the files are here: their paths. `progress` counts, and cancels. Any thread; may be called again.
  Result<std::vector<std::string>> fetch(ImportProgress& progress);

  /// What is in view, or soon will be, before each frame: asks for a picture where the one that was asked for last does
  /// not show it as well, or does not answer these questions. `fold_ns`: as LayoutContext has it.
  void look(TimeSpan visible, Nanos fold_ns, const std::vector<TrackId>& tracks, const RemoteQuestions& questions);
  /// Answers are still worked out there: look() asks for them again after a while.
  bool is_waiting() const;
  /// The newest picture that was not taken yet, as a document, or null.
  DocumentPtr take_preview();
  /// Whether a picture came: it shows more than what is read of the files here.
  bool is_seen() const;

  struct State {
    RemoteTraceView::State view;
    FetchStep step;
    bool is_fetched = false;
    std::string waits;  ///< why the line is gone; empty: it is not
    bool has_line = true;
  };
  State state() const;
  /// Once all is here: the files.
  std::optional<std::vector<std::string>> fetched() const;
  /// Words for people: "Seen from box: a preview", "3 of 50 MB fetched".
  std::string view_words() const;
  std::string fetch_words() const;
  /// Words for people: why what is asked is not answered now, or ever; empty: it will be.
  std::string why_no_answer() const;
  const std::string& name() const { return name_; }
  /// Titles of the traces until they are here.
  const std::vector<std::string>& titles() const { return titles_; }

 private:
  void run(std::unique_ptr<FarSide> line);
  /// Once the whole trace is here: the line stays open for pictures while any are wanted.
  void attend(std::unique_ptr<FarSide> line);
  void take(RemoteTraceView::Picture picture);

  const RemotePlace place_;
  const std::vector<std::string> paths_;
  const std::string name_;
  std::vector<std::string> titles_;
  const std::function<void()> wake_;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> is_held_;
  RemoteTraceView trace_view_;

  mutable std::mutex mutex_;
  std::condition_variable has_come_;
  // Guarded:
  FetchStep step_;
  std::string waits_;
  std::optional<Result<std::vector<std::string>>> fetched_;
  std::vector<std::string> paths_here_;
  DocumentPtr preview_;
  std::optional<RemoteViewHead> shown_;  // what the newest preview shows

  // The UI thread's alone: the span of the trace, once a picture of it came, and what was asked for last.
  TimeSpan whole_ = TimeSpan::nothing();
  std::optional<ThinView> asked_;
  RemoteQuestions asked_questions_;
  bool is_whole_ = false;  // of the last answers
  std::chrono::steady_clock::time_point asked_at_;
  std::optional<TimeSpan> home_;  // of the first picture, and so of all. The line's thread
  std::jthread thread_;           // last: it uses all of it
};

}  // namespace lacuna
