#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/build/nesting.h"

namespace lacuna {

/// Merges sorted runs of records. An importer delivers many runs that follow each other in time, so at any
/// time only few of them are active: those that have begun, in a heap; the others wait, ordered
/// by their first record. Mostly the run taken from last continues: a step then costs one comparison, with the
/// first record of the others.
template <class Record, class Less>
class RunMerge {
 public:
  explicit RunMerge(Less less) : less_(less) {}

  /// Call for each run, with an index of the caller's choice, then begin().
  void add(std::span<const Record> run, std::uint32_t index) {
    if (!run.empty()) waiting_.push_back({run.data(), run.data() + run.size(), index});
  }
  void begin() {
    std::ranges::sort(waiting_, later());  // earliest last, to be popped
    change_run();
  }

  struct Next {
    const Record* record = nullptr;  ///< null: at the end
    std::uint32_t run = 0;
    bool is_last_of_run = false;
  };
  /// Returns the next record in order. Runs must stay valid until their last record was taken.
  Next next() {
    if (current_.at == current_.end || (rival_ != nullptr && less_(*rival_, *current_.at))) change_run();
    if (current_.at == current_.end) return {};
    const Record* record = current_.at++;
    return {record, current_.index, current_.at == current_.end};
  }

 private:
  struct Run {
    const Record* at = nullptr;
    const Record* end = nullptr;
    std::uint32_t index = 0;
  };
  auto later() const {
    return [this](const Run& a, const Run& b) { return less_(*b.at, *a.at); };
  }
  /// Switches to the run with the earliest next record.
  void change_run() {
    const bool goes_on = current_.at != current_.end;
    const bool begins = !waiting_.empty() && (begun_.empty() || later()(begun_.front(), waiting_.back()));
    if (goes_on && !begins && begun_.size() == 1) {
      // Operators and the calls in them, which Kineto writes far apart: two alternating runs.
      std::swap(current_, begun_.front());
      look_for_rival();
      return;
    }
    if (goes_on) {
      begun_.push_back(current_);
      std::ranges::push_heap(begun_, later());
    }
    current_ = {};
    if (begins) {
      current_ = waiting_.back();
      waiting_.pop_back();
    } else if (!begun_.empty()) {
      std::ranges::pop_heap(begun_, later());
      current_ = begun_.back();
      begun_.pop_back();
    }
    look_for_rival();
  }
  void look_for_rival() {
    rival_ = begun_.empty() ? nullptr : begun_.front().at;
    if (!waiting_.empty() && (rival_ == nullptr || less_(*waiting_.back().at, *rival_))) rival_ = waiting_.back().at;
  }

  Less less_;
  std::vector<Run> waiting_;
  std::vector<Run> begun_;
  Run current_;
  const Record* rival_ = nullptr;  // the earliest next record of all other runs
};

/// A comparator type, so that comparing needs no call.
struct LiesBefore {
  bool operator()(const SliceRecord& a, const SliceRecord& b) const { return lies_before(a, b); }
};

/// The runs of a track.
class MergedRuns : public RunMerge<SliceRecord, LiesBefore> {
 public:
  explicit MergedRuns(std::span<const SliceRun> runs) : RunMerge(LiesBefore{}) {
    for (std::uint32_t i = 0; i < runs.size(); ++i) add(std::span(*runs[i].slices).subspan(runs[i].first), i);
    begin();
  }
};

/// Returns the slice with the times of the trace; ids are unchanged.
inline SliceRecord shifted(const SliceRecord& slice, const IdRemap* remap) {
  SliceRecord result = slice;
  if (remap != nullptr) remap->shift(result);
  return result;
}

}  // namespace lacuna
