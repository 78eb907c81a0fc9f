#pragma once

#include <string>

#include "capture/session/session.h"
#include "model/export/trace_json_writer.h"

namespace lacuna {

/// A capture that goes straight into a trace.json: nothing of it stays in memory, and what was written
/// before a crash can be opened. One thread at a time.
class TraceRecorder {
 public:
  /// Creates the file and starts to listen.
  static Result<std::unique_ptr<TraceRecorder>> start(const std::string& path, SessionOptions options);

  Session& session() { return *session_; }
  const Session& session() const { return *session_; }
  /// One round of the session; about once a second the file is brought up to date.
  void poll(int timeout_ms);
  /// False when the disk refuses more: the target runs on, nothing more is kept.
  bool can_write() const { return file_.ok(); }
  std::uint64_t events() const { return writer_.events(); }
  std::uint64_t bytes() const { return file_.size(); }
  /// Closes everything. The counts of what was lost stand in the file, under "lacuna".
  Result<void> finish();

 private:
  TraceRecorder(OutputFile file) : file_(std::move(file)), writer_(file_) {}

  OutputFile file_;
  TraceJsonWriter writer_;
  std::unique_ptr<Session> session_;
  Nanos flushed_ = 0;
};

}  // namespace lacuna
