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

/// Stores the events of a recording under way: in batches for the model (for a window), and as compressed JSON in
/// a private folder, from which args are read back and the recording is saved. The folder is removed with the object
/// unless keep() was called; after a crash it stays, and each of its parts is a trace that can be opened.
///
/// Events are stored in parts, a .zst file each (a tenth of the JSON, so that the disk keeps up with millions of
/// events a second). Offsets of events (EventBatch's file_offset) continue through
/// all parts, so that dropping the oldest part means: forget all events below an offset. Names and
/// devices are kept for the life of the recording; save() writes them in front.
///
/// One thread adds, flushes, starts and drops parts; others may call bytes() and save().
/// When the disk is full, events are dropped and counted in lost(), so that model and file agree.
class RecordingSpool : public EventSink {
 public:
  static constexpr std::uint64_t kRunning = kRunningOffset;
  static constexpr std::size_t kMostNames = 1'000'000;

  /// Creates a folder of its own (mode 0700) in `parent`, which is created if need be. `batches`: null for none.
  static Result<std::unique_ptr<RecordingSpool>> create(const std::string& parent, BatchSink* batches);
  ~RecordingSpool() override;
  RecordingSpool(const RecordingSpool&) = delete;
  RecordingSpool& operator=(const RecordingSpool&) = delete;

  /// The GPUs reported so far, as save() writes them. Any thread.
  std::vector<DeviceProperties> devices() const;

  // Other files in the folder, read after a crash (old_recordings.h).
  static constexpr const char* kLockFile = "lock";        ///< locked by us while the spool lives
  static constexpr const char* kCommandFile = "command";  ///< what is recorded
  static constexpr const char* kSavedFile = "saved";      ///< where all of it was saved
  /// Writes to the folder what is recorded.
  void describe(const std::string& command) const;
  /// Notes in the folder that the recording was saved, so that deleting the folder loses nothing.
  void mark_saved(const std::string& path) const;

  /// Keeps the folder when this is destroyed. Any thread.
  void keep() { is_kept_ = true; }

  /// Call it before the first event.
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

  /// Makes all events so far readable through bytes() and includes them in save().
  void flush();
  /// Starts a new part for later events. Take the batch first.
  void start_part();
  std::size_t parts() const { return parts_count_; }
  /// Drops the oldest part but never the newest. Returns the offset below which all events are gone.
  std::uint64_t drop_oldest();

  std::uint64_t events() const { return events_; }
  std::uint64_t names() const { return names_; }        ///< those that name processes and threads
  std::uint64_t counters() const { return counters_; }  ///< those that are counter values
  std::uint64_t lost() const { return lost_; }
  std::uint64_t bytes_written() const;  ///< bytes on disk, of all remaining parts
  const std::string& folder() const { return folder_; }

  /// Returns the bytes for TraceSource::bytes; they stay valid after the spool is gone.
  std::shared_ptr<const ByteSource> bytes() const;
  /// Writes the flushed events as one trace.json (.gz or .zst by name): to a new file beside `path`, then renamed,
  /// so that a full disk never destroys an existing file (replace_file).
  Result<void> save(const std::string& path, Existing existing, const TraceJsonWriter::Members& members) const;
  /// Like save(), but into a file that the caller finishes; `more` are events to be written first.
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
    std::uint64_t begin = 0;         ///< offset of the first byte of its file
    std::uint64_t first = 0;         ///< local offset of its first event; = size: none yet
    std::uint64_t size = 0;          ///< flushed bytes, as a local offset
    std::uint64_t size_on_disk = 0;  ///< compressed size
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
