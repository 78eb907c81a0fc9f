#include "model/job/job_stragglers.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "model/base/quantiles.h"
#include "model/base/stable_sort.h"
#include "model/causes/gap_evidence.h"

namespace lacuna {
namespace {

/// A cause that explains less of the lateness than this (1/5) is none.
constexpr Nanos kLeastExplained = 5;
/// A clock so much lower than the others' is named as the reason for slower kernels.
constexpr double kLowerClock = 0.97;
constexpr std::size_t kMostPlaces = 8;
constexpr std::size_t kMostListedSteps = 8;

std::string time_text(Nanos t) {
  if (t >= 10'000'000) return fmt::format("{:.1f} ms", static_cast<double>(t) / 1e6);
  if (t >= 1'000'000) return fmt::format("{:.2f} ms", static_cast<double>(t) / 1e6);
  return fmt::format("{:.1f} \u00b5s", static_cast<double>(t) / 1e3);
}

Nanos whole_nanos(double ns) {
  return static_cast<Nanos>(std::clamp(ns, -4e18, 4e18));
}

/// What all ranks did in one step, to compare one of them with.
class StepNorm {
 public:
  StepNorm(const Job& job, std::size_t step) {
    std::array<std::vector<Nanos>, kGapCauseCount> idle;
    std::vector<Nanos> preempted, waited;
    std::vector<double> clocks;
    std::map<std::pair<std::string_view, std::string_view>, std::pair<std::vector<double>, std::vector<std::int64_t>>>
        kernels;
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const JobRank& rank = job.ranks[r];
      index_.push_back(-1);
      for (std::size_t s = 0; s < rank.steps.size(); ++s)
        if (rank.steps[s].number == job.steps[step]) index_.back() = static_cast<int>(s);
      if (index_.back() < 0) continue;
      const RankStep& facts = rank.steps[static_cast<std::size_t>(index_.back())];
      for (std::size_t c = 0; c < kGapCauseCount; ++c) idle[c].push_back(facts.idle[c].total);
      preempted.push_back(facts.preempted);
      waited.push_back(facts.waited);
      if (facts.clock_mhz > 0) clocks.push_back(facts.clock_mhz);
      for (const KernelUse& use : rank.kernels) {
        if (use.step != index_.back() || use.count == 0) continue;
        auto& [means, counts] = kernels[{rank.texts[use.name], rank.texts[use.shape]}];
        means.push_back(static_cast<double>(use.total) / static_cast<double>(use.count));
        counts.push_back(use.count);
      }
    }
    for (std::size_t c = 0; c < kGapCauseCount; ++c) idle_[c] = lower_median(idle[c]);
    preempted_ = lower_median(preempted);
    waited_ = lower_median(waited);
    clock_ = lower_median(clocks);
    const auto ranks = static_cast<std::size_t>(std::ranges::count_if(index_, [](int i) { return i >= 0; }));
    for (auto& [key, values] : kernels) {
      values.second.resize(std::max(values.second.size(), ranks), 0);  // those who have it not at all
      kernels_[key] = {lower_median(values.first), lower_median(values.second)};
    }
  }

  /// Index of the step in the rank's own list; < 0: it has no such step.
  int index(std::size_t rank) const { return index_[rank]; }
  Nanos idle(std::size_t cause) const { return idle_[cause]; }
  Nanos preempted() const { return preempted_; }
  Nanos waited() const { return waited_; }
  double clock() const { return clock_; }
  struct Usual {
    double mean = 0;
    std::int64_t count = 0;
  };
  const Usual& kernel(const JobRank& rank, const KernelUse& use) const {
    return kernels_.at({rank.texts[use.name], rank.texts[use.shape]});
  }

 private:
  std::vector<int> index_;
  std::array<Nanos, kGapCauseCount> idle_{};
  Nanos preempted_ = 0, waited_ = 0;
  double clock_ = 0;
  std::map<std::pair<std::string_view, std::string_view>, Usual> kernels_;
};

/// Why one rank was late in one step, or in the mean one of several.
struct Verdict {
  LateCause cause = LateCause::kUnexplained;
  GapCause gap = GapCause::kUnknown;  // kIdleGap
  Nanos explained = 0;
  Nanos usual = 0;   // what the others have of it; of kernels, what the same would have taken there
  std::string what;  // kernel or operation
  std::vector<JobPlace> places;
  double clock = 0, usual_clock = 0;  // kLowerClock: MHz
  double lowest_clock = 0;            // … in the step, 0: not known
  Nanos fell_after = 0;               // from the rank's first step on
  std::string reason = {};            // as the driver said

  double ratio() const { return usual > 0 ? static_cast<double>(explained + usual) / static_cast<double>(usual) : 0; }
};

class VerdictFinder {
 public:
  VerdictFinder(const Job& job, const StepNorm& norm, std::size_t rank, std::size_t step)
      : job_(job), norm_(norm), r_(rank), step_(step), facts_(job.ranks[rank]) {}

  Verdict find(Nanos delay) {
    const RankStep& own = facts_.steps[static_cast<std::size_t>(norm_.index(r_))];
    look_at_kernels(own);
    look_at_idle(own);
    look_at_preemption(own);
    look_at_waits(own);
    if (best_.explained < delay / kLeastExplained) {
      Verdict nothing;
      nothing.places.push_back(place("the step", own.start, saturating_sub(own.end, own.start)));
      return nothing;
    }
    return best_;
  }

 private:
  void offer(Verdict verdict) {
    if (verdict.explained > best_.explained) best_ = std::move(verdict);
  }

  JobPlace place(std::string what, Nanos start, Nanos duration) const {
    return {std::move(what), facts_.rank, job_.steps[step_], saturating_sub(start, facts_.epoch), duration};
  }

  void look_at_kernels(const RankStep& own) {
    struct Slow {
      Nanos extra;
      const KernelUse* use;
      double ratio;
    };
    std::vector<Slow> slower, more;
    double expected = 0;
    Nanos slow = 0, work = 0;
    for (const KernelUse& use : facts_.kernels) {
      if (use.step != norm_.index(r_) || use.count == 0) continue;
      const StepNorm::Usual& usual = norm_.kernel(facts_, use);
      const double mean = static_cast<double>(use.total) / static_cast<double>(use.count);
      const auto count = static_cast<double>(use.count);
      const auto extra = whole_nanos((mean - usual.mean) * count);
      const auto added = whole_nanos((count - static_cast<double>(usual.count)) * usual.mean);
      expected += usual.mean * count;
      slow = saturating_add(slow, extra);
      work = saturating_add(work, added);
      if (extra > 0) slower.push_back({extra, &use, usual.mean > 0 ? mean / usual.mean : 0});
      if (added > 0) more.push_back({added, &use, usual.count > 0 ? count / static_cast<double>(usual.count) : 0});
    }
    const auto add = [&](std::vector<Slow>& all, LateCause cause, Nanos explained) {
      if (all.empty() || explained <= 0) return;
      std::ranges::sort(all, [](const Slow& a, const Slow& b) { return a.extra > b.extra; });
      Verdict verdict{cause, GapCause::kUnknown, explained, whole_nanos(expected), facts_.texts[all[0].use->name], {}};
      if (cause == LateCause::kLowerClock) add_clock(own, verdict);
      for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 3); ++i) {
        const KernelUse& use = *all[i].use;
        const std::string shape = facts_.texts[use.shape];
        verdict.places.push_back(
            place(fmt::format("{}{}: {} x {}, {:.2f} times the others' {}", short_kernel_name(facts_.texts[use.name]),
                              shape.empty() ? "" : " " + shape, use.count, time_text(use.total / use.count),
                              all[i].ratio, cause == LateCause::kMoreWork ? "launches" : "duration"),
                  use.longest_start, use.longest));
      }
      offer(std::move(verdict));
    };
    const bool lower_clock = own.clock_mhz > 0 && own.clock_mhz < norm_.clock() * kLowerClock;
    add(slower, lower_clock ? LateCause::kLowerClock : LateCause::kSlowerKernels, slow);
    add(more, LateCause::kMoreWork, work);
  }

  void add_clock(const RankStep& own, Verdict& verdict) const {
    verdict.clock = own.clock_mhz;
    verdict.usual_clock = norm_.clock();
    if (own.lowest_clock_mhz <= 0) return;
    verdict.lowest_clock = own.lowest_clock_mhz;
    verdict.fell_after = saturating_sub(own.lowest_clock_start, facts_.steps.front().start);
    verdict.reason = facts_.texts[own.clock_reason];
    verdict.places.push_back(place(fmt::format("the clock at {:.0f} MHz{}", own.lowest_clock_mhz,
                                               verdict.reason.empty() ? "" : ": " + verdict.reason),
                                   own.lowest_clock_start, 0));
  }

  void look_at_idle(const RankStep& own) {
    for (std::size_t c = 0; c < kGapCauseCount; ++c) {
      const IdleUse& use = own.idle[c];
      const auto gap = static_cast<GapCause>(c);
      Verdict verdict{LateCause::kIdleGap,    gap, saturating_sub(use.total, norm_.idle(c)), norm_.idle(c),
                      facts_.texts[use.what], {}};
      if (verdict.explained <= 0) continue;
      if (gap == GapCause::kDataLoading) verdict.cause = LateCause::kDataLoading;
      if (gap == GapCause::kLaunchBound) verdict.cause = LateCause::kLaunchBound;
      verdict.places.push_back(
          place(fmt::format("the longest gap ({}){}", cause_name(gap), verdict.what.empty() ? "" : ": " + verdict.what),
                use.longest_start, use.longest));
      offer(std::move(verdict));
    }
  }

  void look_at_preemption(const RankStep& own) {
    Verdict verdict{LateCause::kPreempted,
                    GapCause::kUnknown,
                    saturating_sub(own.preempted, norm_.preempted()),
                    norm_.preempted(),
                    {},
                    {}};
    if (verdict.explained <= 0) return;
    verdict.places.push_back(place("the longest stretch in which the thread could have run",
                                   own.longest_preempted_start, own.longest_preempted));
    // What a thread could not issue meanwhile leaves its GPU idle: the same time, and this is the reason for it.
    offer_instead_of_idle_time(std::move(verdict));
  }

  /// It slept, or waited for something that is no other rank.
  void look_at_waits(const RankStep& own) {
    Verdict verdict{LateCause::kWaited, GapCause::kUnknown,          saturating_sub(own.waited, norm_.waited()),
                    norm_.waited(),     facts_.texts[own.waited_in], {}};
    if (verdict.explained <= 0) return;
    verdict.places.push_back(place("the longest wait", own.longest_waited_start, own.longest_waited));
    // A loader's wait for its data is told as that.
    if (best_.cause == LateCause::kDataLoading && best_.explained >= verdict.explained / 2) return;
    offer_instead_of_idle_time(std::move(verdict));
  }

  void offer_instead_of_idle_time(Verdict verdict) {
    const bool is_idle = best_.cause == LateCause::kIdleGap || best_.cause == LateCause::kDataLoading ||
                         best_.cause == LateCause::kLaunchBound;
    if (is_idle && is_cpu_caused(best_.gap) && verdict.explained >= best_.explained / 2)
      best_ = std::move(verdict);
    else
      offer(std::move(verdict));
  }

  const Job& job_;
  const StepNorm& norm_;
  const std::size_t r_, step_;
  const JobRank& facts_;
  Verdict best_;
};

/// "1,095"
std::string grouped_mhz(double mhz) {
  const auto whole = static_cast<std::int64_t>(mhz + 0.5);
  return whole < 1000 ? std::to_string(whole) : fmt::format("{},{:03}", whole / 1000, whole % 1000);
}

/// "rank 5's clock fell to 1,095 MHz 3.2 s after its first step began: power cap; "
std::string fall_of(std::int64_t rank, const Verdict& worst) {
  if (worst.lowest_clock <= 0) return {};
  return fmt::format(
      "rank {}'s clock fell to {} MHz {} after its first step began{}; ", rank, grouped_mhz(worst.lowest_clock),
      worst.fell_after >= 1'000'000'000 ? fmt::format("{:.1f} s", static_cast<double>(worst.fell_after) / 1e9)
                                        : time_text(worst.fell_after),
      worst.reason.empty() ? ", for which the driver named no reason" : ": " + worst.reason);
}

std::string sentence_of(const Job& job, const Straggler& straggler, const Verdict& mean) {
  const std::int64_t rank = job.ranks[straggler.rank].rank;
  const std::string name(late_cause_name(straggler.cause));
  const bool several = straggler.steps.size() > 1;
  const std::string_view in_steps = several ? " a step" : "", a_step = several ? "a step" : "the step";
  switch (straggler.cause) {
    case LateCause::kSlowerKernels:
      return fmt::format(
          "{}: the GPU of rank {} took {:.2f} times as long as the others' for the same kernels and shapes "
          "({} more a step), most in {}",
          name, rank, mean.ratio(), time_text(mean.explained), short_kernel_name(mean.what));
    case LateCause::kLowerClock:
      return fmt::format(
          "{}: {}the GPU of rank {} ran at {:.0f} MHz, the others' at {:.0f}, and took {:.2f} times as long for the "
          "same "
          "kernels",
          name, fall_of(rank, mean), rank, mean.clock, mean.usual_clock, mean.ratio());
    case LateCause::kMoreWork:
      return fmt::format("{}: rank {} spent {}{} more in kernels than the others, most in {}", name, rank,
                         time_text(mean.explained), in_steps, short_kernel_name(mean.what));
    case LateCause::kDataLoading:
      return fmt::format(
          "{}: the GPU of rank {} idled {}{} while the CPU waited for its next batch{}; the others' idled {}", name,
          rank, time_text(saturating_add(mean.explained, mean.usual)), in_steps,
          mean.what.empty() ? "" : " in " + mean.what, time_text(mean.usual));
    case LateCause::kLaunchBound:
      return fmt::format(
          "{}: the CPU of rank {} issued work so late that its GPU idled {} in {}{}; the others' "
          "idled {}",
          name, rank, time_text(saturating_add(mean.explained, mean.usual)), a_step,
          mean.what.empty() ? "" : ", most in " + mean.what, time_text(mean.usual));
    case LateCause::kIdleGap:
      return fmt::format("{}: the GPU of rank {} idled {}{} more than the others' ({}){}", name, rank,
                         time_text(mean.explained), in_steps, cause_name(mean.gap),
                         mean.what.empty() ? "" : ", most in " + mean.what);
    case LateCause::kPreempted:
      return fmt::format(
          "{}: the thread that issues the work of rank {} could have run, but did not for {} of {}; the others' "
          "for {}",
          name, rank, time_text(saturating_add(mean.explained, mean.usual)), a_step, time_text(mean.usual));
    case LateCause::kWaited:
      return fmt::format(
          "{}: rank {} slept or waited for files, the network or a process for {} of {}{}; the others for {}", name,
          rank, time_text(saturating_add(mean.explained, mean.usual)), a_step,
          mean.what.empty() ? "" : ", most in " + mean.what, time_text(mean.usual));
    case LateCause::kUnexplained:
      break;
  }
  return fmt::format("{}: rank {} was {} late, but its kernels and idle gaps are like those of the others", name, rank,
                     time_text(straggler.delay));
}

}  // namespace

std::string_view late_cause_name(LateCause cause) {
  switch (cause) {
    case LateCause::kSlowerKernels:
      return "slower kernels";
    case LateCause::kMoreWork:
      return "more work";
    case LateCause::kDataLoading:
      return "data loading";
    case LateCause::kLaunchBound:
      return "launch-bound";
    case LateCause::kIdleGap:
      return "idle gap";
    case LateCause::kPreempted:
      return "preempted thread";
    case LateCause::kWaited:
      return "waiting";
    case LateCause::kLowerClock:
      return "lower clock";
    case LateCause::kUnexplained:
      break;
  }
  return "unexplained";
}

void find_stragglers(Job& job) {
  struct Found {
    Straggler straggler;
    Verdict worst, sum;
    Verdict mean() const {
      const auto steps = static_cast<Nanos>(straggler.steps.size());
      Verdict mean = worst;
      mean.explained = sum.explained / steps;
      mean.usual = sum.usual / steps;
      mean.clock = sum.clock / static_cast<double>(steps);
      mean.usual_clock = sum.usual_clock / static_cast<double>(steps);
      return mean;
    }
  };
  std::map<std::tuple<std::uint32_t, LateCause, GapCause>, Found> found;
  for (std::size_t s = 0; s < job.steps.size(); ++s) {
    std::vector<Nanos> lengths;
    for (std::size_t r = 0; r < job.ranks.size(); ++r)
      if (job.cell(r, s).length > 0) lengths.push_back(job.cell(r, s).length);
    const auto length = static_cast<double>(lower_median(lengths));
    std::optional<StepNorm> norm;
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const JobCell& cell = job.cell(r, s);
      if (cell.delay < kStragglerDelayNs || static_cast<double>(cell.delay) < kStragglerShare * length) continue;
      if (!norm) norm.emplace(job, s);
      if (norm->index(r) < 0) continue;
      Verdict verdict = VerdictFinder(job, *norm, r, s).find(cell.delay);
      Found& one = found[{static_cast<std::uint32_t>(r), verdict.cause, verdict.gap}];
      one.straggler.rank = static_cast<std::uint32_t>(r);
      one.straggler.cause = verdict.cause;
      one.straggler.steps.push_back(static_cast<std::uint32_t>(s));
      one.straggler.lost = saturating_add(one.straggler.lost, cell.lost);
      one.straggler.delay = saturating_add(one.straggler.delay, cell.delay);
      for (const JobPlace& place : verdict.places)
        if (one.straggler.evidence.size() < kMostPlaces) one.straggler.evidence.push_back(place);
      one.sum.explained = saturating_add(one.sum.explained, verdict.explained);
      one.sum.usual = saturating_add(one.sum.usual, verdict.usual);
      one.sum.clock += verdict.clock;
      one.sum.usual_clock += verdict.usual_clock;
      if (verdict.explained >= one.worst.explained) one.worst = std::move(verdict);
    }
  }
  job.stragglers.clear();
  for (auto& [key, one] : found) {
    one.straggler.sentence = sentence_of(job, one.straggler, one.mean());
    job.stragglers.push_back(std::move(one.straggler));
  }
  sort_stably(job.stragglers, [](const Straggler& a, const Straggler& b) { return a.lost > b.lost; });
}

std::string straggler_steps(const Job& job, const Straggler& straggler) {
  const auto label = [&](std::uint32_t step) {
    return job.steps[step] ? std::to_string(*job.steps[step]) : std::string("-");
  };
  if (straggler.steps.size() > kMostListedSteps)
    return fmt::format("{} of {} steps, from {} to {}", straggler.steps.size(), job.steps.size(),
                       label(straggler.steps.front()), label(straggler.steps.back()));
  if (straggler.steps.size() == 1 && !job.steps[straggler.steps.front()]) return "whole trace";
  std::string text(straggler.steps.size() == 1 ? "step" : "steps");
  for (std::size_t i = 0; i < straggler.steps.size(); ++i) text += (i == 0 ? " " : ", ") + label(straggler.steps[i]);
  return text;
}

std::optional<std::uint32_t> longest_waiting(const Job& job, std::uint32_t rank, std::uint32_t step) {
  std::optional<std::uint32_t> found;
  Nanos longest = 0;
  for (const JobCollective& collective : job.collectives) {
    if (collective.step != job.steps[step] || job.last_of(collective).rank != rank) continue;
    for (std::uint32_t p = collective.first; p < collective.first + collective.count; ++p) {
      if (job.parts[p].wait <= longest) continue;
      longest = job.parts[p].wait;
      found = job.parts[p].rank;
    }
  }
  return found;
}

}  // namespace lacuna
