// Memory, and what the file does not say.

#include <fmt/format.h>

#include "model/report/report_writer.h"

namespace lacuna {

void ReportWriter::memory() {
  if (report_.memory.empty()) return;
  ReportSection& section = open("memory", "Memory");
  section.table.columns = {{"Device"},        {"Peak allocated", true}, {"At", true},
                           {"Operator then"}, {"Peak reserved", true},  {"Allocations", true}};
  for (const MemoryTimeline& memory : report_.memory) {
    if (memory.out_of_memory > 0)
      line(fmt::format("Out of memory {} times.", f_.count(memory.out_of_memory)), ReportTone::kWarning);
    if (memory.times.empty()) continue;
    const Nanos at = memory.times[memory.peak];
    const std::int64_t peak = memory.allocated[memory.peak];
    row({memory.is_gpu ? fmt::format("GPU {}", memory.device) : std::string("CPU"), signed_bytes(peak),
         f_.duration(saturating_sub(at, trace_.span().begin)),
         memory.peak_operator.valid() ? std::string(trace_.name(memory.peak_operator)) : std::string(),
         memory.peak_reserved == 0 ? std::string("-") : signed_bytes(memory.peak_reserved),
         f_.count(memory.allocations)},
        {{at, at}, memory.peak_operator});
    if (!memory.is_absolute)
      line(
          fmt::format("{}: above what was allocated when the recording began; the file has no "
                      "totals.",
                      memory.is_gpu ? "GPU" : "CPU"));
    const DeviceProperties* properties = report_.properties(trace_);
    if (memory.is_gpu && properties != nullptr && properties->total_memory_bytes > 0)
      line(fmt::format("Peak of GPU {}: {} of its {}.", memory.device,
                       f_.percent(static_cast<double>(peak) / static_cast<double>(properties->total_memory_bytes)),
                       f_.bytes(properties->total_memory_bytes)),
           ReportTone::kFact, {{{at, at}, memory.peak_operator}});
  }
}

void ReportWriter::missing() {
  open("missing", "What the trace does not say");
  const MissingReport& m = report_.missing;
  const auto count = [&](std::uint64_t n) { return f_.count(n); };
  if (!report_.arguments_error.empty())
    line(fmt::format("Bytes, occupancy and memory could not be read back: {}.", report_.arguments_error),
         ReportTone::kWarning);
  if (!m.has_gpu)
    line(m.by_lacuna
             ? "GPU activity: none was seen; Lacuna records it where a process uses CUDA (unless --no-cuda), and "
               "lacuna doctor says whether it can."
             : "GPU activity: record with activities=[…, ProfilerActivity.CUDA].");
  if (!m.has_cpu)
    line(m.by_lacuna ? "CPU operators: none were seen; Lacuna records PyTorch's (unless --no-torch)."
                     : "CPU operators: record with activities=[ProfilerActivity.CPU, …].");
  if (m.launches_without_work > 0)
    line(fmt::format("{} of {} kernel and graph launches have no kernel in the file{}: their GPU time is "
                     "missing from every number here.",
                     count(m.launches_without_work), count(m.launch_calls),
                     m.launches_at_end > 0 ? fmt::format(" ({} of them were issued after the last recorded activity)",
                                                         count(m.launches_at_end))
                                           : std::string{}),
         ReportTone::kWarning, places(m.first_launch_without_work));
  if (m.copies_without_work > 0)
    line(
        fmt::format("{} copy and set calls have no activity in the file (copies of 0 bytes and "
                    "between parts of host memory have none).",
                    count(m.copies_without_work)));
  if (m.unlinked > 0)
    line(fmt::format("{} of {} GPU activities have no launch in the file{}: nothing says which operator "
                     "they belong to or when they were issued.",
                     count(m.unlinked), count(m.activities),
                     m.unlinked_at_start > 0 ? fmt::format("; {} of them were launched before the recording began",
                                                           count(m.unlinked_at_start))
                                             : std::string{}),
         ReportTone::kWarning, places(m.first_unlinked));
  if (m.before_launch > 0)
    line(fmt::format("{} before the call that launched it: the clocks of CPU and GPU do not agree, so causes of gaps "
                     "cannot be trusted.",
                     m.before_launch == 1 ? "1 GPU activity starts"
                                          : fmt::format("{} GPU activities start, each", count(m.before_launch))),
         ReportTone::kWarning);
  if (m.without_times > 0)
    line(fmt::format("{} without any length outside of the measured time {} left out: the records were never filled.",
                     count_of(m.without_times, "GPU activity"), m.without_times == 1 ? "is" : "are"),
         ReportTone::kWarning);
  if (m.has_gpu && !m.has_occupancy) line("Occupancy: the file has none (only CUPTI estimates it, not roctracer).");
  if (m.has_cpu && !m.has_shapes)
    line(m.by_lacuna ? "Shapes of inputs, and so FLOPs: lacuna record --shapes."
                     : "Shapes of inputs, and so FLOPs: record_shapes=True.");
  if (m.has_cpu && !m.has_stacks && !m.has_samples)
    line(m.by_lacuna
             ? "Python stacks: lacuna record samples them (unless --no-stacks; --stack-rate N takes more a second)."
             : "Python stacks: with_stack=True.");
  if (m.has_cpu && !m.has_memory)
    line(m.by_lacuna ? "Memory: lacuna record --allocator records PyTorch's allocations and frees; "
                       "lacuna record --memory the allocations of CUDA."
                     : "Memory: profile_memory=True.");
  if (!m.has_steps)
    line(m.by_lacuna ? "Steps: prof.step() or an optimizer's step() ends one; lacuna record --step-range NAME takes "
                       "ranges of yours."
         : m.has_cpu ? "Steps: with torch.profiler a schedule=… and prof.step() after each iteration mark them."
                     : "Steps: nothing marks them.");
  if (sections_.back().lines.empty()) line("Nothing that this report would use is missing.");
}

}  // namespace lacuna
