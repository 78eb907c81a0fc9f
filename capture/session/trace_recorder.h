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

/// A capture written straight to a trace.json: no events stay in memory, and after a crash the file
/// can be opened. Or only its newest part is kept (start_keeping). One thread at a time.
class TraceRecorder {
 public:
  /// Starts to listen. An existing file at the path stays until the first event replaces it. Without
  /// events it stays for good; if there was none, finish() writes an empty trace, unless a schedule kept none of the
  /// events. Destroying this without finish() leaves nothing new.
  static Result<std::unique_ptr<TraceRecorder>> start(ClaimedFile file, SessionOptions options);
  /// Like start(), but keeps only the newest part, in a spool in `folder`, and writes it to the file at the end.
  /// `command`: the recorded command, shown to those who find the spool.
  static Result<std::unique_ptr<TraceRecorder>> start_keeping(ClaimedFile file, SessionOptions options, KeepLimit keep,
                                                              const std::string& folder,
                                                              const std::vector<std::string>& command);

  Session& session() { return *session_; }
  const Session& session() const { return *session_; }
  /// Runs one round of the session; flushes the file about once a second.
  void poll(int timeout_ms);
  /// False when the disk takes no more: the target continues, nothing more is recorded.
  bool can_write() const { return kept_ ? kept_->can_write() : file_.ok(); }
  std::uint64_t events() const { return kept_ ? kept_->events() - kept_->forgotten() : writer_.events(); }
  std::uint64_t bytes() const { return kept_ ? kept_->bytes() : file_.size(); }
  /// The kept newest part; null without start_keeping().
  KeptRecording* kept() { return kept_.get(); }
  /// The path of the trace; differs from the claimed one if another process took that meanwhile.
  const std::string& path() const { return claimed_.path(); }
  /// False after finish(): no file was written, and an existing file at the path is unchanged.
  bool is_written() const { return claimed_.is_published(); }
  /// Whether there is a file at the path that would be replaced.
  bool replaces() const { return claimed_.replaces(); }
  /// Lets a window watch (`lacuna attach`): listens at `socket`; `arguments` is the recorded command. Call
  /// it before the first poll(), which then serves. For a compressed file a plain copy is kept, unlinked,
  /// in `folder` while this lives; when the disk takes no more of it, only the watching ends.
  Result<void> share(const std::string& socket, const std::vector<std::string>& arguments, const std::string& folder);
  /// Null unless it is shared.
  ShareServer* sharing() { return share_.get(); }
  void set_exit(Launcher::Exit exit) { exit_ = exit; }
  /// Closes everything. The file has the loss counts under "lacuna".
  Result<void> finish();

 private:
  explicit TraceRecorder(ClaimedFile file) : claimed_(std::move(file)), file_(claimed_.file()), writer_(file_) {}
  void begin();
  /// Whether there is more content than every machine yields.
  bool has_content() const {
    return kept_ ? kept_->has_content() : writer_.events() > writer_.names() + writer_.counters();
  }
  bool has_reached_file() const { return file_.written().file > 0; }
  TraceJsonWriter::Members members() const;
  ShareState state() const;
  void tell_viewer(Nanos now);

  std::unique_ptr<ShareServer> share_;  // last member: when the viewer learns of the end, the file must be complete
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
