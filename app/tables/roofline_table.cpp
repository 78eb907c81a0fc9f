#include "app/tables/roofline_table.h"

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace lacuna {
namespace {

constexpr double kBytesOfMebibyte = 1024.0 * 1024.0;

/// A count where it is one that an integer holds; else as it is.
Cell count_cell(double count) {
  constexpr double kExact = 9007199254740992.0;
  return count < kExact ? Cell::of(static_cast<std::int64_t>(count)) : Cell::of_real(count);
}

/// Three digits, or all before the point: "0.00245", "1,253".
std::string short_number(double value) {
  return value >= 999.5 && value < 1e15 ? format_count(static_cast<std::uint64_t>(std::llround(value)))
                                        : fmt::format("{:.3g}", value);
}

/// "-" where nothing ran, or nothing is known.
std::string words(bool is_known, double value, const char* unit) {
  return is_known ? short_number(value) + unit : "-";
}

std::optional<double> if_known(bool is_known, double value) {
  return is_known ? std::optional(value) : std::nullopt;
}

}  // namespace

Table roofline_table(const Roofline& roofline) {
  using Row = RooflineRow;
  TableOf<Row> table(roofline.rows);
  const auto ran = [](const Row& row) { return row.gpu_time > 0; };
  table.text({"Operator", "operator"}, [](const Row& row) { return unnumbered_operator(row.name); });
  table.name({"Input dims", "inputDims"}, [](const Row& row) { return std::string_view(row.dims); });
  table.value("inputTypes", [](const Row& row) { return std::string_view(row.types); });
  table.value("inputStrides", [](const Row& row) { return std::string_view(row.strides); });
  table.text({"Class", "class", 4}, [](const Row& row) { return kernel_class_key(row.work.operator_class); });
  table.count({"Calls", "count", 3}, &Row::count);
  table.duration({"GPU time", "gpuTimeNs"}, &Row::gpu_time);
  table.number(
      {"GFLOP", "flop", 6}, [](const Row& row) { return count_cell(row.work.work.flop); },
      [](const Row& row) { return short_number(row.work.work.flop / 1e9); });
  table.number(
      {"MiB", "bytes", 5}, [](const Row& row) { return count_cell(row.work.work.bytes); },
      [](const Row& row) { return short_number(row.work.work.bytes / kBytesOfMebibyte); });
  table.number(
      {"FLOP/B", "flopPerByte"}, [](const Row& row) { return if_known(row.work.work.bytes > 0, row.intensity()); },
      [](const Row& row) { return words(row.work.work.bytes > 0, row.intensity(), ""); });
  table.number(
      {"TFLOP/s", "tflops", 2}, [ran](const Row& row) { return if_known(ran(row), row.tflops()); },
      [ran](const Row& row) { return words(ran(row), row.tflops(), ""); });
  table.number(
      {"GB/s", "gbps", 1}, [ran](const Row& row) { return if_known(ran(row), row.gigabytes_per_second()); },
      [ran](const Row& row) { return words(ran(row), row.gigabytes_per_second(), ""); });
  const auto bound = [](const Row& row) {
    const std::string_view key = roofline_bound_key(row.bound);
    return key.empty() ? std::optional<std::string_view>() : std::optional(key);
  };
  table.add({"Bound by", "bound"}, bound, [bound](const Row& row) { return bound(row).value_or("-"); });
  table.number(
      {"Of roof", "percentOfRoof"}, [](const Row& row) { return if_known(row.roof_share >= 0, 100 * row.roof_share); },
      [](const Row& row) { return words(row.roof_share >= 0, 100 * row.roof_share, " %"); });
  table.value("aroundOthers", [](const Row& row) { return row.is_around_others; });
  table.value("physicalFlop",
              [](const Row& row) { return row.work.physical ? count_cell(row.work.physical->flop) : Cell::null(); });
  table.value("physicalBytes",
              [](const Row& row) { return row.work.physical ? count_cell(row.work.physical->bytes) : Cell::null(); });
  table.value("note", [](const Row& row) {
    return row.work.why.empty() ? std::optional<std::string_view>() : std::optional<std::string_view>(row.work.why);
  });
  return table;
}

}  // namespace lacuna
