#pragma once
// Makes XProf files for tests.

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <protozero/pbf_writer.hpp>

namespace lacuna::test {

/// Makes a plane of XProf's protobuf: lines precede the names that their events refer to.
class PlaneMaker {
 public:
  explicit PlaneMaker(std::string name, std::int64_t id = 0) : name_(std::move(name)), id_(id) {}

  using Value = std::variant<std::int64_t, double, std::string>;
  using Stats = std::vector<std::pair<std::string, Value>>;

  std::uint64_t event_name(const std::string& name, const std::string& display_name = {}, const Stats& stats = {}) {
    protozero::pbf_writer metadata(names_.emplace_back());
    metadata.add_int64(1, static_cast<std::int64_t>(names_.size()));
    metadata.add_string(2, name);
    if (!display_name.empty()) metadata.add_string(4, display_name);
    add_stats(metadata, 5, stats);
    return names_.size();
  }
  void line(std::int64_t id, const std::string& name, std::int64_t timestamp_ns) {
    protozero::pbf_writer line(lines_.emplace_back());
    line.add_int64(1, id);
    line.add_string(2, name);
    line.add_int64(3, timestamp_ns);
  }
  /// Adds an event to the last line.
  void event(std::uint64_t name, std::int64_t offset_ps, std::int64_t duration_ps, const Stats& stats = {}) {
    std::string bytes;
    protozero::pbf_writer event(bytes);
    event.add_int64(1, static_cast<std::int64_t>(name));
    if (offset_ps != 0) event.add_int64(2, offset_ps);
    event.add_int64(3, duration_ps);
    add_stats(event, 4, stats);
    protozero::pbf_writer(lines_.back()).add_message(4, bytes);
  }
  void sum(std::uint64_t name, std::int64_t occurrences) {
    std::string bytes;
    protozero::pbf_writer event(bytes);
    event.add_int64(1, static_cast<std::int64_t>(name));
    event.add_int64(5, occurrences);
    protozero::pbf_writer(lines_.back()).add_message(4, bytes);
  }
  std::string bytes() const {
    std::string bytes;
    protozero::pbf_writer plane(bytes);
    if (id_ != 0) plane.add_int64(1, id_);
    plane.add_string(2, name_);
    for (const std::string& line : lines_) plane.add_message(3, line);
    for (std::size_t i = 0; i < names_.size(); ++i) entry(plane, 4, i + 1, names_[i]);
    for (std::size_t i = 0; i < stat_names_.size(); ++i) {
      std::string metadata;
      protozero::pbf_writer writer(metadata);
      writer.add_int64(1, static_cast<std::int64_t>(i + 1));
      writer.add_string(2, stat_names_[i]);
      entry(plane, 5, i + 1, metadata);
    }
    return bytes;
  }

 private:
  static void entry(protozero::pbf_writer& plane, std::uint32_t field, std::size_t id, const std::string& value) {
    protozero::pbf_writer entry(plane, field);
    entry.add_int64(1, static_cast<std::int64_t>(id));
    entry.add_message(2, value);
  }
  std::int64_t stat_id(const std::string& name) {
    const auto found = std::ranges::find(stat_names_, name);
    if (found != stat_names_.end()) return found - stat_names_.begin() + 1;
    stat_names_.push_back(name);
    return static_cast<std::int64_t>(stat_names_.size());
  }
  /// Texts that begin with '&' are stored by reference.
  void add_stats(protozero::pbf_writer& to, std::uint32_t field, const Stats& stats) {
    for (const auto& [name, value] : stats) {
      std::string bytes;
      protozero::pbf_writer stat(bytes);
      stat.add_int64(1, stat_id(name));
      if (const auto* integer = std::get_if<std::int64_t>(&value)) stat.add_int64(4, *integer);
      if (const auto* real = std::get_if<double>(&value)) stat.add_double(2, *real);
      if (const auto* text = std::get_if<std::string>(&value)) {
        if (text->starts_with('&')) {
          stat.add_uint64(7, static_cast<std::uint64_t>(stat_id(text->substr(1))));
        } else {
          stat.add_string(5, *text);
        }
      }
      to.add_message(field, bytes);
    }
  }

  const std::string name_;
  const std::int64_t id_;
  std::vector<std::string> lines_, names_, stat_names_;
};

inline std::string space_of(std::initializer_list<std::string> planes) {
  std::string bytes;
  protozero::pbf_writer space(bytes);
  for (const std::string& plane : planes) space.add_message(1, plane);
  space.add_string(4, "host-1");
  return bytes;
}

}  // namespace lacuna::test
