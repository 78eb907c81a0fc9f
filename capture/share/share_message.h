#pragma once
// What a recording (`lacuna record --live`) and the window that watches it (`lacuna attach`) say to each
// other, over a ShareSocket. The window asks once; the recording answers with a description and the
// descriptor of what it writes, then tells every few milliseconds how far that can be read. The events
// themselves are read from the file, so nobody ever waits for the other, and a telling that is lost costs
// nothing. What comes in is checked like anything that comes in: a message that makes no sense is none.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/session/live_source.h"
#include "model/export/event_sink.h"

namespace lacuna {

enum class ShareKind : std::uint32_t { kAttach = 1, kDescription, kRefusal, kState, kText, kStop };

/// About the recording; sent once, with the descriptor.
struct ShareDescription {
  int recorder = 0;  ///< pid of the recording process
  int target = 0;
  Nanos base_time_ns = 0;
  Nanos started_at = 0;                ///< in times of the trace
  Nanos clock_offset = 0;              ///< times of the trace minus CLOCK_MONOTONIC
  std::uint64_t first_event = 0;       ///< where in the file the events begin
  std::string output;                  ///< the file that is being written
  std::string place;                   ///< the machine it is made on; empty: this one
  bool may_stop = false;               ///< the window may ask it to end (kStop)
  std::vector<std::string> arguments;  ///< of the target
};

/// How it goes, and how much can be read.
struct ShareState {
  std::uint64_t readable = 0;  ///< the file's events end there
  Nanos now = 0;
  std::uint64_t events = 0;
  bool is_last = false;      ///< the recording is over, and its file complete
  bool copy_failed = false;  ///< the disk takes no more of the copy that the window reads
  bool is_cut = false;       ///< the line to the machine it is made on is broken
  Nanos late = 0;            ///< how old `now` was here, when it came from another machine
  std::optional<Launcher::Exit> exit;
  CaptureStatus capture;
  std::vector<DeviceProperties> devices;  ///< GPUs known so far; kMostSharedDevices of them
};
inline constexpr std::size_t kMostSharedDevices = 32;

/// Writes the ranges that run into a message, as many as there is room for.
class ShareRunning : public EventSink {
 public:
  void add(const StreamedSlice& slice) override;
  void add(const StreamedInstant&) override {}
  void add(const StreamedAsync&) override {}
  void add(const StreamedFlow&) override {}
  void add(const StreamedName&) override {}
  void add(const StreamedDevice&) override {}
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

std::string encode_attach();
std::string encode_stop();
std::string encode(const ShareDescription& description);
std::string encode(const ShareState& state, const ShareRunning& running);
/// kRefusal and kText.
std::string encode(ShareKind kind, std::string_view text);

/// Nothing: not a message of ours, or of another version of Lacuna.
std::optional<ShareKind> kind_of(std::string_view message);
std::optional<ShareDescription> decode_description(std::string_view message);
/// Hands the running ranges to `running`.
std::optional<ShareState> decode_state(std::string_view message, EventSink& running);
std::string decode_text(std::string_view message);

}  // namespace lacuna
