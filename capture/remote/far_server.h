#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/remote/fields.h"
#include "capture/remote/line.h"
#include "capture/remote/seen_trace.h"
#include "capture/remote/verbs.h"
#include "model/base/result.h"

namespace lacuna {

/// The remote end of a connection: implements `lacuna serve --stdio`. Answers requests in order, one at a time; can do
/// only what its user could do from a shell; ends with its connection. ssh has authenticated the
/// other end; input is validated all the same. One thread.
class FarServer {
 public:
  /// How long the other end may be silent.
  static constexpr int kSilenceMs = 120'000;
  /// How often it says that it is there while it works; the other end waits for 10 s (RemotePatience).
  static constexpr std::chrono::seconds kSayingEvery{3};

  /// Takes ownership of the descriptors. `duration`: formats durations in texts about traces.
  FarServer(int in, int out, const ReportFormat& format, int silence_ms = kSilenceMs)
      : line_(in, out, false), format_(format), silence_ms_(silence_ms) {}
  /// Serves until the other end closes the connection or sends invalid data. Returns why it ended, as text; empty: the
  /// connection was closed.
  std::string serve();

 private:
  struct Waiting {
    std::uint32_t request = 0;
    std::string payload;
  };
  /// Result of a request: the fields of its kDone, or an error.
  using Outcome = Result<std::string>;

  bool greet();
  /// Reads input, waiting at most `timeout_ms`, or until `extra` becomes readable. Returns false if the current
  /// request was cancelled.
  bool pump(int timeout_ms, int extra = -1);
  void take_in(Frame& frame);
  void refuse(const std::string& words);
  bool send(FrameKind kind, std::string_view payload) { return line_.send(kind, current_, payload); }
  Error not_wanted() const;

  Outcome run(const Waiting& waiting);
  Outcome run_command(FieldReader& fields);
  Outcome list_folder(FieldReader& fields);
  Outcome find_files(FieldReader& fields);
  Outcome fetch_file(FieldReader& fields);
  /// Takes requests for pictures out of the queue and answers them: also between two parts of another answer.
  void attend_views();
  void look(const Waiting& waiting);
  void show();
  /// Returns what `work` returns, and says meanwhile that it is there.
  template <class Work>
  auto beating(Work&& work);
  void end_view(FrameKind kind, std::string_view payload);
  Outcome start_recording(FieldReader& fields);
  Outcome look_at_process(FieldReader& fields);
  /// Runs a lacuna command that outlives the connection; its words are followed by `--live NAME` and `behind`.
  Outcome start_there(std::vector<std::string> command, const std::vector<std::string>& behind);
  Outcome watch_recording(FieldReader& fields);

  friend class WatchedThere;

  RemoteLine line_;
  const ReportFormat format_;
  const int silence_ms_;
  std::deque<Waiting> waiting_;
  std::uint32_t current_ = 0;  // 0: no current request
  bool is_cancelled_ = false;
  bool is_over_ = false;
  bool stops_ = false;  // kStop was received
  std::vector<int> signals_;
  std::uint64_t allowed_ = 0;  // packed bytes that the current fetch may send
  std::unique_ptr<SeenTrace> seen_;
  // The newest request for a picture that is not answered; 0: none.
  std::uint32_t view_request_ = 0;
  ThinView thin_view_;
  RemoteQuestions view_questions_;
  std::chrono::steady_clock::time_point view_state_sent_;
  std::string why_;
};

/// Runs `serve --stdio` on this process's standard input and output, taking both over from other uses. Returns the
/// exit code.
int serve_stdio(const ReportFormat& format);

/// Resolves a path of a request: "~/x" and "x" are in the home folder, "" is the home folder.
std::string path_there(const std::string& path);

}  // namespace lacuna
