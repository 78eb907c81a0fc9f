#include "model/causes/operator_costs.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>

#include "model/base/parallel.h"
#include "model/base/stable_sort.h"
#include "model/causes/charged_time.h"
#include "model/causes/known_names.h"

namespace lacuna {
namespace {

/// A thread laid flat: data loading is charged to the loader as a whole, not to the operators in it.
class ThreadTime {
 public:
  ThreadTime(const Trace& trace, const CpuTimeline& timeline) : trace_(trace), timeline_(timeline) {}
  ChargedTime& of(GapCause cause) {
    const bool loads_data = cause == GapCause::kDataLoading;
    std::optional<ChargedTime>& time = loads_data ? loading_ : plain_;
    if (!time) time.emplace(trace_, timeline_, loads_data);
    return *time;
  }

 private:
  const Trace& trace_;
  const CpuTimeline& timeline_;
  std::optional<ChargedTime> plain_, loading_;
};

class Charger {
 public:
  Charger(const Trace& trace, std::span<const CausedGaps> sets) : trace_(trace), sets_(sets) {}

  /// What needs no timeline is charged at once; the rest waits, by thread.
  void gather() {
    for (std::uint32_t s = 0; s < sets_.size(); ++s) {
      for (std::uint32_t g = 0; g < sets_[s].gaps.size(); ++g) {
        const GapPlace place{s, g, sets_[s].gaps[g].duration()};
        const GapDiagnosis& diagnosis = sets_[s].diagnoses[g];
        if (!is_cpu_caused(diagnosis.cause) || !diagnosis.thread.valid()) {
          costs_.not_charged = saturating_add(costs_.not_charged, place.lost);
        } else if (is_one_synchronisation(trace_, diagnosis)) {
          charge_enclosing(diagnosis.sync_call, place);
        } else {
          by_thread_[diagnosis.thread].push_back(place);
        }
      }
    }
  }

  const std::map<TrackId, std::vector<GapPlace>>& by_thread() const { return by_thread_; }

  /// What waits for `thread`, whose time it is: threads come ascending.
  void charge(ThreadTime& time, TrackId thread) { charge_window(time, thread, by_thread_[thread]); }

  OperatorCosts finished() {
    finish();
    return std::move(costs_);
  }

 private:
  struct InnerTime {
    StringId name;
    Nanos time = 0;
  };

  std::uint32_t row(CpuLevel level, StringId name) {
    if (name == kEmptyString) level = CpuLevel::kCalledOperator;
    const auto next = static_cast<std::uint32_t>(costs_.rows.size());
    const auto [known, is_new] = rows_[static_cast<std::size_t>(level)].try_emplace(name, next);
    if (is_new) {
      costs_.rows.emplace_back();
      costs_.rows.back().level = level;
      costs_.rows.back().name = name;
      inner_.emplace_back();
    }
    return known->second;
  }

  void add(std::uint32_t row, GapPlace place, Nanos lost) {
    if (lost <= 0) return;
    last_row_ = row;
    last_inner_ = kEmptyString;
    OperatorCost& cost = costs_.rows[row];
    cost.lost = saturating_add(cost.lost, lost);
    if (sets_[place.set].diagnoses[place.gap].cause == GapCause::kSynchronisation)
      cost.in_synchronisation = saturating_add(cost.in_synchronisation, lost);
    // A gap's parts come one after another; what is left to merge, finish() does.
    if (!cost.places.empty() && cost.places.back().set == place.set && cost.places.back().gap == place.gap) {
      cost.places.back().lost += lost;
      return;
    }
    place.lost = lost;
    cost.places.push_back(place);
  }

  /// Few operators call many different ones: a search from the end, where the last hit is.
  void add_inner(std::uint32_t row, StringId inner, Nanos lost) {
    std::vector<InnerTime>& times = inner_[row];
    const auto found = std::find_if(times.rbegin(), times.rend(), [&](const InnerTime& t) { return t.name == inner; });
    if (found == times.rend()) {
      times.push_back({inner, lost});
    } else {
      found->time += lost;
      std::swap(*found, times.back());
    }
  }

  /// The whole gap, or its rest, to what encloses a call.
  void charge_enclosing(SliceId call, const GapPlace& place) {
    SliceId called, inner, frame;
    for (SliceId s = call; s.valid(); s = trace_.parent(s)) {
      switch (trace_.category_class(s)) {
        case CategoryClass::kCpuOperator:
          if (is_annotation_name(trace_.name(s))) break;
          if (!inner.valid()) inner = s;
          called = s;
          break;
        case CategoryClass::kPythonFunction:
          if (!frame.valid() && !is_builtin_frame(trace_.name(s))) frame = s;
          break;
        default:
          break;
      }
    }
    const auto name = [&](SliceId s) { return trace_.lane(s).name(s.index); };
    std::uint32_t r = 0;
    if (called.valid()) {
      r = row(CpuLevel::kCalledOperator, name(called));
      add_inner(r, name(inner), place.lost);
    } else if (frame.valid()) {
      r = row(CpuLevel::kPython, name(frame));
    } else {
      r = row(CpuLevel::kRuntime, name(call));
    }
    add(r, place, place.lost);
  }

  void charge_window(ThreadTime& time, TrackId thread, const std::vector<GapPlace>& places) {
    for (const GapPlace& place : places) {
      const Gap& gap = sets_[place.set].gaps[place.gap];
      const GapDiagnosis& diagnosis = sets_[place.set].diagnoses[place.gap];
      const TimeSpan window{gap.start, gap.start + diagnosis.before_issue};
      for (const auto& [to, lost] : time.of(diagnosis.cause).charges(window)) {
        const std::uint32_t r = row(to.level, to.name);
        add(r, place, lost);
        if (to.inner == kEmptyString) continue;
        add_inner(r, to.inner, lost);
        last_inner_ = to.inner;
      }
      if (diagnosis.in_queue == 0) continue;
      GapPlace rest = place;
      rest.lost = diagnosis.in_queue;
      if (trace_.lane(gap.launch).track == thread && !window.empty()) {
        // What was charged last is what the thread was in when it issued the launch.
        if (last_inner_ != kEmptyString) add_inner(last_row_, last_inner_, rest.lost);
        add(last_row_, rest, rest.lost);
      } else {
        charge_enclosing(gap.launch, rest);
      }
    }
  }

  void finish() {
    for (std::size_t r = 0; r < costs_.rows.size(); ++r) {
      OperatorCost& cost = costs_.rows[r];
      merge_places(cost.places);
      for (const InnerTime& inner : inner_[r]) {
        const bool wins =
            inner.time != cost.mostly_in_time ? inner.time > cost.mostly_in_time : inner.name < cost.mostly_in;
        if (!wins) continue;
        cost.mostly_in = inner.name;
        cost.mostly_in_time = inner.time;
      }
      if (cost.mostly_in == cost.name) cost.mostly_in = kEmptyString;
    }
    sort_stably(costs_.rows, [](const OperatorCost& a, const OperatorCost& b) {
      return a.lost != b.lost ? a.lost > b.lost : a.name < b.name;
    });
  }

  /// One place per gap, most lost time first.
  void merge_places(std::vector<GapPlace>& places) {
    const auto same = [](const GapPlace& a, const GapPlace& b) { return a.set == b.set && a.gap == b.gap; };
    const auto order = [](const GapPlace& a, const GapPlace& b) {
      return a.set != b.set ? a.set < b.set : a.gap < b.gap;
    };
    if (!std::ranges::is_sorted(places, order)) std::ranges::sort(places, order);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (kept > 0 && same(places[kept - 1], places[i])) {
        places[kept - 1].lost += places[i].lost;
      } else {
        places[kept++] = places[i];
      }
    }
    places.resize(kept);
    sort_stably(places, std::ranges::greater{}, &GapPlace::lost);
  }

  const Trace& trace_;
  std::span<const CausedGaps> sets_;
  std::map<TrackId, std::vector<GapPlace>> by_thread_;
  OperatorCosts costs_;
  std::uint32_t last_row_ = 0;                                                    // charged last, by add()
  StringId last_inner_ = kEmptyString;                                            // the innermost operator then
  std::array<std::unordered_map<StringId, std::uint32_t>, kCpuLevelCount> rows_;  // by level and name
  std::vector<std::vector<InnerTime>> inner_;                                     // by row: time by innermost operator
};

}  // namespace

bool is_one_synchronisation(const Trace& trace, const GapDiagnosis& diagnosis) {
  return diagnosis.cause == GapCause::kSynchronisation && diagnosis.sync_call.valid() &&
         trace.span(diagnosis.sync_call).duration() >= diagnosis.sync_time / 2;
}

std::vector<OperatorCosts> charge_operators_each(const Trace& trace,
                                                 std::span<const std::span<const CausedGaps>> groups,
                                                 unsigned threads) {
  std::vector<Charger> chargers;
  std::map<TrackId, std::vector<std::size_t>> by_thread;  // who has to charge it
  for (const std::span<const CausedGaps> sets : groups) {
    Charger& charger = chargers.emplace_back(trace, sets);
    charger.gather();
    for (const auto& [thread, places] : charger.by_thread()) by_thread[thread].push_back(chargers.size() - 1);
  }
  // A few threads at a time, so that few timelines are in memory.
  for (auto next = by_thread.begin(); next != by_thread.end();) {
    const auto first = next;
    std::vector<TrackId> ids;
    for (; next != by_thread.end() && ids.size() < std::max(threads, 1u); ++next) ids.push_back(next->first);
    std::vector<CpuTimeline> timelines(ids.size());
    parallel_for(ids.size(), threads, [&](std::size_t t) { timelines[t] = CpuTimeline(trace, ids[t], trace.span()); });
    auto of_thread = first;
    for (const CpuTimeline& timeline : timelines) {
      ThreadTime time(trace, timeline);
      for (const std::size_t charger : of_thread->second) chargers[charger].charge(time, of_thread->first);
      ++of_thread;
    }
  }
  std::vector<OperatorCosts> costs;
  for (Charger& charger : chargers) costs.push_back(charger.finished());
  return costs;
}

OperatorCosts charge_operators(const Trace& trace, std::span<const CausedGaps> sets, unsigned threads) {
  return std::move(charge_operators_each(trace, {&sets, 1}, threads).front());
}

}  // namespace lacuna
