#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/seeded_hash.h"

namespace lacuna {

/// One value attached to an event; the views refer to the plane's bytes.
struct XplaneStat {
  enum class Kind : std::uint8_t { kNone, kInteger, kReal, kText };
  std::string_view name;
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;
};

struct XplaneEvent {
  std::string_view name, long_name;
  std::optional<std::int64_t> offset_ps;  ///< none: the event is a sum over several occurrences
  std::int64_t duration_ps = 0;
  std::vector<XplaneStat> stats;  ///< its own, then those of its event metadata, which all events of its name share
};

struct XplaneLine {
  std::int64_t id = 0;
  std::int64_t timestamp_ns = 0;
  std::string_view name;
  std::vector<std::string_view> events;  ///< undecoded; pass them to XplanePlane::event()
};

/// A plane of the protobuf: its name, its lines, and the names that its events refer to. Damaged parts are left
/// out and counted. The bytes must outlive it. One thread.
class XplanePlane {
 public:
  explicit XplanePlane(std::string_view bytes);

  std::string_view name() const { return name_; }
  const std::vector<XplaneLine>& lines() const { return lines_; }
  /// Decodes one event; nothing if it is damaged.
  std::optional<XplaneEvent> event(std::string_view bytes);
  std::uint64_t damaged() const { return damaged_; }

 private:
  struct Metadata {
    std::string_view name, display_name;
    std::vector<std::string_view> stats;
  };
  using Messages = std::vector<std::string_view>;

  void read_plane(std::string_view bytes, Messages& lines);
  void read_line(std::string_view bytes);
  void read_metadata(std::string_view entry, bool is_of_events);
  std::optional<XplaneStat> stat_of(std::string_view bytes) const;
  std::vector<XplaneStat> stats_of(const Messages& messages) const;

  std::string_view name_;
  std::vector<XplaneLine> lines_;
  std::unordered_map<std::int64_t, Metadata, SeededHash> events_;
  std::unordered_map<std::int64_t, std::string_view, SeededHash> stat_names_;
  std::uint64_t damaged_ = 0;
};

}  // namespace lacuna
