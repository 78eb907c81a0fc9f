#pragma once
// The messages between a recording (`lacuna record --live`) and the window that watches it (`lacuna attach`),
// sent over a ShareSocket. The window asks once; the recording answers with a description and the
// descriptor of its file, then reports every few milliseconds how far the file can be read. The events
// themselves are read from the file, so neither side ever waits for the other, and a lost report costs
// nothing. All input is checked: an invalid message is ignored.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/session/live_source.h"
#include "model/export/event_sink.h"

namespace lacuna {

enum class ShareKind : std::uint32_t { kAttach = 1, kDescription, kRefusal, kState, kText, kStop };

/// Describes the recording; sent once, with the descriptor.
struct ShareDescription {
  int recorder = 0;  ///< pid of the recording process
  int target = 0;
  Nanos base_time_ns = 0;
  Nanos started_at = 0;                ///< trace time
  Nanos clock_offset = 0;              ///< trace time minus CLOCK_MONOTONIC
  std::uint64_t first_event = 0;       ///< file offset of the first event
  std::string output;                  ///< the file that is being written
  std::string place;                   ///< the machine that records; empty: this one
  bool may_stop = false;               ///< the window may ask the recording to end (kStop)
  std::vector<std::string> arguments;  ///< of the target
};

/// The present state of the recording, and how much of the file can be read.
struct ShareState {
  std::uint64_t readable = 0;  ///< file offset at which the events end
  Nanos now = 0;
  std::uint64_t events = 0;
  bool is_last = false;      ///< the recording has ended, and its file is complete
  bool copy_failed = false;  ///< the copy that the window reads cannot grow: the disk is full
  bool is_cut = false;       ///< the connection to the recording machine is broken
  Nanos late = 0;            ///< age of `now` on arrival, when it came from another machine
  std::optional<Launcher::Exit> exit;
  CaptureStatus capture;
  std::vector<DeviceProperties> devices;  ///< GPUs known so far, at most kMostSharedDevices
};
inline constexpr std::size_t kMostSharedDevices = 32;

/// Writes the ranges still running into a message, as many as fit.
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
/// Encodes a kRefusal or kText.
std::string encode(ShareKind kind, std::string_view text);

/// Returns the kind of a message; nothing when it is invalid, or of another version of Lacuna.
std::optional<ShareKind> kind_of(std::string_view message);
std::optional<ShareDescription> decode_description(std::string_view message);
/// Passes the ranges still running to `running`.
std::optional<ShareState> decode_state(std::string_view message, EventSink& running);
std::string decode_text(std::string_view message);

}  // namespace lacuna
