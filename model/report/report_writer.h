#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// Writes the sections of one report, in words. One object writes one report: call run() once. The
/// sections are in report_words_*.cpp, by topic.
class ReportWriter {
 public:
  /// `rows`: per table; 0 = all.
  ReportWriter(const Trace& trace, const Report& report, const ReportFormat& format, std::size_t rows)
      : trace_(trace), report_(report), f_(format), rows_(rows) {}

  std::vector<ReportSection> run();

 private:
  // Sections; those without data in the trace write nothing.
  void summary();
  void advice();
  std::string gain_of(const AdviceGiven& given) const;
  std::string blame_of(const AdviceGiven& given) const;
  void steps();
  void phases();
  std::string idle_between(const PhaseTimes& phase) const;
  void time();
  void waiting();
  void kernel_classes();
  void kernels();
  void operators();
  void threads();
  void between();
  void sampled();
  void copies();
  void communication();
  void hardware();
  void memory();
  void missing();

  // Parts of the summary.
  void verdict(const DeviceReport& device);
  std::string reason(const DeviceReport& device) const;
  std::vector<ReportPlace> verdict_places(const DeviceReport& device) const;
  std::string only_waiting(const DeviceReport& device) const;
  void how_sure();
  void behind();
  void verdict_of_cpu();
  void verdict_of_program();
  void about_places();
  void about_limits(const MachineLimits& limits);
  void about_operators();
  void about_gaps();
  std::string what_long_gaps_were();
  std::string how_it_loads();
  void about_waits();
  void waiting(const DeviceReport& device);
  void interruptions();
  void tensor_cores();

  // Building blocks of sections.
  ReportSection& open(std::string_view key, std::string_view title);
  void line(std::string text, ReportTone tone = ReportTone::kFact, std::vector<ReportPlace> places = {});
  /// Appends to the last line how it is measured.
  void how_measured(std::string_view text);
  void row(std::vector<std::string> cells, ReportPlace place);
  /// Adds a row regardless of the limit.
  void row_always(std::vector<std::string> cells, ReportPlace place);

  std::string text(StringId name) const { return std::string(trace_.text(name)); }
  std::string part(Nanos a, Nanos b) const { return f_.percent(TimeUse::part(a, b)); }
  std::string of_window(Nanos t) const { return part(t, report_.use.wall); }
  /// "1 gap", "2 gaps"
  std::string count_of(std::uint64_t n, std::string_view what) const;
  std::string signed_bytes(std::int64_t bytes) const;
  bool has_several_gpus() const { return report_.devices.size() > 1; }
  /// "GPU 1"; "the GPU" if its number is not known.
  std::string gpu_name(const DeviceReport& device) const;
  /// "GPU 1: " if there are several, else nothing.
  std::string gpu_mark(const DeviceReport& device) const;

  ReportPlace place(SliceId slice) const;
  std::vector<ReportPlace> places(SliceId slice) const;
  static std::vector<ReportPlace> places(const Gap& gap);

  const Trace& trace_;
  const Report& report_;
  const ReportFormat& f_;
  const std::size_t rows_;
  std::vector<ReportSection> sections_;
};

}  // namespace lacuna
