#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/session/kept_parts.h"
#include "capture/session/recording_spool.h"
#include "capture/session/snapshot_saver.h"
#include "model/base/result.h"

namespace lacuna {

/// The newest part of a recording under way, for `lacuna record --keep-seconds`: a spool that is kept within a limit
/// and saved on request, while recording continues. After a crash find_old_recordings() finds it. One thread at a
/// time.
class KeptRecording {
 public:
  /// `output`: base of the names of snapshots without a name, to which a number is added.
  static Result<std::unique_ptr<KeptRecording>> create(const std::string& parent, KeepLimit keep,
                                                       const std::vector<std::string>& command,
                                                       const std::string& output);

  EventSink& sink() { return *spool_; }
  void begin(Nanos base_time_ns, Nanos now);
  /// Call it in every round of the session.
  void advance(Nanos now, const Session& session, const std::function<TraceJsonWriter::Members()>& members);
  /// Saves what is kept under a new name, at the next advance().
  void ask_to_save() { saver_->ask({}); }
  std::vector<std::string> take_messages() { return saver_->take_messages(); }
  /// Call when the session has ended: drops nothing more, and completes the requested snapshots.
  void finish(Nanos now);
  /// Writes what is kept; call it after finish().
  Result<void> write_to(OutputFile& out, const TraceJsonWriter::Members& members) const {
    return spool_->write_to(out, members);
  }
  /// Leaves the spool on the disk when this is destroyed, as after a crash.
  void keep() { spool_->keep(); }

  bool can_write() const { return spool_->lost() == 0; }
  std::uint64_t events() const { return spool_->events(); }  ///< all events so far, including forgotten ones
  bool has_content() const { return spool_->events() > spool_->names() + spool_->counters(); }
  std::uint64_t bytes() const { return spool_->bytes_written(); }
  std::uint64_t forgotten() const { return parts_ ? parts_->forgotten() : 0; }
  Nanos kept_since() const { return parts_ ? parts_->kept_since() : 0; }
  const std::string& folder() const { return spool_->folder(); }

 private:
  explicit KeptRecording(KeepLimit keep) : keep_(keep) {}

  KeepLimit keep_;
  std::unique_ptr<RecordingSpool> spool_;
  std::optional<KeptParts> parts_;
  std::optional<SnapshotSaver> saver_;
  Nanos advanced_ = 0;
};

}  // namespace lacuna
