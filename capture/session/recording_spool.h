#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "capture/session/batch_sink.h"
#include "capture/session/running_offset.h"
#include "model/base/byte_source.h"
#include "model/base/os/descriptor.h"
#include "model/base/result.h"
#include "model/export/claimed_file.h"
#include "model/export/event_sink.h"
#include "model/export/held_event.h"
#include "model/export/trace_json_writer.h"

namespace lacuna {

class FramedBytes;

/// Where the events of a recording under way go: into batches for the model (for a window), and as compressed JSON into
/// a private folder, from which their args are read back and the recording is saved. Removed with the object unless
/// keep() was called; after a crash what was written stays, and each part of it is a trace that can be opened.
///
/// The events lie in parts, a .zst file each (a tenth of the JSON, so that the disk keeps up with millions of
/// events a second). Offsets of events (EventBatch's file_offset) count on through
/// all parts, so that forgetting the oldest part means: forget all events below an offset. Names and
/// devices are remembered for as long as the recording lives; save() writes them in front.
///
/// One thread adds, flushes, starts and drops parts; bytes() and save() may be called by others.
/// When the disk takes no more, events are counted in lost() and go nowhere: model and file agree.
class RecordingSpool : public EventSink {
 public:
  static constexpr std::uint64_t kRunning = kRunningOffset;
  static constexpr std::size_t kMostNames = 1'000'000;

  /// Makes a folder of its own (mode 0700) in `parent`, which is made if need be. `batches`: null for none.
  static Result<std::unique_ptr<RecordingSpool>> create(const std::string& parent, BatchSink* batches);
  ~RecordingSpool() override;
  RecordingSpool(const RecordingSpool&) = delete;
  RecordingSpool& operator=(const RecordingSpool&) = delete;

  /// The GPUs reported so far, as the file of save() says. Any thread.
  std::vector<DeviceProperties> devices() const;

  // What else lies in the folder, for those who find it after a crash (old_recordings.h).
  static constexpr const char* kLockFile = "lock";        ///< locked by us while we live
  static constexpr const char* kCommandFile = "command";  ///< what is recorded
  static constexpr const char* kSavedFile = "saved";      ///< where all of it was saved
  /// Says there what is recorded.
  void describe(const std::string& command) const;
  /// Says there that nothing is lost without the folder.
  void mark_saved(const std::string& path) const;

  /// The folder stays when this is destroyed. Any thread.
  void keep() { is_kept_ = true; }

  /// To be called before the first event.
  void begin(Nanos base_time_ns);
  void add(const StreamedSlice& slice) override { send(slice); }
  void add(const StreamedInstant& instant) override {
    counters_ += instant.is_counter ? 1 : 0;
    send(instant);
  }
  void add(const StreamedAsync& async) override { send(async); }
  void add(const StreamedFlow& flow) override { send(flow); }
  void add(const StreamedName& name) override;
  void add(const StreamedDevice& device) override;

  /// Makes all events so far readable through bytes() and part of what save() writes.
  void flush();
  /// Later events go to a new part. Take the batch first.
  void start_part();
  std::size_t parts() const { return parts_count_; }
  /// Drops the oldest part but never the newest. All events below the offset returned are gone.
  std::uint64_t drop_oldest();

  std::uint64_t events() const { return events_; }
  std::uint64_t names() const { return names_; }        ///< of these, names of processes and threads
  std::uint64_t counters() const { return counters_; }  ///< … values of counters
  std::uint64_t lost() const { return lost_; }
  std::uint64_t bytes_written() const;  ///< on the disk, of all parts that are left
  const std::string& folder() const { return folder_; }

  /// The bytes for TraceSource::bytes; they stay good after the spool is gone.
  std::shared_ptr<const ByteSource> bytes() const;
  /// Writes what was flushed as one trace.json (.gz or .zst by name): beside `path` and then renamed, so that a
  /// disk that fills up costs nothing that was there before (replace_file).
  Result<void> save(const std::string& path, Existing existing, const TraceJsonWriter::Members& members) const;
  /// The same into a file that is the caller's to finish; `more` are events in front of the others.
  Result<void> write_to(OutputFile& out, const TraceJsonWriter::Members& members,
                        std::span<const HeldEvent> more = {}) const;

 private:
  struct Name {
    StreamedName::What what;
    std::uint32_t pid, tid;
    std::string text;
  };
  struct Device {
    StreamedDevice device;
    std::string name;
  };
  struct Part {
    std::uint64_t begin = 0;         ///< offset of its file's first byte
    std::uint64_t first = 0;         ///< local offset of its first event; = size: none yet
    std::uint64_t size = 0;          ///< local, flushed
    std::uint64_t size_on_disk = 0;  ///< compressed
    std::string path;
    std::shared_ptr<FramedBytes> bytes;
  };
  /// State shared with other threads.
  struct Shared;
  class Bytes;

  RecordingSpool(std::string folder, BatchSink* batches);
  bool open_part(std::uint64_t begin);
  template <class Event>
  void send(const Event& event);
  bool can_write();

  std::string folder_;
  Descriptor lock_;
  std::atomic<bool> is_kept_{false};
  BatchSink* batches_;
  std::shared_ptr<Shared> shared_;
  Nanos base_time_ns_ = 0;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<TraceJsonWriter> writer_;
  std::uint64_t part_begin_ = 0;
  std::uint64_t part_first_ = 0;  // local offset of the part's first event; 0 = none yet
  std::size_t parts_count_ = 0;
  std::uint64_t part_number_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t names_ = 0;
  std::uint64_t counters_ = 0;
  std::uint64_t lost_ = 0;
  std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::string> newest_names_;
};

}  // namespace lacuna
