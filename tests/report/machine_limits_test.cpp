// What counters beside a recording say of the machine.

#include "model/report/machine_limits.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/trace/hardware_tracks.h"

using namespace lacuna;

namespace {

/// Counters of the program and of the machine; times in us.
class MadeMachine {
 public:
  MadeMachine& sample(std::string_view counter, std::string_view series, int at, double value,
                      std::uint32_t pid = 4711) {
    events_ += fmt::format(R"({}{{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"{}":{}}}}})",
                           events_.empty() ? "" : ",", counter, pid, at, series, value);
    return *this;
  }
  MachineLimits read(int begin, int end, std::uint32_t source = 0) const {
    const Result<Trace> trace = import_json(fmt::format(R"({{"traceEvents":[{}]}})", events_));
    REQUIRE(trace.has_value());
    return read_machine_limits(*trace, SourceId{source}, {begin * Nanos{1000}, end * Nanos{1000}});
  }

 private:
  std::string events_;
};

}  // namespace

TEST_CASE("machine: each counter has its own meaning; percents are parts") {
  MadeMachine made;
  made.sample(kQuotaCounter, kQuotaSeries, 100, 250).sample(kQuotaCounter, kHeldBackSeries, 100, 40);
  made.sample(kProgramCpuCounter, kProgramCpuSeries, 100, 180);
  made.sample(kFaultsCounter, kFaultsSeries, 100, 5000).sample(kFaultsCounter, kDiskFaultsSeries, 100, 30);
  for (int core = 0; core < 3; ++core) made.sample("Core " + std::to_string(core), "% busy", 100, 50, kCoresPid);
  const MachineLimits limits = made.read(0, 100);
  CHECK(limits.cores == 3);
  CHECK(limits.quota_cores == 2.5);
  CHECK(limits.throttled == 0.4);
  CHECK(limits.program_cores == 1.8);
  CHECK(limits.faults_per_second == 5000);
  CHECK(limits.disk_faults_per_second == 30);
  CHECK(limits.least_usable_cores() == 2.5);
}

TEST_CASE("machine: without counters nothing is known, nor from those of another file") {
  for (const MachineLimits& limits : {MadeMachine().sample("memory", "bytes", 100, 5).read(0, 100),
                                      MadeMachine().sample(kQuotaCounter, kQuotaSeries, 100, 250).read(0, 100, 1),
                                      MadeMachine().sample(kQuotaCounter, kQuotaSeries, 100, 250).read(200, 300)}) {
    CHECK(limits.cores == 0);
    CHECK_FALSE(limits.quota_cores);
    CHECK(limits.program_cores == 0);
    CHECK(limits.least_usable_cores() == 0);
  }
}

TEST_CASE("machine: a sample is the mean since the one before, the first since the window's begin") {
  MadeMachine made;
  made.sample(kProgramCpuCounter, kProgramCpuSeries, 100, 100);
  made.sample(kProgramCpuCounter, kProgramCpuSeries, 200, 300);
  made.sample(kProgramCpuCounter, kProgramCpuSeries, 400, 600);
  CHECK(made.read(0, 400).program_cores == (100.0 * 1 + 100 * 3 + 200 * 6) / 400);
  CHECK(made.read(150, 250).program_cores == (50.0 * 3 + 50 * 6) / 100);
  CHECK(made.read(0, 900).program_cores == 4);  // what comes after the last one is not known
  CHECK(made.read(50, 100).program_cores == 1);
}

TEST_CASE("machine: CPUs that can be used") {
  MachineLimits limits;
  CHECK(limits.least_usable_cores() == 0);
  limits.quota_cores = 2;
  CHECK(limits.least_usable_cores() == 2);
  limits.cores = 4;
  CHECK(limits.least_usable_cores() == 2);
  limits.quota_cores = 8;
  CHECK(limits.least_usable_cores() == 4);
  limits.quota_cores = std::nullopt;
  CHECK(limits.least_usable_cores() == 4);
}
