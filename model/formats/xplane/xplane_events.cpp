#include "model/formats/xplane/xplane_events.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "model/base/time.h"
#include "model/build/dialects.h"
#include "model/formats/format.h"
#include "model/formats/trace_sink.h"
#include "model/formats/xplane/xplane_details.h"
#include "model/formats/xplane/xplane_plane.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::int64_t kFirstHost = 701;                      // as XProf numbers hosts
constexpr std::int64_t kLaterDevices = 1'000'000;             // of planes whose number another one has
constexpr std::int64_t kSince1970 = 100'000'000'000'000'000;  // smaller times are not since 1970

struct TopField {
  std::uint64_t begin = 0, size = 0;  // of what it holds
  bool is_plane = false;
};

/// The fields of the file, one at a time; it ends at the end of the data, or where they are no fields.
class TopFields {
 public:
  explicit TopFields(ImportBytes& bytes) : bytes_(bytes) {}

  std::optional<TopField> next() {
    std::array<char, 20> buffer;
    const std::string_view head(buffer.data(), bytes_.read_at(at_, buffer));
    if (head.empty()) return {};
    std::size_t used = 0;
    const std::uint64_t tag = number(head, used), size = number(head, used);
    constexpr std::uint64_t kDelimited = 2;
    if (used == 0 || (tag & 7) != kDelimited || size > UINT64_MAX / 2) {
      is_damaged_ = true;
      return {};
    }
    const TopField field{at_ + used, size, tag == (1 << 3 | kDelimited)};
    at_ = field.begin + size;
    return field;
  }
  std::uint64_t at() const { return at_; }
  bool is_damaged() const { return is_damaged_; }

 private:
  /// A varint; `used` becomes 0 where it is none.
  static std::uint64_t number(std::string_view head, std::size_t& used) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && used < head.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(head[used++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    used = 0;
    return UINT64_MAX;
  }

  ImportBytes& bytes_;
  std::uint64_t at_ = 0;
  bool is_damaged_ = false;
};

bool has_stream_lines(const XplanePlane& plane) {
  return std::ranges::any_of(plane.lines(), [](const XplaneLine& l) { return stream_of_line(l.name).has_value(); });
}

class SpaceReader {
 public:
  SpaceReader(const FormatInput& input, TraceSource& facts, TraceSink& sink)
      : input_(input), facts_(facts), sink_(sink) {}

  Result<void> read() {
    TopFields fields(input_.bytes);
    std::string buffer;
    while (const auto field = fields.next()) {
      if (!field->is_plane) continue;
      if (auto done = load(*field, buffer); !done) return done;
      XplanePlane plane(buffer);
      read_plane(plane);
      facts_.report.add(Finding::kEventUnreadable, field->begin, plane.name(), plane.damaged());
      if (buffer.size() < field->size) facts_.report.add(Finding::kUnterminated, field->begin + buffer.size());
      if (!sink_.state()) return sink_.state();
    }
    if (fields.is_damaged()) facts_.report.add(Finding::kUnterminated, fields.at());
    facts_.report.add(Finding::kSubNanosecondRounded, ImportReport::kNoOffset, {}, rounded_);
    if (!has_lines_)
      return fail(ErrorCode::kNotATrace, "an XProf file without events: no plane has a line", input_.path, 0);
    return sink_.finish();
  }

 private:
  Result<void> load(const TopField& field, std::string& buffer) {
    buffer.clear();
    constexpr std::uint64_t kAtOnce = 16 << 20;  // a size that only claims to be large takes no memory
    while (buffer.size() < field.size) {
      if (input_.progress != nullptr && input_.progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
      const std::size_t have = buffer.size();
      buffer.resize(have + static_cast<std::size_t>(std::min(field.size - have, kAtOnce)));
      const std::size_t got = input_.bytes.read_at(field.begin + have, std::span(buffer).subspan(have));
      if (have + got < buffer.size()) {
        buffer.resize(have + got);
        break;
      }
      if (buffer.size() > input_.options.max_json_bytes)
        return fail(ErrorCode::kLimit, "a plane is larger than the limit of the text of a trace", input_.path);
    }
    return {};
  }

  /// What a device has beyond its number is not told: XProf does not say which GPU it is.
  void read_plane(XplanePlane& plane) {
    if (plane.lines().empty()) return;
    if (!has_lines_ && plane.lines().front().timestamp_ns >= kSince1970) sink_.base_time(0);
    has_lines_ = true;
    const auto number = device_of_plane(plane.name());
    std::int64_t process = 0;
    if (number) {
      process = *number;
      while (!processes_.insert(process).second) process = next_device_++;
      tell_device(plane, process);
    } else {
      do process = next_host_++;
      while (!processes_.insert(process).second);
      sink_.name_process(process, plane.name());
    }
    const bool has_streams = has_stream_lines(plane);
    for (const XplaneLine& line : plane.lines()) {
      const bool is_stream = stream_of_line(line.name) || (line.name == "XLA Ops" && !has_streams);
      read_line(plane, line, process, number.has_value(), number && is_stream);
    }
  }

  /// "GPU 0", for "/device:GPU:0".
  void tell_device(const XplanePlane& plane, std::int64_t device) {
    std::string title(plane.name().substr(std::string_view("/device:").size()));
    std::ranges::replace(title, ':', ' ');
    sink_.name_process(device, title);
    sink_.label_process(device, title);
  }

  void read_line(XplanePlane& plane, const XplaneLine& line, std::int64_t process, bool is_device, bool is_activity) {
    const std::int64_t id = is_activity ? stream_of_line(line.name).value_or(line.id) : line.id;
    if (!line.name.empty()) sink_.name_thread({process, id}, line.name);
    for (const std::string_view bytes : line.events) {
      if (!sink_.state()) return;
      const auto event = plane.event(bytes);
      if (event) add_event(*event, line, {process, id}, is_device, is_activity);
    }
  }

  /// Rounded down, so that what touches in the file touches here.
  SinkTime time_of(const XplaneLine& line, const XplaneEvent& event, std::int64_t from_offset_ps) {
    std::int64_t ps = 0, ns = 0;
    if (!event.offset_ps || __builtin_add_overflow(*event.offset_ps, from_offset_ps, &ps)) return {};
    const std::int64_t floor = ps / 1000 - (ps % 1000 < 0 ? 1 : 0);
    if (__builtin_add_overflow(line.timestamp_ns, floor, &ns)) return {};
    return ns;
  }

  static std::string_view category_of(const XplaneEvent& event, bool is_device, bool is_activity) {
    const auto has = [&](std::string_view stat) {
      return std::ranges::find(event.stats, stat, &XplaneStat::name) != event.stats.end();
    };
    if (is_activity) {
      if (event.name.starts_with("Memcpy") || has("memcpy_details")) return "gpu_memcpy";
      return event.name.starts_with("Memset") || has("Memset_details") ? "gpu_memset" : "kernel";
    }
    if (is_device) return "gpu_user_annotation";
    if (has("correlation_id")) return event.name.starts_with("cuda") ? "cuda_runtime" : "cuda_driver";
    if (event.name.starts_with('$')) return "python_function";
    return has("step_num") ? "user_annotation" : "cpu_op";
  }

  void add_event(const XplaneEvent& event, const XplaneLine& line, SinkThread thread, bool is_device,
                 bool is_activity) {
    if (event.offset_ps && (*event.offset_ps % 1000 != 0 || event.duration_ps % 1000 != 0)) ++rounded_;
    sink_.slice(category_of(event, is_device, is_activity), xplane_activity_name(event.name), thread,
                time_of(line, event, 0), time_of(line, event, event.duration_ps));
    sink_.arguments();
    if (is_device) {
      sink_.argument("device", thread.pid);
      sink_.argument("stream", thread.tid);
    }
    if (!event.long_name.empty()) sink_.argument("long_name", event.long_name);
    for (const XplaneStat& stat : event.stats) add_stat(stat);
    sink_.end();
  }

  void add_stat(const XplaneStat& stat) {
    if (stat.name == "correlation_id" && stat.kind == XplaneStat::Kind::kInteger)
      return sink_.argument("correlation", stat.integer);
    // These mean something else to us.
    constexpr std::array<std::string_view, 4> kOurs{"device", "stream", "correlation", "External id"};
    const bool is_ours = std::ranges::find(kOurs, stat.name) != kOurs.end();
    const std::string key = is_ours ? fmt::format("stat {}", stat.name) : std::string(stat.name);
    switch (stat.kind) {
      case XplaneStat::Kind::kInteger:
        return sink_.argument(key, stat.integer);
      case XplaneStat::Kind::kReal:
        return sink_.argument(key, stat.real);
      default:
        sink_.argument(key, stat.text);
    }
    if (!stat.name.ends_with("_details")) return;
    const XplaneDetails details = read_xplane_details(stat.text);
    if (details.grid) sink_.argument("grid", *details.grid);
    if (details.block) sink_.argument("block", *details.block);
    if (details.registers) sink_.argument("registers per thread", *details.registers);
    if (details.shared_memory) sink_.argument("shared memory", *details.shared_memory);
    if (details.bytes) sink_.argument("bytes", *details.bytes);
  }

  const FormatInput& input_;
  TraceSource& facts_;
  TraceSink& sink_;
  std::set<std::int64_t> processes_;
  std::int64_t next_device_ = kLaterDevices, next_host_ = kFirstHost;
  bool has_lines_ = false;
  std::uint64_t rounded_ = 0;
};

Result<void> read_space(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
  TraceSink sink(input, facts, receive);
  return SpaceReader(input, facts, sink).read();
}

/// A plane first, and of that its name, maybe behind its id: "/host:CPU", "/device:GPU:0".
bool is_space(std::string_view head, bool) {
  const auto take = [&](char byte) {
    if (head.empty() || head.front() != byte) return false;
    head.remove_prefix(1);
    return true;
  };
  const auto skip_number = [&] {
    while (!head.empty() && (head.front() & 0x80) != 0) head.remove_prefix(1);
    if (!head.empty()) head.remove_prefix(1);
  };
  if (!take('\x0a')) return false;
  skip_number();
  if (take('\x08')) skip_number();
  if (!take('\x12')) return false;
  skip_number();
  return head.starts_with("/host:") || head.starts_with("/device:") || head.starts_with("Task Environment");
}

}  // namespace

constinit const Format kXplaneFormat{.title = "XProf",
                                     .endings = {".xplane.pb"},
                                     .recognises = is_space,
                                     .text = Format::Text::kMade,
                                     .read = read_space};

}  // namespace lacuna
