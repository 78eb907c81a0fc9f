// Kernels as a whole: what a report says of occupancy, grids, classes and matrix products.

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/report/report.h"
#include "model/report/report_words.h"
#include "render/format.h"

using namespace lacuna;

namespace {

/// GPU work; times in us.
class MadeKernels {
 public:
  MadeKernels& add(std::string_view name, int start, int end, const std::string& args = {}, int device = 0,
                   std::string_view category = "kernel") {
    events_ += fmt::format(
        R"(,{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":7,"ts":{},"dur":{},"args":{{"device":{},"stream":7{}}}}})",
        category, name, device, start, end - start, device, args.empty() ? "" : "," + args);
    return *this;
  }
  MadeKernels& occupied(std::string_view name, int start, int end, double percent, double blocks) {
    return add(name, start, end, fmt::format(R"("est. achieved occupancy %":{},"blocks per SM":{})", percent, blocks));
  }
  Report report() {
    Result<Trace> read = import_json(fmt::format(
        R"({{"traceEvents":[{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":9,"tid":9,"ts":0,)"
        R"("dur":1000}}{}]}})",
        events_));
    REQUIRE(read.has_value());
    trace = std::move(*read);
    return compute_report(trace, SourceId{0});
  }
  Trace trace;

 private:
  std::string events_;
};

constexpr Nanos kKernelUs = 1000;

}  // namespace

TEST_CASE("kernels: occupancy is a mean by time, of the part of it that is known") {
  MadeKernels made;
  made.occupied("add", 0, 10, 100, 2).occupied("add", 20, 50, 20, 2).add("mul", 60, 80);
  made.occupied("ncclDevKernel_AllReduce", 100, 200, 5, 0.1);
  const Report report = made.report();
  CHECK(report.kernel.occupancy == doctest::Approx((100.0 * 10 + 20 * 30) / 40));
  CHECK(report.kernel.occupancy_known == doctest::Approx(40.0 / 60));  // collectives do not compute
  CHECK(report.missing.has_occupancy);
  for (const ReportKernel& row : report.kernels) {
    const std::string_view name = made.trace.text(row.name);
    if (name == "add") CHECK(row.occupancy == doctest::Approx(40));
    if (name == "mul") CHECK(row.occupancy < 0);
    if (name.starts_with("nccl")) CHECK(row.occupancy == doctest::Approx(5));
  }
  const Report none = MadeKernels().add("mul", 60, 80).report();
  CHECK(none.kernel.occupancy_known == 0);
  CHECK_FALSE(none.missing.has_occupancy);
  // An occupancy of nothing is known, too.
  CHECK(MadeKernels().occupied("add", 0, 10, 0, 2).report().kernel.occupancy_known == 1);
}

TEST_CASE("kernels: the table tells an occupancy of nothing from one that is not known") {
  MadeKernels made;
  made.occupied("none", 0, 100, 0, 2).add("unknown", 200, 260).occupied("half", 300, 340, 50, 2);
  const Report report = made.report();
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  std::string cells;
  for (const ReportSection& section : describe_report(made.trace, report, format))
    for (const auto& row : section.table.rows)
      if (row.size() == 7 && section.table.columns[5].title == "Occupancy") cells += row[0] + ": " + row[5] + "; ";
  CHECK(cells == "none: 0 %; unknown: -; half: 50 %; ");
}

TEST_CASE("kernels: those whose names do not tell of tensor cores are told where there are any") {
  const auto says = [](const char* name) {
    MadeKernels made;
    made.add("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", 0, 100).add(name, 200, 260);
    const Report report = made.report();
    const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
    for (const ReportSection& section : describe_report(made.trace, report, format))
      for (const ReportLine& line : section.lines)
        if (line.text.find("By their names, kernels with tensor cores take") != std::string::npos)
          return std::pair(report.kernel.unclear_matrix > 0,
                           line.text.find("have names that do not tell") != std::string::npos);
    return std::pair(false, true);
  };
  CHECK(says("mul") == std::pair(false, false));
  CHECK(says("triton_tem_fused_mm_3") == std::pair(true, true));
}

TEST_CASE("kernels: grids of less than a block for each SM are small") {
  MadeKernels made;
  made.occupied("a", 0, 10, 50, 0.5).occupied("b", 20, 50, 50, 1).occupied("c", 60, 100, 50, 4);
  made.occupied("d", 110, 130, 50, 0.25).occupied("e", 140, 160, 50, 0);
  const Report report = made.report();
  CHECK(report.kernel.small_grids == 50 * kKernelUs);
  CHECK(made.trace.name(report.kernel.longest_small) == "d");  // the first of the longest
  CHECK(report.kernel.sm_share == doctest::Approx((0.5 * 10 + 30 + 40 + 0.25 * 20 + 0) / 120));
}

TEST_CASE("kernels: how many SMs have blocks is told where it is known") {
  const auto says = [](const char* arguments) {
    MadeKernels made;
    const Report report = made.add("mul", 0, 10, arguments).report();
    const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
    for (const ReportSection& section : describe_report(made.trace, report, format))
      for (const ReportLine& line : section.lines)
        if (line.text.starts_with("Occupancy")) return line.text;
    return std::string();
  };
  CHECK(says(R"("est. achieved occupancy %":3)").find("of the SMs") == std::string::npos);
  CHECK(says(R"("est. achieved occupancy %":3,"blocks per SM":0)").find("; blocks for 0 % of the SMs. ") !=
        std::string::npos);
}

TEST_CASE("kernels: sums by what they are, copies apart, most time first") {
  MadeKernels made;
  made.add("volta_sgemm_128x64_nn", 0, 10).add("volta_sgemm_32x32_nn", 20, 50).add("volta_sgemm_32x32_nn", 60, 70);
  made.add("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", 80, 180);
  made.add("ncclDevKernel_AllReduce", 200, 220)
      .add("Memcpy HtoD (Pageable -> Device)", 230, 290, R"("bytes":500)", 0, "gpu_memcpy");
  made.add("Memset (Device)", 300, 305, R"("bytes":70)", 0, "gpu_memset");
  const Report report = made.report();
  CHECK(report.kernel.count == 5);
  CHECK(report.kernel.total == 170 * kKernelUs);
  CHECK(report.kernel.compute == 150 * kKernelUs);
  CHECK(report.kernel.plain_matrix == 50 * kKernelUs);
  CHECK(report.kernel.tensor == 100 * kKernelUs);
  CHECK(report.kernel.median == 20 * kKernelUs);
  // Of the name with the most time the longest.
  CHECK(made.trace.span(report.kernel.longest_plain) == TimeSpan{20 * kKernelUs, 50 * kKernelUs});
  REQUIRE(report.kernels.size() == 4);
  CHECK(report.kernels[0].total == 100 * kKernelUs);
  CHECK(report.kernels[1].total == 40 * kKernelUs);
  CHECK(report.kernels[1].count == 2);
  REQUIRE(report.copies.size() == 2);
  CHECK(report.copies[0].bytes == 500);
  CHECK(report.copies[1].bytes == 70);
  CHECK(report.copies[1].kernel_class == KernelClass::kCopy);
  REQUIRE(report.classes.size() == 3);
  CHECK(report.classes[0].kernel_class == KernelClass::kGemm);
  CHECK(report.classes[0].total == 150 * kKernelUs);
  CHECK(report.classes[0].count == 4);
  CHECK(made.trace.span(report.classes[0].longest).duration() == 100 * kKernelUs);
  CHECK(report.classes[1].kernel_class == KernelClass::kCopy);
  CHECK(report.classes[1].total == 65 * kKernelUs);
  CHECK(made.trace.span(report.classes[1].longest).duration() == 60 * kKernelUs);
  CHECK(report.classes[2].kernel_class == KernelClass::kCommunication);
}

TEST_CASE("kernels: what each GPU computes, by class") {
  MadeKernels made;
  made.add("volta_sgemm_128x64_nn", 0, 10, {}, 0).add("volta_sgemm_128x64_nn", 0, 30, {}, 1);
  made.add("volta_sgemm_128x64_nn", 40, 45, {}, 0).add("ncclDevKernel_AllReduce", 50, 90, {}, 1);
  const Report report = made.report();
  REQUIRE(report.kernel.computing.size() == 2);
  const auto gemm = static_cast<std::size_t>(KernelClass::kGemm);
  CHECK(report.kernel.computing[0].by_class[gemm] == 15 * kKernelUs);
  CHECK(report.kernel.computing[1].by_class[gemm] == 30 * kKernelUs);
  CHECK(report.kernel.computing[1].by_class[static_cast<std::size_t>(KernelClass::kCommunication)] == 0);
}

TEST_CASE("kernels: bandwidth of copies, but for those that measure no more than their latency") {
  ReportKernel copy;
  CHECK(copy.gigabytes_per_second() == 0);
  copy.count = 2;
  copy.bytes = 2 * 65'536;
  copy.total = 65'536;
  CHECK(copy.gigabytes_per_second() == 2);
  copy.bytes -= 2;
  CHECK(copy.gigabytes_per_second() == 0);
}
