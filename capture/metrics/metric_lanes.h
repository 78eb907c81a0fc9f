#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lacuna {

/// Values of a counter at one time.
struct MetricSample {
  std::uint64_t time = 0;  ///< CLOCK_MONOTONIC ns
  std::uint32_t pid = 0;   ///< of the program, or one of the pids in model/trace/hardware_tracks.h
  std::string name;
  std::string values;  ///< `"series":number`, as members of "args"
};

/// Turns readings into counters: an unchanged value is sent again only every half second, so that every window of
/// the recording contains it.
class MetricLanes {
 public:
  using Values = std::vector<std::pair<const char*, double>>;
  /// Adds values, rounded to integers.
  void add(std::uint64_t time, std::uint32_t pid, std::string name, const Values& values) {
    add(time, pid, std::move(name), text(values));
  }
  void add(std::uint64_t time, std::uint32_t pid, std::string name, std::string values);
  static std::string text(const Values& values);
  std::vector<MetricSample> take() { return std::exchange(samples_, {}); }

 private:
  struct Sent {
    std::uint64_t time = 0;
    std::string values;
  };
  std::map<std::pair<std::uint32_t, std::string>, Sent> sent_;
  std::vector<MetricSample> samples_;
};

}  // namespace lacuna
