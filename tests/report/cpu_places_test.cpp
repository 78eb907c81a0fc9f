// What stands for its kind in a report on a process without a GPU: the longest, of equals the first, inside the window.

#include <string>

#include <doctest/doctest.h>

#include "model/report/report.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

constexpr Nanos kPlaceUs = 1000;

/// One step of 1 ms; what is before and after it is not in the window. Times in us.
class MadePlaces {
 public:
  MadePlaces() { make_.thread("ProfilerStep#1", 1'000 * kPlaceUs, 2'000 * kPlaceUs, "user_annotation"); }
  MadePlaces& op(std::string_view name, Nanos begin, Nanos end, std::string_view category = "cpu_op") {
    make_.thread(name, begin * kPlaceUs, end * kPlaceUs, category);
    return *this;
  }
  CpuReport report() {
    trace = make_.build();
    return compute_report(trace, SourceId{0}).cpu;
  }
  Nanos begin(SliceId slice) const { return slice.valid() ? trace.span(slice).begin / kPlaceUs : -1; }
  Trace trace;

 private:
  TraceMaker make_;
};

}  // namespace

TEST_CASE("CPU places: the longest operators of each family, inside the window") {
  MadePlaces made;
  made.op("aten::mm", 0, 900).op("aten::copy_", 910, 990);
  made.op("aten::mm", 1100, 1120).op("aten::mm", 1200, 1250).op("aten::addmm", 1300, 1350);
  made.op("aten::copy_", 1400, 1410).op("aten::cat", 1500, 1530).op("aten::clone", 1600, 1630);
  made.op("aten::mm", 2100, 2900);
  const CpuReport cpu = made.report();
  CHECK(made.begin(cpu.longest_matrix) == 1200);
  CHECK(made.begin(cpu.longest_copy) == 1500);
  CHECK(cpu.calls == 6);
  CHECK(cpu.own_time == 190 * kPlaceUs);
  CHECK(cpu.matrix == 120 * kPlaceUs);
  CHECK(cpu.copies == 70 * kPlaceUs);
}

TEST_CASE("CPU places: calls are short below 10 us of their own") {
  MadePlaces made;
  made.op("aten::add", 1100, 1110)
      .op("aten::mul", 1200, 1209)
      .op("aten::outer", 1300, 1329)
      .op("aten::inner", 1305, 1325);
  const CpuReport cpu = made.report();
  CHECK(cpu.short_count == 2);  // mul, and outer without inner
  CHECK(cpu.short_calls == 18 * kPlaceUs);
}

TEST_CASE("CPU places: waits for data and for other processes") {
  MadePlaces made;
  const char* const own = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  const char* const workers = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  made.op(own, 1100, 1120, "user_annotation").op(workers, 1200, 1240, "user_annotation");
  made.op(own, 1300, 1340, "user_annotation").op("gloo:all_reduce", 1400, 1410, "user_annotation");
  made.op("gloo:broadcast", 1500, 1530, "user_annotation").op("aten::add", 1600, 1650);
  const CpuReport cpu = made.report();
  CHECK(made.begin(cpu.longest_data) == 1200);
  CHECK(made.begin(cpu.longest_collective) == 1500);
  CHECK(cpu.data_waits == 3);
  CHECK(cpu.data_from_workers == 40 * kPlaceUs);
  CHECK(cpu.use.at(CpuKind::kDataLoading) == 100 * kPlaceUs);
  CHECK(cpu.use.at(CpuKind::kCollectives) == 40 * kPlaceUs);
}

TEST_CASE("CPU places: gaps between operators, short below 1 ms") {
  TraceMaker make;
  Nanos t = 0;
  for (const Nanos gap : {30, 999, 50, 1000, 999, 1500, 20}) {
    make.thread("aten::add", t * kPlaceUs, (t + 10) * kPlaceUs);
    t += 10 + gap;
  }
  const Trace trace = make.thread("aten::add", t * kPlaceUs, (t + 10) * kPlaceUs).build();
  const CpuReport cpu = compute_report(trace, SourceId{0}).cpu;
  CHECK(cpu.short_gaps == 5);
  CHECK(cpu.long_gaps == 2);
  CHECK(cpu.median_gap == 50 * kPlaceUs);
  CHECK(cpu.longest_short_gap == TimeSpan{50 * kPlaceUs, 1049 * kPlaceUs});  // the first of equals
  CHECK(cpu.longest_long_gap.duration() == 1500 * kPlaceUs);
}

TEST_CASE("CPU places: frames have the longest stretch of their own, the first of equals") {
  MadePlaces made;
  made.op("train.py(7): loop", 1000, 2000, "python_function");
  made.op("aten::mm", 1100, 1200).op("aten::mm", 1400, 1500).op("aten::mm", 1700, 2000);
  const CpuReport cpu = made.report();
  REQUIRE(cpu.frames.size() == 1);
  CHECK(cpu.frames[0].time == 500 * kPlaceUs);
  CHECK(cpu.frames[0].places == 3);
  CHECK(cpu.frames[0].longest == TimeSpan{1200 * kPlaceUs, 1400 * kPlaceUs});
  CHECK(made.begin(cpu.frames[0].slice) == 1000);
  CHECK_FALSE(cpu.frames[0].waits);
}
