#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/export/event_sink.h"
#include "model/export/output_file.h"
#include "model/trace/track.h"

namespace lacuna {

/// Writes a Chrome-trace JSON file like Kineto: one event per line, times in microseconds with three
/// decimals (that is, in ns), baseTimeNanoseconds before the events, deviceProperties after them.
/// Lacuna, Perfetto and chrome://tracing can open it, even if truncated by a crash.
///
///   TraceJsonWriter writer(file);
///   writer.begin({.base_time_ns = base});
/// offset(): position of its '{'
///   writer.end({{"lacuna", "{\"dropped\":0}"}});
///
/// Streams: stores only the devices. Errors are reported by the OutputFile.
class TraceJsonWriter : public EventSink {
 public:
  struct Header {
    Nanos base_time_ns = 0;
  };
  /// Top-level keys with their values as JSON.
  using Members = std::vector<std::pair<std::string, std::string>>;

  explicit TraceJsonWriter(OutputFile& file) : file_(file) {}

  void begin(const Header& header);
  void add(const StreamedSlice& slice) override;
  void add(const StreamedInstant& instant) override;
  void add(const StreamedAsync& async) override;
  void add(const StreamedFlow& flow) override;
  void add(const StreamedName& name) override;
  void add(const StreamedDevice& device) override;
  /// Closes the document. The caller must finish() the file.
  void end(const Members& members);

  /// Byte offset in the JSON of the last event's '{'.
  std::uint64_t offset() const { return offset_; }
  std::uint64_t events() const { return events_; }
  /// Number of events that are names of processes and threads.
  std::uint64_t names() const { return names_; }
  /// Number of events that are values of counters.
  std::uint64_t counters() const { return counters_; }
  /// The GPUs added so far, which are written at the end of the file.
  const std::vector<DeviceProperties>& devices() const { return devices_; }

 private:
  void start_event(char phase, const StreamedTrack& track, Nanos time);
  void finish_event(std::string_view args);
  void key(std::string_view key);
  /// `{"ph":"X","pid":1,"tid":2,"ts":` with the separator from the previous event. Cached.
  struct Head {
    char phase = 0;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::string json;
  };
  static constexpr std::size_t kHeads = 64;
  std::string_view head(char phase, const StreamedTrack& track);
  /// The members "cat" and "name" as JSON. Cached by the texts' addresses, and compared on each use.
  struct Labels {
    const char* name_data = nullptr;
    std::string name;
    std::string category;
    std::string json;
  };
  static constexpr std::size_t kLabels = 256;
  std::string_view labels(std::string_view category, std::string_view name);

  OutputFile& file_;
  std::string line_;
  std::vector<Labels> labels_{kLabels};
  std::vector<Head> heads_{kHeads};
  std::vector<DeviceProperties> devices_;
  std::uint64_t offset_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t names_ = 0;
  std::uint64_t counters_ = 0;
};

/// Appends nanoseconds as microseconds with three decimals: -1 is "-0.001".
void append_microseconds(Nanos ns, std::string& out);

}  // namespace lacuna
