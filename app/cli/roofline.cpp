#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/group_stats.h"
#include "app/cli/json_writer.h"
#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/tables/roofline_table.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kTextRows = 25;

struct RooflineCommand {
  std::string peaks;
  std::optional<std::size_t> limit;
  bool json = false, csv = false;
  std::size_t width = 0;

  void add_to(CLI::App& app) {
    app.add_option("--peaks", peaks, "Peaks that you measured, instead of the makers'; see below")->type_name("FILE");
    app.add_option("--limit", limit, fmt::format("Rows; 0 = all (default: {}; with --json and --csv all)", kTextRows))
        ->check(is_count)
        ->type_name("N");
    add_json_flag(app, json);
    app.add_flag("--csv", csv, "Write CSV");
  }
};

/// {"bandwidthGBps": …, "fp16": …}: rates of a GPU.
Result<GpuPeak> read_peaks(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path, ignored))
    return fail(ErrorCode::kNotReadable, "it cannot be read", path);
  const Json read = Json::parse(file, nullptr, false);
  if (!read.is_object()) return fail(ErrorCode::kInvalidArgument, "it holds no JSON object of peaks", path);
  GpuPeak peak{};
  peak.source = "measured";
  const std::pair<std::string_view, double GpuPeak::*> keys[] = {{"bandwidthGBps", &GpuPeak::gigabytes},
                                                                 {"fp64", &GpuPeak::fp64},
                                                                 {"fp32", &GpuPeak::fp32},
                                                                 {"tf32", &GpuPeak::tf32},
                                                                 {"fp16", &GpuPeak::half},
                                                                 {"fp8", &GpuPeak::fp8}};
  for (const auto& [key, value] : read.items()) {
    const auto known = std::ranges::find(keys, key, &std::pair<std::string_view, double GpuPeak::*>::first);
    if (known == std::end(keys))
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' is none of bandwidthGBps, fp64, fp32, tf32, fp16, fp8", key), path);
    if (!value.is_number() || !(value.get<double>() > 0))
      return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is no number above 0", key), path);
    peak.*known->second = value.get<double>();
  }
  return peak;
}

Json peak_json(const GpuPeak& peak) {
  const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
  return {{"bandwidthGBps", known(peak.gigabytes)},
          {"fp64", known(peak.fp64)},
          {"fp32", known(peak.fp32)},
          {"tf32", known(peak.tf32)},
          {"fp16", known(peak.half)},
          {"fp8", known(peak.fp8)},
          {"source", peak.source}};
}

void print_roofline_text(const Roofline& roofline, const Table& table, std::size_t width, Output& out) {
  if (roofline.rows.empty()) {
    out.write(
        "No operator of this trace has shapes that a model knows. PyTorch writes them with record_shapes=True.\n");
    return;
  }
  if (roofline.peak)
    out.write(fmt::format("Roofs of {}: {:g} GB/s; TFLOP/s fp32 {:g}, tf32 {:g}, fp16 and bf16 {:g}, fp8 {:g} ({})\n",
                          printable(roofline.device), roofline.peak->gigabytes, roofline.peak->fp32,
                          roofline.peak->tf32, roofline.peak->half, roofline.peak->fp8, roofline.peak->source));
  else
    out.write(fmt::format("No peaks of {} are known: --peaks FILE names them.\n",
                          roofline.device.empty() ? "the GPU" : printable(roofline.device)));
  out.write(fmt::format("{} of {} of GPU time is in operators that a model knows.\n\n",
                        format_duration(roofline.modelled_time), format_duration(roofline.gpu_time)));
  print_hidden(print_table(table, width, out), out);
  if (table.rows < roofline.rows.size())
    out.write(fmt::format("… and {} more rows: --limit 0\n", format_count(roofline.rows.size() - table.rows)));
}

Result<void> print_roofline(const Trace& trace, const RooflineCommand& command, Output& out) {
  RooflineOptions options;
  if (!command.peaks.empty()) {
    Result<GpuPeak> peaks = read_peaks(command.peaks);
    if (!peaks) return tl::make_unexpected(peaks.error());
    options.peaks = *peaks;
  }
  Result<Roofline> roofline = compute_roofline(trace, options);
  if (!roofline) return tl::make_unexpected(roofline.error());
  const bool is_text = !command.json && !command.csv;
  if (is_text) roofline->drop_around_others();
  Table table = roofline_table(*roofline);
  table.limit(command.limit.value_or(is_text ? kTextRows : 0));
  if (is_text) {
    print_roofline_text(*roofline, table, command.width, out);
  } else if (command.csv) {
    write_csv(table, out);
  } else {
    JsonWriter json(out);
    json.member("device", roofline->device.empty() ? Json() : Json(roofline->device));
    json.member("peak", roofline->peak ? peak_json(*roofline->peak) : Json());
    json.member("gpuTimeNs", roofline->gpu_time);
    json.member("modelledTimeNs", roofline->modelled_time);
    json.member("rowCount", roofline->rows.size());
    write_json_rows(table, "rows", json, out);
    json.finish();
  }
  return {};
}

constexpr const char* kRooflineHelp =
    R"help(A row is one operator with one set of shapes, types and strides. What a call computes (FLOP) and moves (bytes,
each operand once) follows from them by a model of the operator; an operator without one, and a call whose args
say too little, has no row. With the GPU time of what the calls launched this gives rates, and by the roofline
model (Williams, Waterman, Patterson, 2009) what holds them back:
  memory    at the peaks, moving the bytes takes longer than computing
  compute   at the peaks, computing takes longer
  latency   at the peaks a call takes less than 2 us, and it took over twice as long: it is too small for the GPU
"Of roof" is the time at the peaks as a part of the time taken. Roofs are the makers' numbers, dense, by the type
of the first tensor; matrix products, convolutions and attention have those of tensor (matrix) cores, all else that
of the ordinary units. fp32 products that are faster than these can be count as TF32.
FLOP and bytes follow the conventions of TraceLens (MIT), so that numbers can be compared. Where these are not what
the hardware has to do, physicalFlop and physicalBytes are, and note says why; bound and percentOfRoof go by the
physical ones.
Text leaves out operators whose GPU time is that of operators inside them, which have rows of their own.

--peaks FILE: JSON, {"bandwidthGBps": 2900, "fp32": 60, "tf32": 400, "fp16": 780, "fp8": 1500, "fp64": 60}, rates
in TFLOP/s; what is missing is unknown.
--json: device, peak (bandwidthGBps, fp64, fp32, tf32, fp16, fp8, source), gpuTimeNs, modelledTimeNs, rowCount,
rows[], the most GPU time first: operator, inputDims, inputTypes, inputStrides, class, count, gpuTimeNs, flop and
bytes (of one call), flopPerByte, tflops, gbps, bound, percentOfRoof, aroundOthers (its time is that of operators
inside it), physicalFlop, physicalBytes, note; null where unknown.)help";

}  // namespace

Command roofline_command(CommandContext& context) {
  return trace_command(context, "roofline", "What each operator computes and moves, and what holds it back",
                       kRooflineHelp, print_roofline);
}

}  // namespace lacuna
