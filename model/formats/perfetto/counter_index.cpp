#include "model/formats/perfetto/counter_index.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/formats/wire_message.h"

namespace lacuna {
namespace {

constexpr std::int64_t kAnyGpu = -1;

/// GpuCounterDescriptor.MeasureUnit
std::string_view measure_unit(std::uint64_t unit) {
  constexpr std::array<std::string_view, 41> kUnits{
      "",   "bit", "Kbit", "Mbit",   "Gbit",  "Tbit",      "Pbit",     "B",          "KB", "MB", "GB",
      "TB", "PB",  "Hz",   "KHz",    "MHz",   "GHz",       "THz",      "PHz",        "ns", "us", "ms",
      "s",  "min", "h",    "vertex", "pixel", "triangle",  "mW",       "W",          "KW", "J",  "V",
      "A",  "C",   "F",    "K",      "%",     "primitive", "fragment", "instruction"};
  return unit < kUnits.size() ? kUnits[unit] : "";
}

/// GpuCounterDescriptor.GpuCounterGroup
std::string_view group_name(std::uint64_t group) {
  constexpr std::array<std::string_view, 8> kGroups{"",           "System", "Vertices", "Fragments",
                                                    "Primitives", "Memory", "Compute",  "Ray tracing"};
  return group < kGroups.size() ? kGroups[group] : "";
}

/// The groups of counters, by counter_id, with the names that the descriptor gives them: "Memory: caches; L2".
std::map<std::uint64_t, std::string> groups_of(std::string_view descriptor) {
  std::map<std::uint64_t, std::string> names;
  std::map<std::uint64_t, std::vector<std::uint64_t>> groups;
  const auto each = [](const WireField& field, auto take) { for_each_number(field, WireField::Type::kVarint, take); };
  WireMessage fields(descriptor);
  for (WireField field; fields.next(field);) {
    constexpr std::uint32_t kSpecifications = 1, kCounterGroups = 6;
    const bool is_group = field.number == kCounterGroups;
    if (!is_group && field.number != kSpecifications) continue;
    std::uint64_t number = 0;  // of the group or the counter
    std::string_view name, description;
    std::vector<std::uint64_t> others;
    WireMessage parts(field.bytes);
    for (WireField part; parts.next(part);) {
      if (part.number == 1) number = part.value;
      if (part.number == 2) name = part.bytes;
      if (part.number == 3) description = part.bytes;
      if (part.number == (is_group ? 4 : 10)) each(part, [&](std::uint64_t other) { others.push_back(other); });
    }
    if (is_group) names[number] = description.empty() ? std::string(name) : fmt::format("{}: {}", name, description);
    for (const std::uint64_t other : others) groups[is_group ? other : number].push_back(is_group ? number : other);
  }
  std::map<std::uint64_t, std::string> texts;
  for (const auto& [counter, of] : groups) {
    std::string& text = texts[counter];
    for (const std::uint64_t group : of) {
      const auto named = names.find(group);
      const std::string_view name = named == names.end() ? group_name(group) : named->second;
      if (!name.empty()) text.append(text.empty() ? "" : "; ").append(name);
    }
  }
  return texts;
}

void append_unit(std::string& text, std::string_view unit) {
  if (unit.empty()) return;
  if (!text.empty()) text += ':';
  text += unit;
}

}  // namespace

std::uint32_t CounterIndex::series_of(std::string key, Series made) {
  const auto [known, is_new] = series_by_key_.try_emplace(std::move(key), static_cast<std::uint32_t>(series_.size()));
  if (is_new) series_.push_back(std::move(made));
  return known->second;
}

std::uint32_t CounterIndex::series_of_gpu(Series made) {
  std::string key = fmt::format("gpu {} {}", made.pid, made.name);
  return series_of(std::move(key), std::move(made));
}

void CounterIndex::add(TrackTable::Index track, Nanos time, double value) {
  Series series;
  series.track = track;
  samples_.push_back({time, value, series_of(fmt::format("{}", track), std::move(series))});
}

void CounterIndex::add(TrackTable::Index track, std::string_view name, Nanos time, double value) {
  Series series;
  series.track = track;
  series.name = name;
  samples_.push_back({time, value, series_of(fmt::format("{} {}", track, name), std::move(series))});
}

void CounterIndex::add_gpu(std::int64_t gpu, std::string_view name, Nanos time, double value) {
  Series series;
  series.pid = gpu;
  series.name = name;
  samples_.push_back({time, value, series_of_gpu(std::move(series))});
}

void CounterIndex::add_specifications(std::string_view descriptor, std::int64_t gpu,
                                      std::map<SpecificationId, std::uint32_t>& specifications) {
  std::map<std::uint64_t, std::string> groups = groups_of(descriptor);
  WireMessage all(descriptor);
  for (WireField field; all.next(field);) {
    if (field.number != 1) continue;
    std::uint64_t id = 0, direction = 0;
    Series series;
    std::string numerator, denominator;
    WireMessage specification(field.bytes);
    for (WireField part; specification.next(part);) {
      if (part.number == 1) id = part.value;
      if (part.number == 2) series.name = part.bytes;
      if (part.number == 3) series.description = part.bytes;
      if (part.number == 11) direction = part.value;
      if (part.number == 7 || part.number == 8)
        for_each_number(part, WireField::Type::kVarint, [&](std::uint64_t unit) {
          append_unit(part.number == 7 ? numerator : denominator, measure_unit(unit));
        });
    }
    constexpr std::uint64_t kForwards = 2;
    series.unit = denominator.empty() ? numerator : fmt::format("{}/{}", numerator, denominator);
    series.is_backwards = direction != kForwards;
    series.pid = std::max<std::int64_t>(gpu, 0);
    if (series.name.empty()) series.name = fmt::format("counter {}", id);
    series.groups = std::move(groups[id]);
    const std::uint32_t number = series_of_gpu(std::move(series));
    specifications.try_emplace({gpu, id}, number);
    specifications.try_emplace({kAnyGpu, id}, number);
  }
}

std::uint64_t CounterIndex::add_event(std::string_view message, std::optional<Nanos> time, const InternedData& interned,
                                      InternedData::Generation generation) {
  std::int64_t gpu = kAnyGpu;
  std::string_view descriptor, interned_descriptor;
  WireMessage event(message);
  for (WireField field; event.next(field);) {
    if (field.number == 1) descriptor = field.bytes;
    if (field.number == 3) gpu = static_cast<std::int32_t>(field.value);
    if (field.number == 4) interned_descriptor = interned.find(generation, kInternedGpuCounters, field.value);
  }
  if (!descriptor.empty()) add_specifications(descriptor, gpu, specifications_);
  std::map<SpecificationId, std::uint32_t>* specifications = &specifications_;
  if (!interned_descriptor.empty()) {
    const auto [known, is_new] = interned_.try_emplace(interned_descriptor);
    specifications = &known->second;
    std::int64_t its_gpu = gpu;
    std::string_view its_descriptor;
    WireMessage entry(interned_descriptor);
    for (WireField field; entry.next(field);) {
      if (field.number == 2) its_descriptor = field.bytes;
      if (field.number == 3) its_gpu = static_cast<std::int32_t>(field.value);
    }
    if (is_new) add_specifications(its_descriptor, its_gpu, *specifications);
    gpu = its_gpu;
  }
  std::uint64_t lost = 0;
  WireMessage again(message);
  for (WireField field; again.next(field);) {
    if (field.number != 2) continue;
    std::uint64_t id = 0;
    double value = 0;
    WireMessage counter(field.bytes);
    for (WireField part; counter.next(part);) {
      if (part.number == 1) id = part.value;
      if (part.number == 2) value = static_cast<double>(part.integer());
      if (part.number == 3) value = part.real();
    }
    auto found = specifications->find({gpu, id});
    if (found == specifications->end()) found = specifications->find({kAnyGpu, id});
    if (!time || found == specifications->end()) {
      ++lost;
      continue;
    }
    std::uint32_t number = found->second;
    if (gpu >= 0 && series_[number].pid != gpu) {
      // Told of another GPU only: the same counter of this one.
      Series series = series_[number];
      series.pid = gpu;
      number = series_of_gpu(std::move(series));
    }
    samples_.push_back({*time, value, number});
  }
  return lost;
}

std::optional<Nanos> CounterIndex::first_time() const {
  const auto first = std::ranges::min_element(samples_, {}, &Sample::time);
  return first == samples_.end() ? std::nullopt : std::optional(first->time);
}

void CounterIndex::finish(const TrackTable& tracks) {
  for (Series& series : series_) {
    if (!series.track) continue;
    const PerfettoTrack& track = tracks.at(*series.track);
    series.pid = track.place.pid;
    series.name = tracks.counter_name(*series.track, series.name);
    if (track.counter) series.unit = track.counter->unit;
    series.description = track.description;
  }
  std::ranges::stable_sort(samples_, {}, &Sample::time);
  // A value that tells of the time before it stands where that began.
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> last(series_.size(), kNone);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (!series_[samples_[i].series].is_backwards) continue;
    const double value = std::exchange(samples_[i].value, 0);
    std::size_t& before = last[samples_[i].series];
    if (before != kNone) samples_[before].value = value;
    before = i;
  }
}

void CounterIndex::describe_series(TraceSink& sink) const {
  for (const Series& series : series_) {
    if (series.description.empty() && series.groups.empty()) continue;
    const std::array<std::pair<std::string_view, std::string_view>, 2> words{
        {{"description", series.description}, {"groups", series.groups}}};
    sink.describe_counter(series.pid, series.name, series.unit, words);
  }
}

void CounterIndex::write_sample(const Sample& sample, TraceSink& sink) const {
  const Series& series = series_[sample.series];
  sink.counter(series.name, series.pid, sample.time);
  sink.arguments();
  sink.argument(series.unit, sample.value);
  sink.end();
}

}  // namespace lacuna
