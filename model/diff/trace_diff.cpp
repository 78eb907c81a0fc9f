#include "model/diff/trace_diff.h"

#include <cmath>
#include <map>
#include <unordered_map>

#include "model/base/seeded_hash.h"
#include "model/base/stable_sort.h"
#include "model/causes/known_names.h"
#include "model/statistics/statistics.h"

namespace lacuna {
namespace {

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Finds rows by (name, category).
class Rows {
 public:
  explicit Rows(std::vector<DiffRow>& rows) : rows_(rows) {}

  void add(const DiffSide& side, TimeSpan window, DiffNumbers DiffRow::*member) {
    const Trace& trace = *side.trace;
    StatisticsOptions options;
    options.range = window;
    for (const Track& track : trace.tracks())
      if (trace.process(track.process).source == side.source) options.tracks.push_back(track.id);
    if (options.tracks.empty()) return;  // would mean all
    for (const StatisticsRow& row : compute_statistics(trace, options).rows) {
      if (comes_last(trace, row.category)) continue;
      const CategoryClass category = trace.category_class(row.category);
      std::string name = name_across_traces(trace.text(row.name));
      const std::string key = name + '\0' + static_cast<char>(category);
      const auto [found, is_new] = index_.try_emplace(key, rows_.size());
      if (is_new) rows_.push_back({std::move(name), category, {}, {}});
      DiffNumbers& numbers = rows_[found->second].*member;
      if (numbers.count == 0 || row.max > trace.span(numbers.longest).duration()) numbers.longest = row.longest;
      numbers.count += row.count;
      numbers.total = saturating_add(numbers.total, row.total);
      numbers.self = saturating_add(numbers.self, row.self);
    }
  }

 private:
  std::vector<DiffRow>& rows_;
  std::unordered_map<std::string, std::size_t, SeededHash> index_;
};

double measured_steps(const Report& report) {
  return static_cast<double>(report.steps.steps.size() - report.steps.warm_up_count);
}

/// "GPU 1"; "the GPU" where the file does not say which.
std::string device_name(const DiffSide& side, const DeviceReport& device) {
  const std::string_view id = side.trace->text(device.device);
  return id.empty() || id.starts_with('-') ? std::string("the GPU") : "GPU " + std::string(id);
}

std::vector<DiffDevice> pair_devices(const DiffSide& a, const DiffSide& b, const TraceDiff& diff) {
  std::vector<DiffDevice> pairs;
  std::vector<bool> is_taken(diff.b.devices.size(), false);
  std::map<std::string, std::size_t> others;  // by name, the first of it
  for (std::size_t e = 0; e < diff.b.devices.size(); ++e) others.try_emplace(device_name(b, diff.b.devices[e]), e);
  for (std::size_t d = 0; d < diff.a.devices.size(); ++d) {
    DiffDevice& pair = pairs.emplace_back();
    pair.a = d;
    pair.name = device_name(a, diff.a.devices[d]);
    const auto other = others.find(pair.name);
    if (other == others.end()) continue;
    pair.b = other->second;
    is_taken[*pair.b] = true;
  }
  auto unpaired = pairs.begin();
  for (std::size_t e = 0; e < diff.b.devices.size(); ++e) {
    if (is_taken[e]) continue;
    while (unpaired != pairs.end() && unpaired->b) ++unpaired;
    const std::string name = device_name(b, diff.b.devices[e]);
    if (unpaired == pairs.end()) {
      pairs.push_back({name, {}, e});
      unpaired = pairs.end();
    } else {
      unpaired->name += ", " + name;
      unpaired->b = e;
    }
  }
  return pairs;
}

}  // namespace

std::string name_across_traces(std::string_view name) {
  if (is_profiler_step(name)) return "ProfilerStep#*";
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t found = name.find("0x", at);
    if (found == std::string_view::npos) break;
    std::size_t end = found + 2;
    while (end < name.size() && is_hex(name[end])) ++end;
    const bool is_address = end - found - 2 >= 6;
    result.append(name.substr(at, found - at)).append(is_address ? "0x*" : name.substr(found, end - found));
    at = end;
    name.remove_prefix(at);
    at = 0;
  }
  return result.append(name);
}

double TraceDiff::value(const DiffNumbers& numbers, DiffKey key, double steps) {
  switch (key) {
    case DiffKey::kTotal:
      return static_cast<double>(numbers.total) / steps;
    case DiffKey::kSelf:
      return static_cast<double>(numbers.self) / steps;
    case DiffKey::kCount:
      return static_cast<double>(numbers.count) / steps;
    case DiffKey::kAverage:
      return numbers.average();
  }
  return 0;
}

TraceDiff compute_diff(const DiffSide& a, const DiffSide& b, const DiffOptions& options) {
  TraceDiff diff;
  diff.a = compute_report(*a.trace, a.source, options.report);
  diff.b = compute_report(*b.trace, b.source, options.report);
  Rows rows(diff.rows);
  rows.add(a, diff.a.window, &DiffRow::a);
  rows.add(b, diff.b.window, &DiffRow::b);

  const bool has_steps = diff.a.steps.has_steps() && diff.b.steps.has_steps();
  const double steps_a = measured_steps(diff.a);
  const double steps_b = measured_steps(diff.b);
  using PerStep = DiffOptions::PerStep;
  diff.is_per_step = has_steps && (options.per_step == PerStep::kAlways ||
                                   (options.per_step == PerStep::kWhenTheyDiffer && steps_a != steps_b));
  if (diff.is_per_step) {
    diff.steps_a = steps_a;
    diff.steps_b = steps_b;
  }
  diff.devices = pair_devices(a, b, diff);
  diff.kernels = pair_kernels(a, b, diff);
  diff.structure = compare_structure(a, b, diff);
  sort_diff(diff, DiffKey::kTotal);
  return diff;
}

void sort_diff(TraceDiff& diff, DiffKey key) {
  sort_stably(diff.rows, [&](const DiffRow& x, const DiffRow& y) {
    const double of_x = std::abs(diff.difference(x, key));
    const double of_y = std::abs(diff.difference(y, key));
    return of_x != of_y ? of_x > of_y : x.name < y.name;
  });
}

}  // namespace lacuna
