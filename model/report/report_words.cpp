#include "model/report/report_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/base/plural.h"
#include "model/report/report_writer.h"

namespace lacuna {

std::vector<ReportSection> ReportWriter::run() {
  summary();
  advice();
  steps();
  phases();
  time();
  waiting();
  kernel_classes();
  kernels();
  operators();
  threads();
  between();
  sampled();
  copies();
  communication();
  hardware();
  memory();
  missing();
  return std::move(sections_);
}

ReportSection& ReportWriter::open(std::string_view key, std::string_view title) {
  sections_.push_back({std::string(key), std::string(title), {}, {}});
  return sections_.back();
}

void ReportWriter::line(std::string text, ReportTone tone, std::vector<ReportPlace> places) {
  sections_.back().lines.push_back({std::move(text), tone, std::move(places)});
}

void ReportWriter::how_measured(std::string_view text) {
  ReportLine& last = sections_.back().lines.back();
  last.text += text;
  last.how_measured = text.size();
}

void ReportWriter::row(std::vector<std::string> cells, ReportPlace place) {
  ReportTable& table = sections_.back().table;
  if (rows_ == 0 || table.rows.size() < rows_) return row_always(std::move(cells), place);
  ++table.row_count;
}

void ReportWriter::row_always(std::vector<std::string> cells, ReportPlace place) {
  ReportTable& table = sections_.back().table;
  ++table.row_count;
  table.rows.push_back(std::move(cells));
  table.places.push_back(place);
}

std::string ReportWriter::count_of(std::uint64_t n, std::string_view what) const {
  return f_.count(n) + " " + noun_after(n, what);
}

std::string ReportWriter::signed_bytes(std::int64_t bytes) const {
  return bytes < 0 ? "-" + f_.bytes(static_cast<std::uint64_t>(-(bytes + 1)) + 1)
                   : f_.bytes(static_cast<std::uint64_t>(bytes));
}

std::string ReportWriter::gpu_name(const DeviceReport& device) const {
  const std::string_view id = trace_.text(device.device);
  return id.empty() || id.starts_with('-') ? std::string("The GPU") : fmt::format("GPU {}", id);
}

std::string ReportWriter::gpu_mark(const DeviceReport& device) const {
  return has_several_gpus() ? fmt::format("GPU {}: ", trace_.text(device.device)) : std::string{};
}

namespace {

std::vector<TimePart> parts_of(const Report& report, const TimeUse& use, const CpuUse& cpu) {
  std::vector<TimePart> parts;
  if (report.program.is_known) {
    for (std::size_t k = 0; k < kProgramKindCount; ++k) {
      const auto kind = static_cast<ProgramKind>(k);
      if (report.program.by_kind[k] > 0)
        parts.push_back({program_kind_key(kind), program_kind_name(kind), program_kind_definition(kind),
                         report.program.by_kind[k]});
    }
    return parts;
  }
  if (!report.devices.empty() || !report.cpu.is_known) {
    for (std::size_t k = 0; k < kTimeKindCount; ++k) {
      const auto kind = static_cast<TimeKind>(k);
      // Few accelerators have kernels that only wait.
      const bool is_used =
          kind != TimeKind::kWaiting || report.use.at(kind) > 0 ||
          std::ranges::any_of(report.by_step, [](const auto& step) { return step.use.at(TimeKind::kWaiting) > 0; });
      if (is_used)
        parts.push_back({time_kind_key(kind), time_kind_name(kind), time_kind_definition(kind), use.at(kind)});
    }
    return parts;
  }
  for (std::size_t k = 0; k < kCpuKindCount; ++k) {
    const auto kind = static_cast<CpuKind>(k);
    const bool is_used = report.cpu.use.at(kind) > 0 ||
                         std::ranges::any_of(report.cpu.by_step, [&](const CpuUse& step) { return step.at(kind) > 0; });
    if (is_used) parts.push_back({cpu_kind_key(kind), cpu_kind_name(kind), cpu_kind_definition(kind), cpu.at(kind)});
  }
  return parts;
}

}  // namespace

std::vector<TimePart> time_parts(const Report& report) {
  return parts_of(report, report.use, report.cpu.use);
}

std::vector<TimePart> time_parts(const Report& report, std::size_t step) {
  return parts_of(report, report.by_step[step].use,
                  step < report.cpu.by_step.size() ? report.cpu.by_step[step] : CpuUse{});
}

ReportPlace ReportWriter::place(SliceId slice) const {
  return slice.valid() ? ReportPlace{trace_.span(slice), slice} : ReportPlace{{0, 0}, {}};
}

std::vector<ReportPlace> ReportWriter::places(SliceId slice) const {
  return slice.valid() ? std::vector{place(slice)} : std::vector<ReportPlace>{};
}

std::vector<ReportPlace> ReportWriter::places(const Gap& gap) {
  return {{{gap.start, gap.end}, gap.after}};
}

std::vector<ReportSection> describe_report(const Trace& trace, const Report& report, const ReportFormat& format,
                                           std::size_t rows) {
  return ReportWriter(trace, report, format, rows).run();
}

}  // namespace lacuna
