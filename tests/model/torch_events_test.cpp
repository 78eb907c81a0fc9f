#include "model/torch/torch_events.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/model/torch_support.h"

using namespace lacuna;

namespace {

std::vector<std::string> names_of_events(const TorchEvents& events) {
  std::vector<std::string> result;
  for (std::uint32_t i = 0; i < events.size(); ++i) result.emplace_back(events.names().text(events.name(i)));
  return result;
}

std::uint32_t find(const TorchEvents& events, std::string_view name) {
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (events.names().text(events.name(i)) == name) return i;
  FAIL("no event ", std::string(name));
  return 0;
}

using EventNames = std::vector<std::string>;

}  // namespace

TEST_CASE("order: by start, longest first, else as in the file, over all threads and streams") {
  const Trace trace = TorchTrace()
                          .kernel("k", 50, 60)
                          .op("late", 70, 80)
                          .op("a", 0, 100, 0, 2)
                          .op("b", 0, 100, 0, 1)
                          .op("longer", 0, 200, 0, 3)
                          .op("inside", 50, 60)
                          .load();
  CHECK(names_of_events(TorchEvents(trace)) == EventNames{"longer", "a", "b", "k", "inside", "late"});
}

TEST_CASE("crossing events keep their order, too") {
  const Trace trace =
      TorchTrace().op("a", 0, 100).op("b", 50, 150).op("c", 60, 90).op("d", 120, 140).op("e", 160, 170).load();
  CHECK(names_of_events(TorchEvents(trace)) == EventNames{"a", "b", "c", "d", "e"});
}

TEST_CASE("times count from torch's span, in us as double") {
  const Trace trace = TorchTrace().op("a", 1234, 2235).span(5000).load();
  const TorchEvents events(trace);
  REQUIRE(events.size() == 1);  // the span is no event
  CHECK(events.start(0) == 1234);
  CHECK(events.end(0) == 2235);
  CHECK(events.elapsed_us(0) == 2.235 - 1.234);
  const Trace other = TorchTrace().op("a", 1234, 2235).op("b", 3000, 4000).load();
  CHECK(TorchEvents(other).start(1) == 3000 - 1234);  // no span: from the first event
}

TEST_CASE("torch's bookkeeping is left out, names are rewritten") {
  const Trace trace = TorchTrace()
                          .op("aten::is_leaf", 0, 10)
                          .op("aten::output_nr", 10, 20)
                          .op("aten::_version", 20, 30)
                          .op("profiler::_record_function_enter", 30, 40)
                          .op("profiler::_record_function_enter_new", 40, 50)
                          .op("profiler::_record_function_exit", 50, 60)
                          .annotation("ProfilerStep#12", 60, 70)
                          .op("_ZN6lacuna5traceEi", 70, 80)
                          .op("i", 80, 90)    // would demangle to "int"
                          .op("Pi", 90, 100)  // does
                          .load();
  CHECK(names_of_events(TorchEvents(trace)) == EventNames{"ProfilerStep*", "lacuna::trace(int)", "i", "int*"});
}

TEST_CASE("kinds follow the category") {
  const Trace trace = TorchTrace()
                          .op("op", 0, 1)
                          .annotation("annotation", 1, 2)
                          .python("python", 2, 3)
                          .runtime("runtime", 3, 4)
                          .other("overhead", "overhead", 4, 5)
                          .other("something", "other", 5, 6)
                          .kernel("kernel", 6, 7)
                          .kernel("copy", 7, 8, 0, 7, "gpu_memcpy")
                          .kernel("set", 8, 9, 0, 7, "gpu_memset")
                          .kernel("sync", 9, 10, 0, 7, "cuda_sync")
                          .kernel("range", 10, 11, 0, 7, "cuda_profiler_range")
                          .gpu_annotation("gpu annotation", 12, 13)
                          .load();
  const TorchEvents events(trace);
  using enum TorchKind;
  const auto kind = [&](std::string_view name) { return events.kind(find(events, name)); };
  CHECK(kind("op") == kOperator);
  CHECK(kind("annotation") == kAnnotation);
  CHECK(kind("python") == kPython);
  CHECK(kind("runtime") == kRuntime);
  CHECK(kind("overhead") == kRuntime);
  CHECK(kind("other") == kOtherCpu);
  CHECK(kind("kernel") == kGpuWork);
  CHECK(kind("copy") == kGpuWork);
  CHECK(kind("set") == kGpuWork);
  CHECK(kind("sync") == kGpuOther);
  CHECK(kind("range") == kGpuOther);
  CHECK(kind("gpu annotation") == kGpuAnnotation);
  CHECK(events.device_name() == "CUDA");
}

TEST_CASE("a GPU of another make is named by its calls") {
  CHECK(TorchEvents(TorchTrace().other("xpu_runtime", "zeCall", 0, 1).kernel("k", 0, 1).load()).device_name() == "XPU");
  CHECK(TorchEvents(TorchTrace().other("xpu_runtime", "zeCall", 0, 1).load()).device_name().empty());
}

TEST_CASE("calls belong to the thread of their operator, or to the one that stopped the profiler") {
  const Trace trace = TorchTrace()
                          .op("early", 0, 10, 0, 5)
                          .annotation("ProfilerStep#3", 10, 1000, 1, 3)
                          .op("op", 100, 200, 2, 4)
                          .runtime("linked", 120, 130, 2, 9)
                          .runtime("unlinked", 300, 310, 0, 9)
                          .runtime("linked to nothing", 320, 330, 77, 9)
                          .other("overhead", "Buffer Flush", 400, 410, "0")
                          .load();
  const TorchEvents events(trace);
  const auto thread = [&](std::string_view name) { return events.thread(find(events, name)); };
  CHECK(thread("linked") == thread("op"));
  CHECK(thread("unlinked") == thread("ProfilerStep*"));
  CHECK(thread("linked to nothing") == thread("ProfilerStep*"));
  CHECK(thread("Buffer Flush") == thread("ProfilerStep*"));
  CHECK(thread("early") != thread("op"));
}

TEST_CASE("without steps the main thread stopped the profiler, else the first") {
  // Process 1: its main thread is 1.
  const Trace main = TorchTrace().op("other", 0, 10, 0, 5).op("main", 20, 30).runtime("call", 25, 26, 0, 9).load();
  const TorchEvents a(main);
  CHECK(a.thread(find(a, "call")) == a.thread(find(a, "main")));
  const Trace threads =
      TorchTrace().op("first", 0, 10, 0, 5).op("second", 20, 30, 0, 6).runtime("call", 25, 26, 0, 9).load();
  const TorchEvents b(threads);
  CHECK(b.thread(find(b, "call")) == b.thread(find(b, "first")));
  const Trace none = TorchTrace().runtime("call", 25, 26, 0, 9).load();
  CHECK(TorchEvents(none).size() == 1);
}

TEST_CASE("work belongs to the operator that its External id names; annotations never do") {
  const Trace trace = TorchTrace()
                          .annotation("step", 0, 1000, 1)
                          .op("op", 100, 200, 2)
                          .kernel("kernel", 300, 400, 2)
                          .kernel("copy", 500, 600, 2, 7, "gpu_memcpy")
                          .kernel("unlinked", 700, 800)
                          .kernel("linked to nothing", 800, 900, 99)
                          .gpu_annotation("step", 300, 900, 1)
                          .kernel("sync of the op", 910, 920, 2, 7, "cuda_sync", R"("correlation": 5)")
                          .kernel("sync of nobody", 930, 940, 2, 7, "cuda_sync", R"("correlation": 2)")
                          .load();
  const TorchEvents events(trace);
  std::vector<std::string> linked;
  for (const auto& [op, work] : events.launches()) {
    CHECK(op == find(events, "op"));
    linked.emplace_back(events.names().text(events.name(work)));
  }
  CHECK(linked == EventNames{"kernel", "copy", "sync of the op"});
}

TEST_CASE("what Kineto adds to GPU annotations is undone where they then meet kernels") {
  const Trace shifted = TorchTrace().kernel("a", 100, 200).kernel("b", 300, 400).gpu_annotation("g", 100, 400).load();
  const TorchEvents events(shifted);
  const std::uint32_t g = find(events, "g");
  CHECK(events.end(g) - events.start(g) == 300);
  CHECK(names_of_events(events) == EventNames{"g", "a", "b"});  // longer than the kernel that starts with it

  TorchTrace plain;  // another writer: no shift
  plain.kernel("a", 100, 200).kernel("b", 300, 400).gpu_annotation("g", 101, 399);
  const Trace as_is = plain.load();
  const TorchEvents unshifted(as_is);
  const std::uint32_t i = find(unshifted, "g");
  CHECK(unshifted.end(i) - unshifted.start(i) == 300);

  TorchTrace older;  // whole us: 1 us early, 1 us longer
  older.kernel("a", 10'000, 20'000).gpu_annotation("g", 9'001, 19'999);
  const Trace old = older.load();
  const TorchEvents in_us(old);
  CHECK(in_us.end(find(in_us, "g")) - in_us.start(find(in_us, "g")) == 10'000);
}

TEST_CASE("operators that were open at the end are asynchronous and end with what is around them") {
  constexpr const char* kOpen = R"("finished": false)";
  const Trace trace = TorchTrace()
                          .python("frame", 0, 800)
                          .annotation("open in a frame", 100, 9000, 1, 1, kOpen)
                          .op("after it", 200, 300)
                          .annotation("open alone", 900, 9000, 2, 1, kOpen)
                          .annotation("late, but finished", 950, 9100, 3)
                          .span(1000)
                          .load();
  const TorchEvents events(trace);
  const std::uint32_t inside = find(events, "open in a frame"), alone = find(events, "open alone");
  CHECK(events.is_async(inside));
  CHECK(events.end(inside) == 800);
  CHECK(events.is_async(alone));
  CHECK(events.end(alone) == 1000);
  CHECK_FALSE(events.is_async(find(events, "after it")));
  CHECK_FALSE(events.is_async(find(events, "late, but finished")));
}

TEST_CASE("a range keeps what starts in it") {
  const Trace trace = TorchTrace().op("a", 0, 1000, 1).op("b", 500, 600, 2).kernel("k", 1500, 1600, 2).load();
  const Nanos zero = TorchTrace::kOrigin;
  CHECK(names_of_events(TorchEvents(trace, {zero + 500, zero + 1500})) == EventNames{"b"});
  CHECK(names_of_events(TorchEvents(trace, {zero, zero + 500})) == EventNames{"a"});
}

TEST_CASE("empty traces") {
  const Trace trace = TorchTrace().span(10).load();
  CHECK(TorchEvents(trace).size() == 0);
  CHECK(TorchEvents(Trace()).size() == 0);
}

TEST_CASE("ids that are all correlations name no operator: work belongs to the operator around its launch") {
  const auto owner = [](int correlation_of_other) {
    TorchTrace t;
    t.op("aten::view", 0, 5, 7).op("aten::addmm", 10, 50, 3);
    t.runtime("cudaLaunchKernel", 20, 30, 7, 1, R"("correlation": 7)");
    t.runtime("cudaFree", 40, 42, 8, 1, fmt::format(R"("correlation": {})", correlation_of_other));
    t.kernel("gemm", 60, 90, 7, 7, "kernel", R"("correlation": 7)");
    const Trace trace = t.load();
    const TorchEvents events(trace);
    REQUIRE(events.launches().size() == 1);
    return std::string(events.names().text(events.name(events.launches()[0].op)));
  };
  CHECK(owner(8) == "aten::addmm");
  CHECK(owner(9) == "aten::view");  // torch's own ids
}
