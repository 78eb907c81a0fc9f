// Twice the job, at most two and a half times the cost.

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "app/cli/job.h"
#include "tests/job/job_maker.h"
#include "tests/support/counted_memory.h"
#include "tests/support/growth_check.h"
#include "tests/support/skip.h"

using namespace lacuna;

TEST_CASE("a job of twice the ranks, steps or collectives costs two and a half times as much at most") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  struct GrownJob {
    const char* dimension;
    std::function<void(JobMaker&, int)> grow;
  };
  for (const GrownJob& grown : {GrownJob{"ranks", [](JobMaker&make, int n) { make.ranks = 8 * n; }},
                                GrownJob{"steps", [](JobMaker&make, int n) { make.steps = 10 * n; }},
                                GrownJob{"collectives of a step", [](JobMaker&make, int n) { make.layers = 10 * n; }},
                                GrownJob{"collectives without arguments", [](JobMaker&make, int n) {
                                           make.layers = 10 * n;
                                           make.has_group_arguments = false;
                                         }}}) {
    std::vector<JobRank> ranks[2];
    for (std::size_t large = 0; large < 2; ++large) {
      JobMaker make;
      make.slow_gpu = 1;
      make.slow_data = 2;
      make.slow_data_step = 1;
      make.clock_us = {0, 5000};
      grown.grow(make, large == 0 ? 1 : static_cast<int>(kGrowth));
      ranks[large] = make.reduce();
    }
    const auto check = [&](const char* what, const std::function<void(const Job&, Output&)>& write) {
      check_growth(fmt::format("{}: {}", grown.dimension, what), [&](bool is_large, std::string& answer) {
        Output out(answer);
        write(analyse_job(ranks[is_large ? 1 : 0]), out);
        REQUIRE(out.finish().has_value());
      });
    };
    check("job --json", write_job_json);
    check("job --html", write_job_html);
    check("job --csv", [](const Job& job, Output& out) { write_job_csv(job, "collectives", out); });
  }
}
