#include "model/report/memory_timeline.h"

#include <array>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"

namespace lacuna {
namespace {

/// [memory] records on threads of process 1, whose operators are told apart by their names; times in us.
class Recorded {
 public:
  Recorded& op(const char* name, int tid, int begin, int end) {
    events_ += fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":{},"ts":{},"dur":{}}},)", name, tid,
                           begin, end - begin);
    return *this;
  }
  Recorded& memory(int ts, int bytes, const std::string& totals, int tid = 1, int type = 1, int device = 0,
                   const char* name = "[memory]") {
    events_ += fmt::format(
        R"({{"ph":"i","s":"t","name":"{}","pid":1,"tid":{},"ts":{},"args":{{"Bytes":{},"Device Type":{},"Device Id":{}{}}}}},)",
        name, tid, ts, bytes, type, device, totals);
    return *this;
  }
  const Trace& read() {
    Result<Trace> read =
        import_json(R"({"traceEvents":[)" + events_ + R"({"ph":"X","pid":1,"tid":1,"name":"end","ts":900,"dur":1}]})");
    REQUIRE(read.has_value());
    trace_ = std::move(*read);
    return trace_;
  }
  std::vector<MemoryTimeline> timelines() {
    auto timelines = read_memory_timelines(read(), SourceId{0});
    REQUIRE(timelines.has_value());
    return std::move(*timelines);
  }

 private:
  std::string events_;
  Trace trace_;
};

std::string totals(int allocated, int reserved) {
  return fmt::format(R"(,"Total Allocated":{},"Total Reserved":{})", allocated, reserved);
}

TEST_CASE("memory over time: totals of the file, the first highest moment and the operator then") {
  Recorded made;
  made.op("aten::low", 1, 0, 50).op("aten::peak", 2, 60, 100).op("aten::again", 1, 150, 200);
  made.memory(10, 100, totals(100, 1000)).memory(70, 300, totals(400, 2000), 2).memory(80, -50, totals(350, 1500), 2);
  made.memory(160, 50, totals(400, 1500)).memory(170, 0, totals(400, 1500));
  const auto all = made.timelines();
  REQUIRE(all.size() == 1);
  const MemoryTimeline& gpu = all.front();
  CHECK(gpu.is_gpu);
  CHECK(gpu.device == 0);
  CHECK(gpu.is_absolute);
  CHECK(gpu.times == std::vector<Nanos>{10'000, 70'000, 80'000, 160'000, 170'000});
  CHECK(gpu.allocated == std::vector<std::int64_t>{100, 400, 350, 400, 400});
  CHECK(gpu.reserved == std::vector<std::int64_t>{1000, 2000, 1500, 1500, 1500});
  CHECK(gpu.peak == 1);
  CHECK(gpu.peak_reserved == 2000);
  CHECK(gpu.allocations == 3);
  CHECK(made.read().name(gpu.peak_operator) == "aten::peak");
}

TEST_CASE("memory over time: sums where the file has no totals, what is reserved only where it says so") {
  Recorded made;
  made.memory(10, 100, "").memory(20, 200, R"(,"Total Reserved":50)").memory(30, -250, "");
  const MemoryTimeline gpu = made.timelines().front();
  CHECK_FALSE(gpu.is_absolute);
  CHECK(gpu.allocated == std::vector<std::int64_t>{100, 300, 50});
  CHECK(gpu.reserved == std::vector<std::int64_t>{0, 50, 50});
  CHECK(gpu.peak == 1);
  CHECK(Recorded().memory(10, 100, "").timelines().front().reserved.empty());
}

TEST_CASE("memory over time: a timeline a device, GPUs of each maker first, by index, the CPU last") {
  for (const int type : {1, 6, 12, 20}) {
    Recorded made;
    made.memory(10, 5, totals(5, 5), 1, 0).memory(20, 6, totals(6, 6), 1, type, 1).memory(30, 7, totals(7, 7), 1, type);
    made.memory(40, 8, totals(13, 13), 1, 0).memory(50, 1, totals(1, 1), 1, type, 1, "[OutOfMemory]");
    const auto all = made.timelines();
    REQUIRE(all.size() == 3);
    const std::array<bool, 3> is_gpu{all[0].is_gpu, all[1].is_gpu, all[2].is_gpu};
    CHECK(is_gpu == std::array<bool, 3>{true, true, false});
    CHECK(all[0].allocated == std::vector<std::int64_t>{7});
    CHECK(all[1].allocated == std::vector<std::int64_t>{6});
    CHECK(all[1].device == 1);
    CHECK(all[1].out_of_memory == 1);
    CHECK(all[0].out_of_memory == 0);
    CHECK(all[2].device == -1);
    CHECK(all[2].allocated == std::vector<std::int64_t>{5, 13});
  }
  for (const int type : {0, 2, 5, 7, 11, 13, 19, 21})
    CHECK_FALSE(Recorded().memory(10, 5, totals(5, 5), 1, type).timelines().front().is_gpu);
}

TEST_CASE("memory over time: of the file that is asked for, and none without records") {
  Recorded made;
  made.memory(10, 5, totals(5, 5));
  const Trace& trace = made.read();
  CHECK(read_memory_timelines(trace, SourceId{0})->size() == 1);
  CHECK(read_memory_timelines(trace, SourceId{1})->empty());
  CHECK(Recorded().op("aten::mm", 1, 0, 10).timelines().empty());
}

}  // namespace
}  // namespace lacuna
