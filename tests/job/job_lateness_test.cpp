// Who waited in random collectives, and whose own work took longer than usual, against adding up by hand.

#include "model/job/job_lateness.h"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

/// Some ranks that meet in two groups of all of them, a few times a step, each after some work of its own.
Job random_job(std::mt19937& random) {
  Job job;
  const auto ranks = static_cast<std::uint32_t>(2 + random() % 3), steps = static_cast<std::uint32_t>(1 + random() % 3);
  for (const char* name : {"tp", "dp"}) {
    JobGroup& group = job.groups.emplace_back();
    group.description = name;
    group.size = ranks;
  }
  for (std::uint32_t s = 0; s < steps; ++s) job.steps.emplace_back(10 + s);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    job.ranks.emplace_back().rank = r;
    for (std::uint32_t s = 0; s < steps; ++s) {
      RankStep& step = job.ranks[r].steps.emplace_back();
      step.number = job.steps[s];
      step.start = 1000 * s;
      step.end = step.start + 900 + static_cast<Nanos>(random() % 50);
    }
  }
  Nanos t = 0;
  for (std::uint32_t s = 0; s < steps; ++s)
    for (std::uint32_t nth = 0; nth < 3; ++nth)
      for (std::uint32_t g = 0; g < 2; ++g) {
        JobCollective& c = job.collectives.emplace_back();
        c.group = g;
        c.first = static_cast<std::uint32_t>(job.parts.size());
        c.count = ranks;
        c.nth = nth;
        c.step = job.steps[s];
        t += 100;
        for (std::uint32_t r = 0; r < ranks; ++r) {
          JobPart& part = job.parts.emplace_back();
          part.rank = r;
          part.collective = static_cast<std::uint32_t>(job.ranks[r].collectives.size());
          part.start = t + static_cast<Nanos>(random() % 60);
          part.end = t + 60 + static_cast<Nanos>(random() % 20);
          CollectivePart& own = job.ranks[r].collectives.emplace_back();
          own.start = part.start;
          own.end = part.end;
          own.own_work = static_cast<Nanos>(random() % 40);
          own.released_by =
              static_cast<std::int32_t>(part.collective) - 1 - static_cast<std::int32_t>(random() % 5 == 0);
          if (own.released_by < 0) own.released_by = -1;
          own.group = g;
        }
      }
  return job;
}

TEST_CASE("lateness of random jobs: waits, transfers, own work beyond the middle of its like") {
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    Job job = random_job(random);
    const Job before = job;
    find_lateness(job);

    std::vector<Nanos> waited(job.ranks.size());
    std::vector<JobCell> cells(job.cells.size());
    Nanos all_waited = 0;
    for (const JobCollective& c : job.collectives) {
      std::vector<Nanos> starts;
      Nanos transfer = kMaxNanos;
      for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
        starts.push_back(job.parts[p].start);
        transfer = std::min(transfer, job.parts[p].end - job.parts[p].start);
      }
      std::ranges::sort(starts);
      Nanos sum = 0;
      for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
        const Nanos wait = starts.back() - job.parts[p].start;
        CHECK(job.parts[p].wait == wait);
        waited[job.parts[p].rank] += wait;
        cells[job.parts[p].rank * job.steps.size() + static_cast<std::size_t>(*c.step - 10)].waited += wait;
        sum += wait;
      }
      CHECK(job.last_of(c).start == starts.back());
      CHECK(c.late == starts.back() - starts[starts.size() - 2]);
      CHECK(c.transfer == transfer);
      CHECK(c.waited == sum);
      all_waited += sum;
    }
    CHECK(job.waited == waited);
    for (std::size_t c = 1; c < job.collectives.size(); ++c)
      CHECK(job.last_of(job.collectives[c - 1]).start <= job.last_of(job.collectives[c]).start);

    // What stands at the same place of a step, and came from the same place.
    const auto place_of = [&](std::uint32_t rank, std::int32_t collective) {
      for (const JobCollective& c : before.collectives)
        for (std::uint32_t p = c.first; p < c.first + c.count && collective >= 0; ++p)
          if (before.parts[p].rank == rank && before.parts[p].collective == static_cast<std::uint32_t>(collective))
            return std::tuple(c.group, *c.step, c.nth);
      return std::tuple(~0u, std::int64_t{-1}, 0u);
    };
    std::map<std::pair<std::tuple<std::uint32_t, std::int64_t, std::uint32_t>,
                       std::tuple<std::uint32_t, std::int64_t, std::uint32_t>>,
             std::vector<Nanos>>
        alike;
    const auto key_of = [&](std::uint32_t rank, std::uint32_t collective) {
      const CollectivePart& part = before.ranks[rank].collectives[collective];
      return std::pair(place_of(rank, static_cast<std::int32_t>(collective)), place_of(rank, part.released_by));
    };
    for (std::uint32_t r = 0; r < before.ranks.size(); ++r)
      for (std::uint32_t c = 0; c < before.ranks[r].collectives.size(); ++c)
        alike[key_of(r, c)].push_back(before.ranks[r].collectives[c].own_work);
    for (auto& [key, times] : alike) std::ranges::sort(times);
    for (std::uint32_t r = 0; r < before.ranks.size(); ++r)
      for (std::uint32_t c = 0; c < before.ranks[r].collectives.size(); ++c) {
        const std::vector<Nanos>& times = alike[key_of(r, c)];
        const auto step = static_cast<std::size_t>(std::get<1>(place_of(r, static_cast<std::int32_t>(c))) - 10);
        cells[r * job.steps.size() + step].excess +=
            std::max<Nanos>(0, before.ranks[r].collectives[c].own_work - times[(times.size() - 1) / 2]);
      }
    Nanos lost = 0;
    for (std::size_t r = 0; r < job.ranks.size(); ++r)
      for (std::size_t s = 0; s < job.steps.size(); ++s) {
        const JobCell& made = job.cell(r, s);
        const JobCell& hand = cells[r * job.steps.size() + s];
        CHECK(made.waited == hand.waited);
        CHECK(made.excess == hand.excess);
        CHECK(made.length == job.ranks[r].steps[s].end - job.ranks[r].steps[s].start);
        CHECK(made.delay <= made.excess);  // nobody made others later than its own work was longer
        CHECK((made.lost == 0) == (made.delay == 0));
        lost += made.lost;
      }
    CHECK(lost <= all_waited);
  }
}

/// Rank 1 worked 30 longer than rank 0 before the first collective, and 10 longer before the second, to which it came
/// `late` after it.
Job two_late_meetings(Nanos late) {
  Job job;
  JobGroup& group = job.groups.emplace_back();
  group.description = "dp";
  group.size = 2;
  job.steps.emplace_back(1);
  job.ranks.resize(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    job.ranks[r].rank = r;
    job.ranks[r].steps.emplace_back().number = 1;
    for (std::int32_t c = 0; c < 2; ++c) {
      CollectivePart& own = job.ranks[r].collectives.emplace_back();
      own.released_by = c - 1;
      own.own_work = r == 0 ? 50 : c == 0 ? 80 : 60;
    }
  }
  for (std::uint32_t c = 0; c < 2; ++c) {
    JobCollective& collective = job.collectives.emplace_back();
    collective.first = 2 * c;
    collective.count = 2;
    collective.nth = c;
    collective.step = 1;
    // Both leave the first one together, at 100.
    for (std::uint32_t r = 0; r < 2; ++r) {
      const Nanos start = c == 0 ? (r == 0 ? 50 : 80) : (r == 0 ? 150 : 150 + late);
      job.parts.push_back({r, c, start, c == 0 ? 100 : 180, 0});
    }
  }
  find_lateness(job);
  return job;
}

TEST_CASE("lateness is charged to the own work before the collective, and to none before both had met") {
  const Job job = two_late_meetings(10);
  CHECK(job.cell(1, 0).excess == 40);
  CHECK(job.cell(1, 0).delay == 40);
  CHECK(job.cell(1, 0).lost == 30 + 10);
  CHECK(job.cell(0, 0).lost == 0);
  CHECK(job.cell(0, 0).waited == 40);
  // Half of what it was late by is nobody's work: both left the first one together.
  const Job later = two_late_meetings(20);
  CHECK(later.cell(1, 0).delay == 40);
  CHECK(later.cell(1, 0).lost == 30 + 10);
  CHECK(later.cell(0, 0).waited == 50);
}

}  // namespace
}  // namespace lacuna
