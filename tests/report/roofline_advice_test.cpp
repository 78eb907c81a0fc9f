// Operators of a busy GPU by what would make them faster, and the advice that follows.

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/report/advice.h"

using namespace lacuna;

namespace {

/// Operators that each launch one kernel of the operator's name, back to back on one stream.
class BusyGpu {
 public:
  explicit BusyGpu(std::string gpu = "NVIDIA H100 80GB HBM3") : gpu_(std::move(gpu)) {}

  BusyGpu& call(const char* name, const char* dims, const char* type, Nanos gpu_us) {
    events_ += fmt::format(
        R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":2,"args":{{"Input Dims":{},"Input type":)"
        R"(["{}","{}"],"Concrete Inputs":["",""],"Input Strides":[[],[]]}}}},)"
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":1,"args":)"
        R"({{"correlation":{}}}}},{{"ph":"X","cat":"kernel","name":"kernel of {}","pid":0,"tid":7,"ts":{},"dur":{},)"
        R"("args":{{"correlation":{},"device":0,"stream":7}}}},)",
        name, 4 * calls_, dims, type, type, 4 * calls_ + 1, calls_ + 1, name, gpu_begin_, gpu_us, calls_ + 1);
    ++calls_;
    gpu_begin_ += gpu_us;
    return *this;
  }
  BusyGpu& idle(Nanos us) {
    gpu_begin_ += us;
    return *this;
  }
  Trace trace() const {
    auto trace = import_json(fmt::format(R"({{"deviceProperties":[{{"id":0,"name":"{}","computeMajor":9}}],)"
                                         R"("traceEvents":[{}{{"ph":"M","name":"x","pid":1}}]}})",
                                         gpu_, events_));
    REQUIRE(trace.has_value());
    return std::move(*trace);
  }

 private:
  std::string gpu_, events_;
  Nanos calls_ = 0, gpu_begin_ = 100;
};

std::string kernels_of(const Trace& trace, const RooflineReport::Part& part) {
  std::string text;
  for (const auto& [name, after] : part.kernels) text += fmt::format("{} {:.2f};", trace.text(name), after);
  return text;
}

constexpr const char* kHalf = "c10::BFloat16";

BusyGpu one_of_each(BusyGpu gpu = BusyGpu()) {
  return gpu
      .call("aten::mul", "[[8192,8192],[8192,8192]]", "float", 500)    // 240 us at 3352 GB/s
      .call("aten::mv", "[[8192,8192],[8192]]", kHalf, 50)             // 40 us, likewise
      .call("aten::bmm", "[[1,4096,4096],[1,4096,4096]]", kHalf, 556)  // 139 us at 989.4 TFLOP/s: a quarter
      .call("aten::mm", "[[8192,8192],[8192,8192]]", kHalf, 1400)      // 1,111 us, likewise
      .call("aten::add", "[[1024],[1024]]", "float", 3);
}

}  // namespace

TEST_CASE("operators of a busy GPU by what would make them faster") {
  const Trace trace = one_of_each().trace();
  const Report report = compute_report(trace, SourceId{0});
  const RooflineReport& parts = report.roofline;
  CHECK(parts.fusible.time == 500'000);
  CHECK(parts.memory_product.time == 50'000);
  CHECK(parts.slow_product.time == 556'000);
  CHECK(parts.half_product.time == 1'400'000);
  CHECK(parts.tiny.time == 3'000);
  CHECK(kernels_of(trace, parts.fusible) == "kernel of aten::mul 0.50;");
  CHECK(kernels_of(trace, parts.memory_product) == "kernel of aten::mv 0.50;");
  CHECK(kernels_of(trace, parts.slow_product) == "kernel of aten::bmm 0.50;");
  CHECK(kernels_of(trace, parts.half_product) == "kernel of aten::mm 0.50;");
  CHECK(kernels_of(trace, parts.tiny) == "kernel of aten::add 0.50;");
  CHECK(trace.name(parts.half_product.longest) == "aten::mm");
  const AdviceFacts facts = advice_facts(trace, report);  // of a window that begins 100 us before the GPU does
  CHECK(facts.fusible == doctest::Approx(500.0 / 2609));
  CHECK(facts.memory_product == doctest::Approx(50.0 / 2609));
  CHECK(facts.slow_product == doctest::Approx(556.0 / 2609));
  CHECK(facts.half_product == doctest::Approx(1400.0 / 2609));
  CHECK(facts.tiny_kernels == doctest::Approx(3.0 / 2609));
}

TEST_CASE("advice by the roofline has a place and a gain") {
  const Trace trace = one_of_each().trace();
  std::string given;
  for (const AdviceGiven& advice : compute_report(trace, SourceId{0}).advice) {
    const std::string_view key = advice_rules()[advice.rule].key;
    if (key != "fuse" && key != "largerTiles" && key != "lowerPrecision") continue;
    REQUIRE(advice.places.size() == 1);
    REQUIRE(advice.gain);
    given += fmt::format("{} {} {};", key, trace.name(advice.places[0].slice), *advice.gain / 1000);
  }
  CHECK(given == "lowerPrecision aten::mm 700;largerTiles aten::bmm 278;fuse aten::mul 250;");
}

TEST_CASE("nothing is said of operators where GPUs are idle, or their peaks or shapes are not known") {
  for (const BusyGpu& gpu :
       {one_of_each(BusyGpu("Some GPU of tomorrow")), one_of_each(BusyGpu().call("aten::mul", "[]", "", 1).idle(900)),
        BusyGpu().call("aten::mul", "[]", "", 500)}) {
    const Trace trace = gpu.trace();
    const RooflineReport parts = compute_report(trace, SourceId{0}).roofline;
    for (const RooflineReport::Part* part :
         {&parts.fusible, &parts.memory_product, &parts.slow_product, &parts.half_product, &parts.tiny})
      CHECK(part->time == 0);
  }
}
