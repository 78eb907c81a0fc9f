// TraceBuilder::forget(): the oldest events of a bounded capture go.
#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "model/build/trace_builder_state.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

/// Of events that have none; above all that a trace has.
constexpr std::uint16_t kNoCategory = 0xffff;

/// Takes events off the counts of a source and of its categories.
class Uncounter {
 public:
  Uncounter(TraceSource& source, std::vector<Category>& categories) : source_(source), categories_(categories) {}

  void take_off(char phase, std::uint16_t category) {
    take_off(source_.phase_counts[static_cast<unsigned char>(phase)]);
    if (category < categories_.size()) take_off(categories_[category].events);
    ++total;
  }

  std::uint64_t total = 0;

 private:
  static void take_off(std::uint64_t& count) { count -= std::min<std::uint64_t>(count, 1); }
  TraceSource& source_;
  std::vector<Category>& categories_;
};

/// Whether all records of a run lie below `offset`. A capture's batch lies on one side as a whole.
template <class Records>
bool lies_below(const Records& records, std::uint64_t offset) {
  return std::ranges::all_of(records, [&](const auto& record) { return record.file_offset < offset; });
}

}  // namespace

std::uint64_t TraceBuilder::forget(SourceId source_id, std::uint64_t offset, const std::string& why) {
  State& s = *state_;
  TraceSource& source = s.trace.sources_[source_id.value];
  Uncounter counts(source, s.trace.categories_);

  for (PendingTrack& track : s.pending) {
    if (track.source != source_id) continue;
    State::give_up_sealed(track);
    std::erase_if(track.runs, [&](const SliceRun& run) {
      if (!run.remap || !lies_below(*run.slices, offset)) return false;
      for (const SliceRecord& slice : *run.slices) counts.take_off('X', (*run.remap)(slice.category));
      return true;
    });
    std::erase_if(track.begin_ends, [&](const BeginEndEvent& e) {
      if (e.file_offset >= offset) return false;
      counts.take_off(e.is_begin ? 'B' : 'E', e.category);
      return true;
    });
    std::erase_if(track.track.instants, [&](const Instant& i) {
      if (i.file_offset >= offset) return false;
      counts.take_off('i', static_cast<std::uint16_t>(i.category.value));
      return true;
    });
  }
  std::set<std::uint64_t> counters;  // an event may have several values
  for (PendingTrack& track : s.pending) {
    if (track.source != source_id) continue;
    std::erase_if(track.samples, [&](const auto& sample) {
      if (sample.file_offset >= offset || sample.file_offset == 0) return false;
      counters.insert(sample.file_offset);
      return true;
    });
  }
  for (std::size_t i = 0; i < counters.size(); ++i) counts.take_off('C', kNoCategory);
  std::erase_if(s.asyncs, [&](const auto& async) {
    if (async.first != source_id || async.second.file_offset >= offset) return false;
    counts.take_off(async.second.phase, async.second.category);
    return true;
  });
  std::erase_if(s.flows, [&](const FlowRun& run) {
    if (run.source != source_id || !lies_below(*run.events, offset)) return false;
    for (const FlowEvent& e : *run.events) counts.take_off(e.phase, (*run.remap)(e.category));
    return true;
  });
  if (counts.total > 0) {
    source.skipped[why] += counts.total;
    source.report.add(Finding::kSkippedOnRequest, ImportReport::kNoOffset, why, counts.total);
  }
  return counts.total;
}

}  // namespace lacuna
