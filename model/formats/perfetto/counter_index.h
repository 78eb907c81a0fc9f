#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/time.h"
#include "model/formats/perfetto/interned_data.h"
#include "model/formats/perfetto/track_table.h"
#include "model/formats/trace_sink.h"

namespace lacuna {

/// The samples of all counters of a Perfetto trace, of tracks and of GPUs. One thread.
class CounterIndex {
 public:
  /// Adds a sample of a track's counter.
  void add(TrackTable::Index track, Nanos time, double value);
  /// Adds a sample of a counter of a thread or process that has no track of its own: "thread_time".
  void add(TrackTable::Index track, std::string_view name, Nanos time, double value);
  /// Adds a sample of a GPU counter named by the driver.
  void add_gpu(std::int64_t gpu, std::string_view name, Nanos time, double value);
  /// Adds a GpuCounterEvent; without a time only its specifications. Returns the number of samples skipped for
  /// lack of a time or a specification.
  std::uint64_t add_event(std::string_view message, std::optional<Nanos> time, const InternedData& interned,
                          InternedData::Generation generation);

  std::size_t size() const { return samples_.size(); }
  std::optional<Nanos> first_time() const;
  /// Calls `change(time)` for the time of each sample.
  template <class Change>
  void for_each_time(Change change) {
    for (Sample& sample : samples_) change(sample.time);
  }
  /// Call after TrackTable::place_all(). Calls `is_going_on` now and then, and stops when it returns false.
  template <class GoesOn>
  void write(const TrackTable& tracks, TraceSink& sink, GoesOn goes_on);

 private:
  struct Series {
    std::string name;
    std::string unit, description, groups;
    std::int64_t pid = 0;
    std::optional<TrackTable::Index> track;
    bool is_backwards = false;  // a value describes the time before it
  };
  struct Sample {
    Nanos time = 0;
    double value = 0;
    std::uint32_t series = 0;
  };
  using SpecificationId = std::pair<std::int64_t, std::uint64_t>;  // gpu (-1: any), counter_id

  std::uint32_t series_of(std::string key, Series made);
  std::uint32_t series_of_gpu(Series made);
  void add_specifications(std::string_view descriptor, std::int64_t gpu,
                          std::map<SpecificationId, std::uint32_t>& specifications);
  void finish(const TrackTable& tracks);
  void describe_series(TraceSink& sink) const;
  void write_sample(const Sample& sample, TraceSink& sink) const;

  std::vector<Series> series_;
  std::unordered_map<std::string, std::uint32_t, SeededHash> series_by_key_;
  std::map<SpecificationId, std::uint32_t> specifications_;                        // from all sequences
  std::map<std::string_view, std::map<SpecificationId, std::uint32_t>> interned_;  // by descriptor
  std::vector<Sample> samples_;
};

template <class GoesOn>
void CounterIndex::write(const TrackTable& tracks, TraceSink& sink, GoesOn goes_on) {
  finish(tracks);
  describe_series(sink);
  for (const Sample& sample : samples_) {
    if (!goes_on()) return;
    write_sample(sample, sink);
  }
}

}  // namespace lacuna
