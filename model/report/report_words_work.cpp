// What was computed, copied and communicated, by name.

#include <fmt/format.h>

#include "model/report/report_writer.h"

namespace lacuna {
namespace {

std::string_view matrix_word(MatrixUse use) {
  switch (use) {
    case MatrixUse::kTensor:
      return "yes";
    case MatrixUse::kPlain:
      return "no";
    case MatrixUse::kUnclear:
      return "name does not tell";
    case MatrixUse::kNone:
      break;
  }
  return "";
}

std::string gigabytes(double value) {
  return value < 999.5 ? fmt::format("{:.3g} GB/s", value) : fmt::format("{:.0f} GB/s", value);
}

}  // namespace

void ReportWriter::kernel_classes() {
  if (report_.kernel.count == 0) return;
  Nanos all = 0;
  for (const ReportKernelClass& of : report_.classes) all = saturating_add(all, of.total);
  ReportSection& section = open("kernelClasses", "GPU work by class");
  const ReportKernelClass& most = report_.classes.front();
  line(fmt::format("Most of the GPU's work, {}, is {}; what overlaps counts each time.", part(most.total, all),
                   kernel_class_name(most.kernel_class)),
       ReportTone::kFact, places(most.longest));
  section.table.columns = {
      {"Class"}, {"Count", true}, {"Total", true}, {"Of GPU work", true}, {"Definition", false, true}};
  for (const ReportKernelClass& of : report_.classes)
    row_always({std::string(kernel_class_name(of.kernel_class)), f_.count(of.count), f_.duration(of.total),
                part(of.total, all), std::string(kernel_class_definition(of.kernel_class))},
               place(of.longest));
}

void ReportWriter::kernels() {
  const KernelReport& all = report_.kernel;
  if (all.count == 0) return;
  ReportSection& section = open("kernels", "Kernels");
  line(fmt::format("{} of {}; their durations add up to {}; the median is {}.", count_of(all.count, "kernel"),
                   count_of(report_.kernels.size(), "name"), f_.duration(all.total), f_.duration(all.median)));
  tensor_cores();
  if (all.occupancy_known > 0) {
    line(fmt::format(
        "Occupancy {:.1f} % (Kineto's estimate, mean weighted by time, known for {} of it){}. Collectives do not count "
        "here.",
        all.occupancy, f_.percent(all.occupancy_known),
        all.sm_share < 0 ? std::string() : fmt::format("; blocks for {} of the SMs", f_.percent(all.sm_share))));
    if (all.small_grids > 0)
      line(fmt::format("Kernels with less than one block per SM take {} ({} of the time of kernels "
                       "that compute).",
                       f_.duration(all.small_grids), part(all.small_grids, all.compute)),
           ReportTone::kFact, places(all.longest_small));
  }
  section.table.columns = {{"Kernel"},    {"Count", true},     {"Total", true}, {"Kernel time", true},
                           {"Avg", true}, {"Occupancy", true}, {"Tensor cores"}};
  for (const ReportKernel& kernel : report_.kernels)
    row({text(kernel.name), f_.count(kernel.count), f_.duration(kernel.total), part(kernel.total, all.total),
         f_.duration(kernel.total / static_cast<Nanos>(kernel.count)),
         kernel.occupancy < 0 ? std::string("-") : fmt::format("{:.0f} %", kernel.occupancy),
         std::string(matrix_word(kernel.matrix))},
        place(kernel.longest));
}

void ReportWriter::tensor_cores() {
  const KernelReport& all = report_.kernel;
  if (all.tensor + all.plain_matrix + all.unclear_matrix == 0) {
    line("No kernel has the name of a matrix product, convolution or attention.");
    return;
  }
  std::string words = fmt::format(
      "By their names, kernels with tensor cores take {} of the time "
      "of kernels that compute, matrix products and convolutions "
      "without {}",
      part(all.tensor, all.compute), part(all.plain_matrix, all.compute));
  if (all.unclear_matrix > 0)
    words += fmt::format(", and {} have names that do not tell", part(all.unclear_matrix, all.compute));
  line(words + ".", ReportTone::kFact, places(all.longest_plain));
}

void ReportWriter::operators() {
  if (report_.operators.empty()) return;
  ReportSection& section = open("operators", "Operators");
  const bool has_gpu = report_.operators.front().gpu_time > 0;
  if (has_gpu || !report_.devices.empty())
    line(has_gpu ? "GPU time: what was launched with the operator as the innermost one."
                 : "No GPU work could be traced to an operator; by CPU time.");
  if (report_.graph_time > 0)
    line(report_.unattributed_time == 0
             ? fmt::format("CUDA graphs ran {} of work, all of it known by what was captured.",
                           f_.duration(report_.graph_time))
             : fmt::format("CUDA graphs ran {} of work, of which {} is unattributed: the trace does not tell which "
                           "operator or module was captured there.",
                           f_.duration(report_.graph_time), f_.duration(report_.unattributed_time)));
  section.table.columns = {{"Operator"}, {"Calls", true}};
  if (has_gpu) section.table.columns.push_back({"GPU time", true});
  section.table.columns.push_back({"Self CPU", true});
  section.table.columns.push_back({"Of self CPU", true});
  for (const ReportOperator& op : report_.operators) {
    std::vector<std::string> cells = {text(op.name), f_.count(op.count)};
    if (has_gpu) cells.push_back(f_.duration(op.gpu_time));
    cells.push_back(f_.duration(op.self_cpu));
    cells.push_back(part(op.self_cpu, report_.operator_self_cpu));
    row(std::move(cells), place(op.longest));
  }
}

void ReportWriter::copies() {
  if (report_.copies.empty()) return;
  ReportSection& section = open("copies", "Copies and sets");
  section.table.columns = {{"Kind"},       {"Count", true},         {"Bytes", true},
                           {"Time", true}, {"Of the window", true}, {"Rate", true}};
  Nanos pageable = 0;
  SliceId longest;
  for (const ReportKernel& copy : report_.copies) {
    row({text(copy.name), f_.count(copy.count), copy.bytes == 0 ? std::string("-") : f_.bytes(copy.bytes),
         f_.duration(copy.total), of_window(copy.total),
         copy.gigabytes_per_second() == 0 ? std::string("-") : gigabytes(copy.gigabytes_per_second())},
        place(copy.longest));
    if (trace_.text(copy.name).find("Pageable") == std::string_view::npos) continue;
    if (!longest.valid()) longest = copy.longest;
    pageable = saturating_add(pageable, copy.total);
  }
  if (pageable > 0)
    line(fmt::format("Copies from or to pageable memory take {} ({} of the window).", f_.duration(pageable),
                     of_window(pageable)),
         ReportTone::kFact, places(longest));
}

void ReportWriter::communication() {
  const TimeUse& use = report_.use;
  if (use.communication == 0) return;
  open("communication", "Communication");
  line(fmt::format("Communication kernels run for {} ({} of the window); {} of that is hidden behind "
                   "computation, {} is exposed ({} of the window).",
                   f_.duration(use.communication), of_window(use.communication), f_.percent(use.hidden_share()),
                   f_.duration(use.exposed()), of_window(use.exposed())),
       ReportTone::kFact, {{report_.window, {}}});
  line(
      "A collective lasts until all ranks have entered: waiting for a late rank counts as "
      "communication here.");
}

}  // namespace lacuna
