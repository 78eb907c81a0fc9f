#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/session/kept_recording.h"
#include "capture/session/launcher.h"
#include "capture/session/session.h"
#include "capture/share/share_server.h"
#include "model/export/claimed_file.h"
#include "model/export/trace_json_writer.h"

namespace lacuna {

/// A capture that goes straight into a trace.json: nothing of it stays in memory, and what was written before a crash
/// can be opened. Or one of which only the newest part is kept (start_keeping). One thread at a time.
class TraceRecorder {
 public:
  /// Starts to listen. What lies at the file's path stays until the first event is there to take its place. Without
  /// one it stays for good; where nothing lay, finish() leaves an empty trace, unless a schedule kept nothing of what
  /// came. Destroyed without finish(), this leaves nothing new.
  static Result<std::unique_ptr<TraceRecorder>> start(ClaimedFile file, SessionOptions options);
  /// The same, but only the newest part of it is kept, in a spool in `folder`, and written into the file at the end.
  /// `command`: what is recorded, for those who find the spool.
  static Result<std::unique_ptr<TraceRecorder>> start_keeping(ClaimedFile file, SessionOptions options, KeepLimit keep,
                                                              const std::string& folder,
                                                              const std::vector<std::string>& command);

  Session& session() { return *session_; }
  const Session& session() const { return *session_; }
  /// One round of the session; about once a second the file is brought up to date.
  void poll(int timeout_ms);
  /// False when the disk refuses more: the target runs on, nothing more is kept.
  bool can_write() const { return kept_ ? kept_->can_write() : file_.ok(); }
  std::uint64_t events() const { return kept_ ? kept_->events() - kept_->forgotten() : writer_.events(); }
  std::uint64_t bytes() const { return kept_ ? kept_->bytes() : file_.size(); }
  /// The newest part, where only that is kept; else null.
  KeptRecording* kept() { return kept_.get(); }
  /// The path of the trace, written or to be written; not the one claimed if a stranger took that meanwhile.
  const std::string& path() const { return claimed_.path(); }
  /// False after finish(): no file was written; what lay at the path is still there.
  bool is_written() const { return claimed_.is_published(); }
  /// Whether something lies at the path that the file would replace.
  bool replaces() const { return claimed_.replaces(); }
  /// Lets a window watch (`lacuna attach`): listens at `socket` for `arguments`, which this records. Call
  /// it before the first poll(), which then serves. For a compressed file a plain copy is kept, unlinked,
  /// in `folder` while this lives; when the disk takes no more of it, only the watching ends.
  Result<void> share(const std::string& socket, const std::vector<std::string>& arguments, const std::string& folder);
  /// Null unless it is shared.
  ShareServer* sharing() { return share_.get(); }
  void set_exit(Launcher::Exit exit) { exit_ = exit; }
  /// Closes everything. The counts of what was lost stand in the file, under "lacuna".
  Result<void> finish();

 private:
  explicit TraceRecorder(ClaimedFile file) : claimed_(std::move(file)), file_(claimed_.file()), writer_(file_) {}
  void begin();
  /// Whether there is more than what is known of any machine.
  bool has_content() const {
    return kept_ ? kept_->has_content() : writer_.events() > writer_.names() + writer_.counters();
  }
  bool has_reached_file() const { return file_.written().file > 0; }
  TraceJsonWriter::Members members() const;
  ShareState state() const;
  void tell_viewer(Nanos now);

  std::unique_ptr<ShareServer> share_;  // goes last: what is buffered is in the file when the viewer hears the end
  ClaimedFile claimed_;
  OutputFile& file_;
  Result<void> published_;
  TraceJsonWriter writer_;
  std::unique_ptr<KeptRecording> kept_;
  std::unique_ptr<Session> session_;
  Nanos flushed_ = 0;
  ShareRunning running_;
  std::optional<Launcher::Exit> exit_;
  std::uint64_t readable_ = 0;
  Nanos announced_ns_ = 0;
  bool has_begun_ = false;
  bool has_schedule_ = false;
  bool copy_failed_ = false;
};

}  // namespace lacuna
