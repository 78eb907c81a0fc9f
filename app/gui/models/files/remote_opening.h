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

/// Fetches traces from another machine. Until they are fetched and read, that machine sends pictures of what is in view
/// over the same connection. Runs a thread of its own; UI thread, except for fetch().
class RemoteOpening {
 public:
  /// `line`: an open connection, or null. `stays_there`: starts held, see hold(). `wake` is called on other threads if
  /// there is news.
  RemoteOpening(RemotePlace place, std::vector<std::string> paths, std::unique_ptr<FarSide> line, bool stays_there,
                std::function<void()> wake);
  ~RemoteOpening();
  /// Makes all its work end soon.
  void stop();
  RemoteOpening(const RemoteOpening&) = delete;
  RemoteOpening& operator=(const RemoteOpening&) = delete;

  /// Pauses (true) or resumes fetching; pictures keep coming meanwhile.
  void hold(bool holds);
  bool is_held() const { return is_held_; }

  /// Blocks until the files are here and returns their paths. `progress` counts bytes and cancels. Any thread; may be
  Result<std::vector<std::string>> fetch(ImportProgress& progress);

  /// Says what is in view, or soon will be; call before each frame. Requests a picture unless the last one requested is
  /// as good and answers these questions. `fold_ns`: as in LayoutContext.
  void look(TimeSpan visible, Nanos fold_ns, const std::vector<TrackId>& tracks, const RemoteQuestions& questions);
  /// Whether the other machine still computes answers: look() asks for them again after a while.
  bool is_waiting() const;
  /// Returns the newest picture not taken yet, as a document, or null.
  DocumentPtr take_preview();
  /// Whether a picture came: it shows more than what was read of the files so far.
  bool is_seen() const;

  struct State {
    RemoteTraceView::State view;
    FetchStep step;
    bool is_fetched = false;
    std::string waits;  ///< why the connection is lost; empty: it is not
    bool has_line = true;
  };
  State state() const;
  /// Returns the local files once everything is fetched.
  std::optional<std::vector<std::string>> fetched() const;
  /// Text for the user: "Seen from box: a preview", "3 of 50 MB fetched".
  std::string view_words() const;
  std::string fetch_words() const;
  /// Text for the user: why a question is not answered now, or never will be; empty: it will be answered.
  std::string why_no_answer() const;
  const std::string& name() const { return name_; }
  /// Returns the titles of the traces until they are fetched.
  const std::vector<std::string>& titles() const { return titles_; }

 private:
  void run(std::unique_ptr<FarSide> line);
  /// After the whole trace was fetched: keeps the connection open for pictures while any are wanted.
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

  // UI thread only: the span of the trace, once a picture of it came, and the last request.
  TimeSpan whole_ = TimeSpan::nothing();
  std::optional<ThinView> asked_;
  RemoteQuestions asked_questions_;
  bool is_whole_ = false;  // whether the last answers were complete
  std::chrono::steady_clock::time_point asked_at_;
  std::optional<TimeSpan> home_;  // of the first picture, hence of all. Connection thread only
  std::jthread thread_;           // last member: it uses all the others
};

}  // namespace lacuna
