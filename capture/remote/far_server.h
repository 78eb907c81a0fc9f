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

/// The far side of a line: what `lacuna serve --stdio` does. Answers requests in order, one at a time; does what the
/// user who started it could do from a shell, and no more; ends with its line. Whoever is at the other end was let in
/// by ssh; what comes is checked all the same. One thread.
class FarServer {
 public:
  /// How long the other side may say nothing.
  static constexpr int kSilenceMs = 120'000;

  /// Takes the descriptors over. `duration`: for sentences about traces.
  FarServer(int in, int out, TraceAnswerer::DurationText duration, int silence_ms = kSilenceMs)
      : line_(in, out, false), duration_(duration), silence_ms_(silence_ms) {}
  /// Serves until the other side goes or says what makes no sense. Returns why it ended, in words; empty: the line was
  /// closed.
  std::string serve();

 private:
  struct Waiting {
    std::uint32_t request = 0;
    std::string payload;
  };
  /// How a request ends: the fields of its kDone, or why not.
  using Outcome = Result<std::string>;

  bool greet();
  /// Takes in what came, and waits for it at most `timeout_ms`, or until `extra` can be read. False: the request under
  /// way is not wanted any more.
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
  /// Takes what is to be seen out of what waits, and shows it: between two pieces of another answer, too.
  void attend_views();
  void look(const Waiting& waiting);
  void show();
  void end_view(FrameKind kind, std::string_view payload);
  Outcome start_recording(FieldReader& fields);
  Outcome look_at_process(FieldReader& fields);
  /// Runs one of our commands so that it outlives the line; `--live NAME` and `behind` follow its words.
  Outcome start_there(std::vector<std::string> command, const std::vector<std::string>& behind);
  Outcome watch_recording(FieldReader& fields);

  friend class WatchedThere;

  RemoteLine line_;
  const TraceAnswerer::DurationText duration_;
  const int silence_ms_;
  std::deque<Waiting> waiting_;
  std::uint32_t current_ = 0;  // 0: none is under way
  bool is_cancelled_ = false;
  bool is_over_ = false;
  bool stops_ = false;  // kStop came
  std::vector<int> signals_;
  std::uint64_t allowed_ = 0;  // packed bytes of the fetch under way
  std::unique_ptr<SeenTrace> seen_;
  // The newest wish that is not answered; 0: there is none.
  std::uint32_t view_request_ = 0;
  ThinView thin_view_;
  RemoteQuestions view_questions_;
  std::chrono::steady_clock::time_point view_state_sent_;
  std::string why_;
};

/// `serve --stdio` on this process's standard input and output, of which nothing else is left to those. Returns the
/// exit code.
int serve_stdio(TraceAnswerer::DurationText duration);

/// What a path of a request means: "~/x" and "x" are in the home, "" the home itself.
std::string path_there(const std::string& path);

}  // namespace lacuna
