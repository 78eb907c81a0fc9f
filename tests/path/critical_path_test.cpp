#include "model/path/critical_path.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

constexpr Nanos kUs = 1000;

/// "name category lane duration" of each part, and that they cover the range.
std::vector<std::string> parts_of(const Trace& trace, const CriticalPath& path) {
  std::vector<std::string> texts;
  Nanos t = path.range.begin;
  for (const PathPart& part : path.parts) {
    CHECK(part.span.begin == t);
    CHECK(!part.span.empty());
    t = part.span.end;
    texts.push_back(std::string(path_name(trace, part)) + " " + std::string(path_category(trace, part)) + " " +
                    std::to_string(part.span.duration() / kUs));
  }
  CHECK(t == path.range.end);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the path goes from a synchronisation to the kernel that ended it, and to its launch") {
  TraceMaker make;
  make.thread("aten::mm", 0, 100 * kUs).launch("cudaLaunchKernel", 50 * kUs, 60 * kUs, 1);
  make.kernel("gemm", 65 * kUs, 300 * kUs, 1);
  make.launch("cudaDeviceSynchronize", 100 * kUs, 310 * kUs, 2);
  make.thread("aten::add", 310 * kUs, 320 * kUs);
  const Trace trace = make.build();
  CHECK(parts_of(trace, find_critical_path(trace, {})) ==
        Texts{"aten::mm cpu_op 50", "cudaLaunchKernel cuda_runtime 10", "gemm launch_latency 5", "gemm kernel 235",
              "cudaDeviceSynchronize cuda_runtime 10", "aten::add cpu_op 10"});
}

TEST_CASE("a queued kernel goes on with the one before it, one of another stream with what it waited for") {
  TraceMaker make;
  make.thread("aten::mm", 0, 40 * kUs).launch("cudaLaunchKernel", 10 * kUs, 15 * kUs, 1);
  make.launch("cudaLaunchKernel", 20 * kUs, 25 * kUs, 2).launch("cudaLaunchKernel", 30 * kUs, 35 * kUs, 3);
  make.kernel("a", 20 * kUs, 100 * kUs, 1).kernel("b", 103 * kUs, 200 * kUs, 2);
  make.kernel("c", 207 * kUs, 300 * kUs, 3, "20");
  const Trace trace = make.build();
  CHECK(parts_of(trace, find_critical_path(trace, {})) == Texts{"aten::mm cpu_op 10", "cudaLaunchKernel cuda_runtime 5",
                                                                "a launch_latency 5", "a kernel 80", "b queue 3",
                                                                "b kernel 97", "c queue 7", "c kernel 93"});
}

TEST_CASE("a blocking copy goes on with its own activity") {
  TraceMaker make;
  make.thread("aten::copy_", 0, 200 * kUs).launch("cudaMemcpyAsync", 20 * kUs, 190 * kUs, 1);
  make.kernel("Memcpy DtoH", 100 * kUs, 180 * kUs, 1, "7", "0", "gpu_memcpy");
  const Trace trace = make.build();
  // It waited inside its own call from its issue on.
  CHECK(parts_of(trace, find_critical_path(trace, {})) ==
        Texts{"aten::copy_ cpu_op 20", "cudaMemcpyAsync cuda_runtime 80", "Memcpy DtoH gpu_memcpy 80",
              "cudaMemcpyAsync cuda_runtime 10", "aten::copy_ cpu_op 10"});
}

TEST_CASE("a thread without operators goes on with the thread that worked meanwhile") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 1000 * kUs, "user_annotation").thread("aten::mm", 0, 100 * kUs);
  make.thread("MmBackward", 120 * kUs, 900 * kUs, "cpu_op", "2").thread("aten::add", 950 * kUs, 1000 * kUs);
  const Trace trace = make.build();
  CHECK(parts_of(trace, find_critical_path(trace, {})) ==
        Texts{"aten::mm cpu_op 100", "ProfilerStep#1 user_annotation 20", "MmBackward cpu_op 780",
              "ProfilerStep#1 user_annotation 50", "aten::add cpu_op 50"});
}

TEST_CASE("a thread that worked for half of the time without operators was waited for, one that did less was not") {
  for (const bool is_half : {false, true}) {
    TraceMaker make;
    make.thread("ProfilerStep#1", 0, 1000 * kUs, "user_annotation").thread("aten::mm", 0, 100 * kUs);
    make.thread("aten::add", 900 * kUs, 1000 * kUs);
    make.thread("MmBackward", (is_half ? 100 : 101) * kUs, 500 * kUs, "cpu_op", "2");
    const Trace trace = make.build();
    CHECK(parts_of(trace, find_critical_path(trace, {})) ==
          (is_half ? Texts{"aten::mm cpu_op 100", "MmBackward cpu_op 400", "ProfilerStep#1 user_annotation 400",
                           "aten::add cpu_op 100"}
                   : Texts{"aten::mm cpu_op 100", "ProfilerStep#1 user_annotation 800", "aten::add cpu_op 100"}));
  }
}

TEST_CASE("the profiler's span of its own recording is not on the path") {
  TraceMaker make;
  make.thread("aten::mm", 0, 100 * kUs);
  make.thread("PyTorch Profiler (0)", -5 * kUs, 120 * kUs, "Trace", "9");
  const Trace trace = make.build();
  CHECK(parts_of(trace, find_critical_path(trace, {})) == Texts{"aten::mm cpu_op 100"});
}

TEST_CASE("the path of a range is as long as the range") {
  TraceMaker make;
  make.thread("aten::mm", 10 * kUs, 100 * kUs);
  const Trace trace = make.build();
  CHECK(parts_of(trace, find_critical_path(trace, {.range = {0, 150 * kUs}, .source = {}, .thread = {}})) ==
        Texts{"(nothing recorded) idle 10", "aten::mm cpu_op 90", "(nothing recorded) idle 50"});
  CHECK(parts_of(trace, find_critical_path(trace, {.range = {20 * kUs, 30 * kUs}, .source = {}, .thread = {}})) ==
        Texts{"aten::mm cpu_op 10"});
  CHECK(find_critical_path(TraceMaker().build(), {}).parts.empty());
}

TEST_CASE("whatever the times, the path covers the range and ends") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 engine(seed);
    const auto roll = [&](int n) { return static_cast<Nanos>(engine() % static_cast<unsigned>(n)); };
    TraceMaker make;
    for (int i = 0; i < 60; ++i) {
      const Nanos start = roll(2000) * kUs;
      const auto correlation = static_cast<std::uint64_t>(roll(25));
      const std::string tid = std::to_string(1 + roll(3));
      switch (roll(4)) {
        case 0:
          make.thread("op", start, start + roll(300) * kUs, "cpu_op", tid);
          break;
        case 1:
          make.launch(roll(2) == 0 ? "cudaLaunchKernel" : "cudaStreamSynchronize", start, start + roll(100) * kUs,
                      correlation, tid);
          break;
        default:
          make.kernel("k", start, start + roll(3) * roll(100) * kUs, correlation, roll(2) == 0 ? "7" : "20");
      }
    }
    const Trace trace = make.build();
    (void)parts_of(trace, find_critical_path(trace, {}));
    (void)parts_of(trace, find_critical_path(trace, {.range = {100 * kUs, 1500 * kUs}, .source = {}, .thread = {}}));
  }
}

TEST_CASE("what ends at the moment when the next begins was waited for") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 10 * kUs, 1).launch("cudaLaunchKernel", 10 * kUs, 20 * kUs, 2);
  make.kernel("a", 10 * kUs, 100 * kUs, 1).kernel("b", 100 * kUs, 200 * kUs, 2);
  make.launch("cudaDeviceSynchronize", 20 * kUs, 200 * kUs, 3);
  make.thread("aten::add", 200 * kUs, 220 * kUs);
  const Trace trace = make.build();
  CHECK(parts_of(trace, find_critical_path(trace, {})) ==
        Texts{"cudaLaunchKernel cuda_runtime 10", "a kernel 90", "b kernel 100", "aten::add cpu_op 20"});
}
