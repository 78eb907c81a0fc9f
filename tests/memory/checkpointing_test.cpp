#include "model/holders/checkpointing.h"

#include <doctest/doctest.h>

#include "model/holders/trace_holders.h"
#include "model/import/importer.h"

namespace lacuna {
namespace {

std::string record_of_memory(int ts, int bytes, int total, int address) {
  return R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)" + std::to_string(ts) + R"(,"args":{"Bytes":)" +
         std::to_string(bytes) + R"(,"Device Type":1,"Device Id":0,"Addr":)" + std::to_string(address) +
         R"(,"Total Allocated":)" + std::to_string(total) + "}},";
}
std::string slice_of(const char* name, const char* category, int ts, int duration) {
  return std::string(R"({"ph":"X","pid":1,"tid":1,"cat":")") + category + R"(","name":")" + name + R"(","ts":)" +
         std::to_string(ts) + R"(,"dur":)" + std::to_string(duration) + "},";
}

/// Two modules keep 400 and 100 + 150 bytes for the backward pass; the second makes a temporary of 50.
std::string forward_and_backward() {
  return R"({"traceEvents":[)" + slice_of("nn.Module: A_0", "python_function", 0, 20) +
         slice_of("aten::mm", "cpu_op", 5, 10) + record_of_memory(7, 400, 1400, 1) +
         slice_of("nn.Module: B_0", "python_function", 20, 30) + slice_of("aten::relu", "cpu_op", 22, 20) +
         record_of_memory(24, 100, 1500, 2) + record_of_memory(26, 150, 1650, 3) + record_of_memory(28, 50, 1700, 4) +
         record_of_memory(30, -50, 1650, 4) + slice_of("autograd::engine: Backward", "cpu_op", 60, 30) +
         record_of_memory(70, -150, 1500, 3) + record_of_memory(75, -100, 1400, 2) +
         record_of_memory(80, -400, 1000, 1) + R"({"ph":"X","pid":1,"tid":1,"name":"end","ts":100,"dur":1}]})";
}

TEST_CASE("checkpointing: the activations of each module at a moment, temporaries left out") {
  const Result<Trace> trace = import_json(forward_and_backward(), "a.json");
  REQUIRE(trace.has_value());
  const auto all = read_memory_histories(*trace);
  REQUIRE(all.has_value());
  const MemoryHistory& history = *all->front();
  const Checkpointing peak = find_checkpoint_savings(history, history.table.peak());
  CHECK(peak.held == 1700);
  CHECK(peak.activations == 650);
  REQUIRE(peak.modules.size() == 2);
  CHECK(peak.modules[0].module == "nn.Module: A_0");
  CHECK(peak.modules[0].bytes == 400);
  CHECK(peak.modules[1].module == "nn.Module: B_0");
  CHECK(peak.modules[1].bytes == 250);
  CHECK(peak.modules[1].allocations == 2);
  CHECK(history.table.pieces[peak.modules[1].largest].bytes == 150);
  const Checkpointing after = find_checkpoint_savings(history, history.table.moments() - 1);
  CHECK(after.activations == 0);
  CHECK(after.modules.empty());
  CHECK(after.most_activations == 650);
  CHECK(after.most_at == 3);
}

TEST_CASE("checkpointing: of allocations as large as each other the first is the largest") {
  const Result<Trace> trace = import_json(
      R"({"traceEvents":[)" + slice_of("nn.Module: A_0", "python_function", 0, 40) +
          slice_of("aten::mm", "cpu_op", 5, 30) + record_of_memory(7, 100, 100, 1) + record_of_memory(9, 300, 400, 2) +
          record_of_memory(11, 300, 700, 3) + slice_of("autograd::engine: Backward", "cpu_op", 60, 30) +
          record_of_memory(70, -300, 400, 3) + record_of_memory(75, -300, 100, 2) + record_of_memory(80, -100, 0, 1) +
          R"({"ph":"X","pid":1,"tid":1,"name":"end","ts":100,"dur":1}]})",
      "a.json");
  REQUIRE(trace.has_value());
  const auto all = read_memory_histories(*trace);
  REQUIRE(all.has_value());
  const MemoryHistory& history = *all->front();
  const Checkpointing peak = find_checkpoint_savings(history, history.table.peak());
  REQUIRE(peak.modules.size() == 1);
  CHECK(peak.modules[0].allocations == 3);
  CHECK(history.table.pieces[peak.modules[0].largest].address == 2);
}

}  // namespace
}  // namespace lacuna
