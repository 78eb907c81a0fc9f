// Clocks of ranks whose collectives are written down here: fit_clocks().

#include "model/job/job_clocks.h"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

constexpr Nanos kStart = 1'000'000'000;

/// Ranks with collectives of 10 us, whose true ends are known.
class MadeClocks {
 public:
  explicit MadeClocks(std::size_t ranks) {
    job_.ranks.resize(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      job_.ranks[r].rank = static_cast<std::int64_t>(r);
      job_.ranks[r].steps.emplace_back().start = kStart;
    }
    offset.resize(ranks);
    drift_ppm.resize(ranks);
  }
  /// By rank: how its clock differs, at kStart, and what each ms adds.
  std::vector<double> offset, drift_ppm;

  /// One of `ranks` in `group` that ends `end` after kStart; each is `wrong` ns more off than the one before.
  void meet(std::vector<std::uint32_t> ranks, Nanos end, std::uint32_t group = 0, bool is_synchronising = true,
            Nanos wrong = 0) {
    if (job_.groups.size() <= group) job_.groups.resize(group + 1);
    JobCollective& c = job_.collectives.emplace_back();
    c.group = group;
    c.first = static_cast<std::uint32_t>(job_.parts.size());
    c.count = static_cast<std::uint32_t>(ranks.size());
    c.is_synchronising = is_synchronising;
    Nanos error = 0;
    for (const std::uint32_t r : ranks) {
      CollectivePart& part = job_.ranks[r].collectives.emplace_back();
      part.end = kStart + by_clock(r, end) + error;
      part.start = kStart + by_clock(r, end - 10'000);
      job_.parts.push_back({r, static_cast<std::uint32_t>(job_.ranks[r].collectives.size() - 1)});
      error += wrong;
    }
  }
  /// `count` of them, `apart` from one to the next.
  void meet_often(const std::vector<std::uint32_t>& ranks, int count, Nanos apart, std::uint32_t group = 0) {
    for (int n = 1; n <= count; ++n) meet(ranks, n * apart, group);
  }
  Job fitted() {
    fit_clocks(job_);
    return job_;
  }
  Job& job() { return job_; }

 private:
  Nanos by_clock(std::uint32_t r, Nanos t) const {
    return std::llround(static_cast<double>(t) * (1 + drift_ppm[r] * 1e-6) + offset[r]);
  }
  Job job_;
};

/// The parts of each collective end at once, to within `most` ns.
void check_ends(const Job& job, double most) {
  for (const JobCollective& c : job.collectives)
    for (std::uint32_t p = c.first + 1; p < c.first + c.count; ++p)
      CHECK(std::abs(static_cast<double>(job.parts[p].end - job.parts[c.first].end)) <= most);
}

}  // namespace

TEST_CASE("clocks: offsets are found against the lowest rank, and taken off") {
  MadeClocks made(3);
  made.offset = {700'001, -1'500'000, 2'000'000};
  made.meet_often({0, 1, 2}, 20, 1'000'003);
  const Job job = made.fitted();
  REQUIRE(job.clocks.size() == 3);
  CHECK(job.origin == kStart);
  CHECK(job.clocks[0].offset_ns == 0);
  CHECK(job.clocks[0].drift_ppm == 0);
  CHECK(job.clocks[1].offset_ns == doctest::Approx(-2'200'001).epsilon(1e-6));
  CHECK(job.clocks[2].offset_ns == doctest::Approx(1'299'999).epsilon(1e-6));
  for (const JobClock& clock : job.clocks) {
    CHECK(clock.samples == 20);
    CHECK(clock.component == 0);
    CHECK(clock.drift_ppm == 0);
    CHECK(clock.residual_ns == doctest::Approx(0.5));  // half of the least that these files' times tell apart
  }
  check_ends(job, 1);
  // Starts are corrected as ends are.
  for (const JobPart& part : job.parts) CHECK(std::abs(part.end - part.start - 10'000) <= 1);
  for (const JobPart& part : job.parts)
    if (part.rank == 0) CHECK(part.end == job.part_of(part).end);
}

TEST_CASE("clocks: times in whole microseconds are known to half of one") {
  MadeClocks made(2);
  made.offset = {0, 50'000};
  made.meet_often({0, 1}, 20, 1'000'000);
  const Job job = made.fitted();
  CHECK(job.clocks[1].residual_ns == doctest::Approx(500));
  CHECK(job.clocks[1].offset_ns == doctest::Approx(50'000));
}

TEST_CASE("clocks: an offset that is no larger than its doubt is none") {
  // Of whole microseconds: 4 x 500 ns; of nanoseconds: 100 ns.
  for (const auto& [offset, apart, is_believed] : {std::tuple{1'000.0, Nanos{1'000'000}, false},
                                                   {3'000.0, Nanos{1'000'000}, true},
                                                   {90.0, Nanos{1'000'003}, false},
                                                   {110.0, Nanos{1'000'003}, true}}) {
    const double shift = offset;
    CAPTURE(shift);
    MadeClocks made(2);
    made.offset = {0, shift};
    made.meet_often({0, 1}, 20, apart);
    const Job job = made.fitted();
    CHECK((job.clocks[1].offset_ns != 0) == is_believed);
    if (is_believed) CHECK(job.clocks[1].offset_ns == doctest::Approx(shift).epsilon(0.01));
  }
}

TEST_CASE("clocks: drifts are found from the fourth collective on, and not faster than clocks drift") {
  struct Case {
    int count;
    double ppm;
    bool is_found;
  };
  for (const Case& one : {Case{20, 30, true}, Case{20, -30, true}, Case{20, 190, true}, Case{20, 260, false},
                          Case{4, 30, true}, Case{3, 30, false}, Case{20, 0, false}}) {
    CAPTURE(one.count);
    CAPTURE(one.ppm);
    MadeClocks made(2);
    made.drift_ppm = {0, one.ppm};
    made.offset = {0, 40'000};
    made.meet_often({0, 1}, one.count, 50'000'003);
    const Job job = made.fitted();
    CHECK(job.clocks[0].drift_ppm == 0);
    if (!one.is_found) {
      CHECK(job.clocks[1].drift_ppm == 0);
      continue;
    }
    CHECK(job.clocks[1].drift_ppm == doctest::Approx(one.ppm).epsilon(0.001));
    CHECK(job.clocks[1].offset_ns == doctest::Approx(40'000).epsilon(0.001));  // at the origin
    check_ends(job, 10);
  }
}

TEST_CASE("clocks: a drift that is lost in the noise is none") {
  for (const Nanos noise : {0, 20'000}) {
    MadeClocks made(2);
    made.drift_ppm = {0, 2};
    for (int n = 1; n <= 20; ++n) made.meet({0, 1}, n * 50'000'003, 0, true, n % 2 == 0 ? noise : -noise);
    const Job job = made.fitted();
    CHECK((job.clocks[1].drift_ppm != 0) == (noise == 0));
  }
}

TEST_CASE("clocks: groups chain ranks that never meet, and what is not chained is apart") {
  MadeClocks made(5);
  made.offset = {0, 100'000, 300'000, 50'000, -70'000};
  made.meet_often({0, 1}, 10, 1'000'003, 0);
  made.meet_often({1, 2}, 10, 1'000'003, 1);
  made.meet_often({3, 4}, 10, 1'000'003, 2);
  const Job job = made.fitted();
  std::vector<std::uint32_t> components;
  for (const JobClock& clock : job.clocks) components.push_back(clock.component);
  CHECK(components == std::vector<std::uint32_t>{0, 0, 0, 3, 3});
  CHECK(job.clocks[2].offset_ns == doctest::Approx(300'000).epsilon(1e-5));
  CHECK(job.clocks[3].offset_ns == 0);
  CHECK(job.clocks[4].offset_ns == doctest::Approx(-120'000).epsilon(1e-5));
  CHECK(job.clocks[1].samples == 20);
  CHECK(job.clocks[0].samples == 10);
}

TEST_CASE("clocks: however far a host's clock is off, its ranks' times are those of one that is right") {
  const auto fitted = [](double shift) {
    MadeClocks made(6);
    made.offset = {0, 200'000, shift, shift + 50'000, shift, shift - 70'000};
    made.drift_ppm = {0, 0, -15, -15, 40, 25};
    for (const std::uint32_t r : {0u, 2u}) made.meet_often({r, r + 1}, 40, 3'000'001, r);
    for (const std::uint32_t r : {0u, 1u}) made.meet_often({r, r + 2}, 40, 3'500'001, r + 5);
    made.meet_often({4, 5}, 40, 3'000'001, 8);  // meet no other: one more component
    return made.fitted();
  };
  const Job right = fitted(0);
  for (const double hours : {1 / 3600.0, -1 / 3600.0, 1 / 60.0, 1 / 6.0, 24.0, -24.0}) {
    CAPTURE(hours);
    const double shift = hours * 3.6e12;
    const Job job = fitted(shift);
    check_ends(job, 2);
    for (const std::uint32_t r : {2u, 3u})
      CHECK(std::abs(job.clocks[r].offset_ns - right.clocks[r].offset_ns - shift) < 2);
    for (std::uint32_t r = 0; r < 6; ++r) CHECK(std::abs(job.clocks[r].drift_ppm - right.clocks[r].drift_ppm) < 0.01);
    for (std::size_t p = 0; p < job.parts.size(); ++p) {
      const Nanos of_others = job.parts[p].rank < 4 ? 0 : std::llround(shift);
      CHECK(std::abs(job.parts[p].start - of_others - right.parts[p].start) <= 2);
    }
  }
}

TEST_CASE("clocks: what does not end everywhere at once says nothing of them") {
  MadeClocks made(2);
  made.offset = {0, 100'000};
  for (int n = 1; n <= 9; ++n) made.meet({0, 1}, n * 1'000'003, 0, false);
  const Job job = made.fitted();
  for (std::uint32_t r = 0; r < 2; ++r) {
    CHECK(job.clocks[r].samples == 0);
    CHECK(job.clocks[r].offset_ns == 0);
    CHECK(job.clocks[r].component == r);
    CHECK(job.clocks[r].residual_ns == 0);
  }
  for (const JobPart& part : job.parts) {
    CHECK(part.end == job.part_of(part).end);
    CHECK(part.start == job.part_of(part).start);
  }
}

TEST_CASE("clocks: outliers count little") {
  MadeClocks made(2);
  made.offset = {0, 200'000};
  for (int n = 1; n <= 21; ++n) made.meet({0, 1}, n * 1'000'003, 0, true, n % 5 == 0 ? 400'000 : 0);
  const Job job = made.fitted();
  CHECK(std::abs(job.clocks[1].offset_ns - 200'000) < 150);
  CHECK(job.clocks[1].drift_ppm == 0);
  CHECK(job.clocks[1].residual_ns < 200);
}

TEST_CASE("clocks: of many collectives of a group so many are looked at, over all of its time") {
  MadeClocks made(2);
  made.drift_ppm = {0, 20};
  made.meet_often({0, 1}, 960, 10'000'003);
  const Job job = made.fitted();
  CHECK(job.clocks[1].samples == 96);
  CHECK(job.clocks[1].drift_ppm == doctest::Approx(20).epsilon(0.001));
  check_ends(job, 2);
}

TEST_CASE("clocks: the origin is the first step of the first rank that has one, else 0") {
  MadeClocks made(3);
  made.job().ranks[0].steps.clear();
  made.job().ranks[1].steps[0].start = kStart + 5;
  made.meet_often({0, 1, 2}, 5, 1'000'003);
  CHECK(made.fitted().origin == kStart + 5);
  MadeClocks none(2);
  for (JobRank& rank : none.job().ranks) rank.steps.clear();
  none.meet_often({0, 1}, 5, 1'000'003);
  CHECK(none.fitted().origin == 0);
  Job nothing;
  fit_clocks(nothing);
  CHECK(nothing.clocks.empty());
  CHECK(nothing.origin == 0);
}
