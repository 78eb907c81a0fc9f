// CPU quotas and killed processes of control groups, of both versions, by files like those of Linux.
#include "capture/metrics/cgroup_meter.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

struct Groups {
  TemporaryFolder folder;
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((std::filesystem::path(folder.path) / path).parent_path());
    folder.write(path, text);
  }
};

TEST_CASE("version 2: the tightest quota from the group outwards, and how often it held the program back") {
  Groups groups;
  groups.write("proc/7/cgroup", "0::/pod/box\n");
  groups.write("sys/fs/cgroup/pod/box/cgroup.procs", "7\n");
  groups.write("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
  groups.write("sys/fs/cgroup/pod/cpu.max", "20000 100000\n");
  groups.write("sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 10\nnr_throttled 5\nthrottled_usec 9\n");
  groups.write("sys/fs/cgroup/pod/box/memory.events", "low 0\noom 1\noom_kill 1\n");
  CgroupMeter meter(groups.folder.path);
  CgroupReading first = meter.read(7);
  CHECK(first.quota_cores == doctest::Approx(0.2));
  CHECK_FALSE(first.held_back);
  CHECK(first.killed == 0);  // before anybody looked
  groups.write("sys/fs/cgroup/pod/cpu.stat", "nr_periods 20\nnr_throttled 14\n");
  groups.write("sys/fs/cgroup/pod/box/memory.events", "low 0\noom 2\noom_kill 3\n");
  const CgroupReading second = meter.read(7);
  CHECK(second.held_back == doctest::Approx(0.9));
  CHECK(second.killed == 2);
}

TEST_CASE("version 1: the quota of the cpu controller; none where it is -1") {
  Groups groups;
  groups.write("proc/7/cgroup", "5:cpu,cpuacct:/box\n3:memory:/\n");
  groups.write("sys/fs/cgroup/cpu/box/cgroup.procs", "7\n");
  groups.write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000\n");
  groups.write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  groups.write("sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 4\nnr_throttled 4\n");
  CgroupMeter meter(groups.folder.path);
  CHECK(meter.read(7).quota_cores == doctest::Approx(0.5));
  CHECK(meter.read(7).held_back == doctest::Approx(0));
  groups.write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1\n");
  CHECK_FALSE(meter.read(7).quota_cores);
}

TEST_CASE("no control groups: nothing is said") {
  Groups groups;
  CgroupMeter meter(groups.folder.path);
  const CgroupReading reading = meter.read(7);
  CHECK_FALSE(reading.quota_cores);
  CHECK(reading.killed == 0);
}

}  // namespace
}  // namespace lacuna
