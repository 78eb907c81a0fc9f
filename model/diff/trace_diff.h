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

/// One of the two things compared: a file of a trace. Both sides may be files of one trace.
struct DiffSide {
  const Trace* trace = nullptr;
  SourceId source{0};
};

/// What one side has of a name, inside its window.
struct DiffNumbers {
  std::uint64_t count = 0;
  Nanos total = 0;
  Nanos self = 0;   ///< see StatisticsRow; for GPU activity = total
  SliceId longest;  ///< invalid where count is 0

  double average() const { return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count); }
};

/// The slices of one (name, meaning of the category) on both sides.
struct DiffRow {
  std::string name;  ///< with "ProfilerStep#*" for all steps and "0x*" for addresses
  CategoryClass category = CategoryClass::kOther;
  DiffNumbers a, b;

  bool is_new() const { return a.count == 0; }
  bool is_vanished() const { return b.count == 0; }
};

/// What rows are sorted by, and differences are taken of.
enum class DiffKey : std::uint8_t { kTotal, kSelf, kCount, kAverage };

struct DiffOptions {
  /// Divide counts and times (not averages) by each side's number of measured steps.
  enum class PerStep : std::uint8_t {
    kNever,
    kAlways,          ///< where both sides have steps
    kWhenTheyDiffer,  ///< … and not the same number of them
  } per_step = PerStep::kWhenTheyDiffer;
  ReportOptions report = {};
};

/// The same GPU on both sides: of the same number where both have it, the others by their share of the work.
struct DiffDevice {
  std::string name;              ///< "GPU 1"; "GPU 0, GPU 1" where the numbers differ
  std::optional<std::size_t> a;  ///< index in Report::devices of side A; nothing: it has no such GPU
  std::optional<std::size_t> b;
};

/// Two files compared (but for the rows of the recording itself, statistics.h), each over its measured window
/// (steps/measured_steps.h): name by name, and by the answers of their reports (step time, busy share, causes of idle
/// time), which are kept whole.
struct TraceDiff {
  Report a, b;
  std::vector<DiffRow> rows;
  std::vector<DiffDevice> devices;  ///< the one with the most work first
  std::vector<KernelPair> kernels;  ///< see pair_kernels()
  StructureDiff structure;          ///< see compare_structure()
  bool is_per_step = false;
  double steps_a = 1;  ///< what a number of side A is divided by; 1 unless is_per_step
  double steps_b = 1;

  /// The number that `key` means, divided by the steps.
  double value_a(const DiffRow& row, DiffKey key) const { return value(row.a, key, steps_a); }
  double value_b(const DiffRow& row, DiffKey key) const { return value(row.b, key, steps_b); }
  /// B - A.
  double difference(const DiffRow& row, DiffKey key) const { return value_b(row, key) - value_a(row, key); }
  static double value(const DiffNumbers& numbers, DiffKey key, double steps);
};

/// Reads only; any thread. Cost: that of two reports, two statistics tables and four call trees. Rows come sorted by
/// the absolute difference of their totals.
TraceDiff compute_diff(const DiffSide& a, const DiffSide& b, const DiffOptions& options = {});

/// By absolute difference, largest first; ties by name.
void sort_diff(TraceDiff& diff, DiffKey key);

/// The name under which slices of two traces meet: every step is "ProfilerStep#*", and hexadecimal
/// addresses of six digits or more are "0x*".
std::string name_across_traces(std::string_view name);

}  // namespace lacuna
