#include "model/formats/xplane/xplane_plane.h"

#include <algorithm>
#include <utility>

#include <protozero/pbf_reader.hpp>

namespace lacuna {
namespace {

using protozero::pbf_wire_type;

constexpr std::size_t kMostStats = 64;  // of all events of a name: each event repeats them

constexpr std::uint32_t varint(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t bytes_of(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}

std::string_view take_view(protozero::pbf_reader& reader) {
  const auto view = reader.get_view();
  return {view.data(), view.size()};
}

/// Calls visit(reader, tag and type) for each field, which it takes or skips. False where the bytes end too early.
template <class Visit>
bool for_each_field(std::string_view bytes, Visit visit) {
  try {
    protozero::pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) visit(reader, static_cast<std::uint32_t>(reader.tag_and_type()));
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

}  // namespace

XplanePlane::XplanePlane(std::string_view bytes) {
  Messages lines;
  read_plane(bytes, lines);
  for (const std::string_view line : lines) read_line(line);
}

void XplanePlane::read_plane(std::string_view bytes, Messages& lines) {
  const bool is_whole = for_each_field(bytes, [&](protozero::pbf_reader& reader, std::uint32_t field) {
    switch (field) {
      case bytes_of(2):
        name_ = take_view(reader);
        break;
      case bytes_of(3):
        lines.push_back(take_view(reader));
        break;
      case bytes_of(4):
        read_metadata(take_view(reader), true);
        break;
      case bytes_of(5):
        read_metadata(take_view(reader), false);
        break;
      default:
        reader.skip();
    }
  });
  if (!is_whole) ++damaged_;
}

/// An entry of a map: its key, and what stands there.
void XplanePlane::read_metadata(std::string_view entry, bool is_of_events) {
  std::int64_t id = 0;
  std::string_view value;
  bool is_whole = for_each_field(entry, [&](protozero::pbf_reader& reader, std::uint32_t field) {
    if (field == varint(1)) {
      id = reader.get_int64();
    } else if (field == bytes_of(2)) {
      value = take_view(reader);
    } else {
      reader.skip();
    }
  });
  Metadata metadata;
  is_whole = for_each_field(value,
                            [&](protozero::pbf_reader& reader, std::uint32_t field) {
                              if (field == bytes_of(2)) {
                                metadata.name = take_view(reader);
                              } else if (is_of_events && field == bytes_of(4)) {
                                metadata.display_name = take_view(reader);
                              } else if (is_of_events && field == bytes_of(5) && metadata.stats.size() < kMostStats) {
                                metadata.stats.push_back(take_view(reader));
                              } else {
                                reader.skip();
                              }
                            }) &&
             is_whole;
  if (!is_whole) ++damaged_;
  if (is_of_events) {
    events_[id] = std::move(metadata);
  } else {
    stat_names_[id] = metadata.name;
  }
}

void XplanePlane::read_line(std::string_view bytes) {
  XplaneLine line;
  std::string_view display_name;
  const bool is_whole = for_each_field(bytes, [&](protozero::pbf_reader& reader, std::uint32_t field) {
    switch (field) {
      case varint(1):
        line.id = reader.get_int64();
        break;
      case bytes_of(2):
        line.name = take_view(reader);
        break;
      case varint(3):
        line.timestamp_ns = reader.get_int64();
        break;
      case bytes_of(4):
        line.events.push_back(take_view(reader));
        break;
      case bytes_of(11):
        display_name = take_view(reader);
        break;
      default:
        reader.skip();
    }
  });
  if (!is_whole) ++damaged_;
  if (!display_name.empty()) line.name = display_name;
  lines_.push_back(std::move(line));
}

std::optional<XplaneEvent> XplanePlane::event(std::string_view bytes) {
  XplaneEvent event;
  std::int64_t id = 0;
  bool is_sum = false;
  Messages stats;
  const bool is_whole = for_each_field(bytes, [&](protozero::pbf_reader& reader, std::uint32_t field) {
    switch (field) {
      case varint(1):
        id = reader.get_int64();
        break;
      case varint(2):
        event.offset_ps = reader.get_int64();
        break;
      case varint(3):
        event.duration_ps = reader.get_int64();
        break;
      case bytes_of(4):
        stats.push_back(take_view(reader));
        break;
      case varint(5):
        is_sum = true;
        reader.skip();
        break;
      default:
        reader.skip();
    }
  });
  if (!is_whole) {
    ++damaged_;
    return {};
  }
  if (!is_sum && !event.offset_ps) event.offset_ps = 0;  // protobuf leaves out what is 0
  event.stats = stats_of(stats);
  const auto known = events_.find(id);
  if (known == events_.end()) return event;
  const Metadata& metadata = known->second;
  event.name = metadata.display_name.empty() ? metadata.name : metadata.display_name;
  if (event.name != metadata.name) event.long_name = metadata.name;
  for (XplaneStat& stat : stats_of(metadata.stats))
    if (std::ranges::find(event.stats, stat.name, &XplaneStat::name) == event.stats.end()) event.stats.push_back(stat);
  return event;
}

std::optional<XplaneStat> XplanePlane::stat_of(std::string_view bytes) const {
  XplaneStat stat;
  const auto name_of = [&](std::int64_t id) {
    const auto found = stat_names_.find(id);
    return found == stat_names_.end() ? std::string_view{} : found->second;
  };
  const bool is_whole = for_each_field(bytes, [&](protozero::pbf_reader& reader, std::uint32_t field) {
    switch (field) {
      case varint(1):
        stat.name = name_of(reader.get_int64());
        break;
      case protozero::tag_and_type(2, pbf_wire_type::fixed64):
        stat.real = reader.get_double();
        stat.kind = XplaneStat::Kind::kReal;
        break;
      case varint(3):
      case varint(4):
        stat.integer = reader.get_int64();
        stat.kind = XplaneStat::Kind::kInteger;
        break;
      case bytes_of(5):
        stat.text = take_view(reader);
        stat.kind = XplaneStat::Kind::kText;
        break;
      case varint(7):
        stat.text = name_of(reader.get_int64());
        stat.kind = XplaneStat::Kind::kText;
        break;
      default:
        reader.skip();
    }
  });
  if (!is_whole || stat.kind == XplaneStat::Kind::kNone || stat.name.empty()) return {};
  return stat;
}

std::vector<XplaneStat> XplanePlane::stats_of(const Messages& messages) const {
  std::vector<XplaneStat> stats;
  for (const std::string_view message : messages)
    if (const auto stat = stat_of(message)) stats.push_back(*stat);
  return stats;
}

}  // namespace lacuna
