#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/diff/kernel_pairs.h"
#include "model/diff/structure_diff.h"
#include "model/report/report.h"
#include "model/trace/trace.h"

namespace lacuna {

/// One side of the comparison: a file of a trace. Both sides may be files of one trace.
struct DiffSide {
  const Trace* trace = nullptr;
  SourceId source{0};
};

/// The numbers of one name on one side, inside its window.
struct DiffNumbers {
  std::uint64_t count = 0;
  Nanos total = 0;
  Nanos self = 0;   ///< see StatisticsRow; for GPU activities = total
  SliceId longest;  ///< invalid if count is 0

  double average() const { return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count); }
};

/// The slices of one (name, class of the category) on both sides.
struct DiffRow {
  std::string name;  ///< with "ProfilerStep#*" for all steps and "0x*" for addresses
  CategoryClass category = CategoryClass::kOther;
  DiffNumbers a, b;

  bool is_new() const { return a.count == 0; }
  bool is_vanished() const { return b.count == 0; }
};

/// The number by which rows are sorted and compared.
enum class DiffKey : std::uint8_t { kTotal, kSelf, kCount, kAverage };

struct DiffOptions {
  /// Divide counts and times (not averages) by each side's number of measured steps.
  enum class PerStep : std::uint8_t {
    kNever,
    kAlways,          ///< if both sides have steps
    kWhenTheyDiffer,  ///< if both sides have steps, but different numbers of them
  } per_step = PerStep::kWhenTheyDiffer;
  ReportOptions report = {};
};

/// The same GPU on both sides: matched by number if both have it, otherwise by share of the work.
struct DiffDevice {
  std::string name;              ///< "GPU 1"; "GPU 0, GPU 1" where the numbers differ
  std::optional<std::size_t> a;  ///< index in Report::devices of side A; nothing: side A has no such GPU
  std::optional<std::size_t> b;
};

/// Compares two files (without the rows of the recording itself, statistics.h), each over its measured window
/// (steps/measured_steps.h): name by name, and by their reports (step time, busy share, causes of idle
/// time), which are stored whole.
struct TraceDiff {
  Report a, b;
  std::vector<DiffRow> rows;
  std::vector<DiffDevice> devices;  ///< the one with the most work first
  std::vector<KernelPair> kernels;  ///< see pair_kernels()
  StructureDiff structure;          ///< see compare_structure()
  bool is_per_step = false;
  double steps_a = 1;  ///< divisor of side A's numbers; 1 unless is_per_step
  double steps_b = 1;

  /// Returns the number of `key`, divided by the steps.
  double value_a(const DiffRow& row, DiffKey key) const { return value(row.a, key, steps_a); }
  double value_b(const DiffRow& row, DiffKey key) const { return value(row.b, key, steps_b); }
  /// Returns B - A.
  double difference(const DiffRow& row, DiffKey key) const { return value_b(row, key) - value_a(row, key); }
  static double value(const DiffNumbers& numbers, DiffKey key, double steps);
};

/// Compares the sides. Reads only; any thread. Cost: two reports and statistics tables, four call trees. Rows are in
/// descending order of the absolute difference of their totals.
TraceDiff compute_diff(const DiffSide& a, const DiffSide& b, const DiffOptions& options = {});

/// Sorts by absolute difference, largest first; ties by name.
void sort_diff(TraceDiff& diff, DiffKey key);

/// Returns the name under which slices of two traces are compared: every step is "ProfilerStep#*", and hexadecimal
/// addresses of six digits or more are "0x*".
std::string name_across_traces(std::string_view name);

}  // namespace lacuna
