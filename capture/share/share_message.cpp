#include "capture/share/share_message.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "capture/session/running_offset.h"
#include "capture/share/share_socket.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kVersion = 4;
constexpr std::string_view kMagic = "LacunaSh";
constexpr std::size_t kMostText = 4096;
constexpr std::size_t kMostDeviceName = 100;
constexpr std::size_t kMostRunning = ShareSocket::kMostBytes - 8192;  // beside the devices and the rest

template <class Plain>
void put(std::string& out, const Plain& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& out, std::string_view text) {
  text = text.substr(0, kMostText);
  put(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

std::string begin(ShareKind kind) {
  std::string out(kMagic);
  put(out, kVersion);
  put(out, kind);
  return out;
}

/// Reads what put() wrote; false from the first thing on that is not there.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}
  template <class Plain>
  bool get(Plain& value) {
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return true;
  }
  bool get_view(std::string_view& text) {
    std::uint32_t size = 0;
    if (!get(size) || size > kMostText || rest_.size() < size) return false;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool get_text(std::string& text) {
    std::string_view view;
    const bool is_there = get_view(view);
    text = view;
    return is_there;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

struct PlainState {
  std::uint64_t readable, events;
  Nanos now, late;
  std::int32_t exit_code;
  std::uint8_t has_exit, by_signal, is_last, copy_failed, is_cut;
};

std::string_view body(std::string_view message) {
  return message.substr(kMagic.size() + 2 * sizeof(std::uint32_t));
}

bool is_sane(Nanos time) {
  return time > -(kMaxNanos / 4) && time < kMaxNanos / 4;
}

}  // namespace

void ShareRunning::add(const StreamedSlice& slice) {
  if (bytes_.size() + 3 * sizeof(Nanos) + slice.name.size() + slice.category.size() + 32 > kMostRunning) return;
  put(bytes_, slice.track.pid);
  put(bytes_, slice.track.tid);
  put(bytes_, slice.start);
  put_text(bytes_, slice.name);
  put_text(bytes_, slice.category);
}

std::string encode_attach() {
  return begin(ShareKind::kAttach);
}

std::string encode_stop() {
  return begin(ShareKind::kStop);
}

std::string encode(ShareKind kind, std::string_view text) {
  std::string out = begin(kind);
  put_text(out, text);
  return out;
}

std::string encode(const ShareDescription& d) {
  std::string out = begin(ShareKind::kDescription);
  put(out, d.recorder);
  put(out, d.target);
  put(out, d.base_time_ns);
  put(out, d.started_at);
  put(out, d.clock_offset);
  put(out, d.first_event);
  put(out, static_cast<std::uint8_t>(d.may_stop));
  put_text(out, d.output);
  put_text(out, d.place);
  for (const std::string& argument : d.arguments)
    if (out.size() + argument.size() + 8 < ShareSocket::kMostBytes) put_text(out, argument);
  return out;
}

std::string encode(const ShareState& state, const ShareRunning& running) {
  std::string out = begin(ShareKind::kState);
  PlainState plain{};
  plain.readable = state.readable;
  plain.events = state.events;
  plain.now = state.now;
  plain.is_last = state.is_last;
  plain.copy_failed = state.copy_failed;
  plain.is_cut = state.is_cut;
  plain.late = state.late;
  if (state.exit) {
    plain.has_exit = 1;
    plain.by_signal = state.exit->by_signal;
    plain.exit_code = state.exit->code;
  }
  put(out, plain);
  put(out, state.capture);
  const std::size_t devices = std::min(state.devices.size(), kMostSharedDevices);
  put(out, static_cast<std::uint32_t>(devices));
  for (std::size_t d = 0; d < devices; ++d) {
    const DeviceProperties& device = state.devices[d];
    put_text(out, std::string_view(device.id).substr(0, kMostDeviceName));
    put_text(out, std::string_view(device.name).substr(0, kMostDeviceName));
    put(out, device.total_memory_bytes);
    put(out, device.compute_major);
    put(out, device.compute_minor);
    put(out, device.multiprocessors);
  }
  return out.append(running.bytes());
}

std::optional<ShareKind> kind_of(std::string_view message) {
  if (!message.starts_with(kMagic)) return std::nullopt;
  Reader reader(message.substr(kMagic.size()));
  std::uint32_t version = 0;
  std::uint32_t kind = 0;
  if (!reader.get(version) || !reader.get(kind) || version != kVersion || kind < 1 || kind > 6) return std::nullopt;
  return static_cast<ShareKind>(kind);
}

std::optional<ShareDescription> decode_description(std::string_view message) {
  if (kind_of(message) != ShareKind::kDescription) return std::nullopt;
  Reader reader(body(message));
  ShareDescription d;
  std::uint8_t may_stop = 0;
  if (!reader.get(d.recorder) || !reader.get(d.target) || !reader.get(d.base_time_ns) || !reader.get(d.started_at) ||
      !reader.get(d.clock_offset) || !reader.get(d.first_event) || !reader.get(may_stop) ||
      !reader.get_text(d.output) || !reader.get_text(d.place))
    return std::nullopt;
  d.may_stop = may_stop != 0;
  std::string argument;
  while (!reader.is_at_end()) {
    if (!reader.get_text(argument)) return std::nullopt;
    d.arguments.push_back(argument);
  }
  if (d.arguments.empty()) d.arguments.emplace_back("program");
  return d;
}

std::optional<ShareState> decode_state(std::string_view message, EventSink& running) {
  if (kind_of(message) != ShareKind::kState) return std::nullopt;
  Reader reader(body(message));
  PlainState plain{};
  ShareState state;
  if (!reader.get(plain) || !reader.get(state.capture) || !is_sane(plain.now) || plain.readable >= kRunningOffset)
    return std::nullopt;
  state.readable = plain.readable;
  state.events = plain.events;
  state.now = plain.now;
  state.is_last = plain.is_last != 0;
  state.copy_failed = plain.copy_failed != 0;
  state.is_cut = plain.is_cut != 0;
  state.late = std::clamp<Nanos>(plain.late, 0, kMaxNanos / 4);
  if (plain.has_exit != 0) state.exit = Launcher::Exit{plain.by_signal != 0, plain.exit_code};
  std::uint32_t devices = 0;
  if (!reader.get(devices) || devices > kMostSharedDevices) return std::nullopt;
  for (; devices > 0; --devices) {
    DeviceProperties& device = state.devices.emplace_back();
    if (!reader.get_text(device.id) || !reader.get_text(device.name) || !reader.get(device.total_memory_bytes) ||
        !reader.get(device.compute_major) || !reader.get(device.compute_minor) || !reader.get(device.multiprocessors))
      return std::nullopt;
  }
  while (!reader.is_at_end()) {
    StreamedSlice slice;
    if (!reader.get(slice.track.pid) || !reader.get(slice.track.tid) || !reader.get(slice.start) ||
        !reader.get_view(slice.name) || !reader.get_view(slice.category) || !is_sane(slice.start))
      return std::nullopt;
    slice.duration = std::max<Nanos>(0, saturating_sub(state.now, slice.start));
    slice.track.kind = kind_of_named_thread(std::to_string(slice.track.tid));
    running.add(slice);
  }
  return state;
}

std::string decode_text(std::string_view message) {
  std::string text;
  if (kind_of(message)) (void)Reader(body(message)).get_text(text);
  return text;
}

}  // namespace lacuna
