#include "model/formats/perfetto/clock_table.h"

#include <algorithm>

#include "model/formats/wire_message.h"

namespace lacuna {
namespace {

std::optional<Nanos> shifted(Nanos time, Nanos from, Nanos to) {
  Nanos result = 0;
  if (__builtin_sub_overflow(time, from, &result) || __builtin_add_overflow(result, to, &result)) return std::nullopt;
  return result;
}

}  // namespace

void ClockTable::add_snapshot(std::string_view message, std::uint32_t sequence) {
  WireMessage snapshot(message);
  WireField field;
  std::map<Key, Nanos> readings;
  while (snapshot.next(field)) {
    if (field.number == 2 && !is_trace_clock_said_ && field.value != 0) {
      is_trace_clock_said_ = true;
      trace_clock_ = static_cast<std::uint32_t>(field.value);
    }
    if (field.number != 1) continue;
    std::uint32_t id = 0;
    std::uint64_t time = 0, unit = 1;
    bool is_incremental = false;
    WireMessage clock(field.bytes);
    for (WireField part; clock.next(part);) {
      if (part.number == 1) id = static_cast<std::uint32_t>(part.value);
      if (part.number == 2) time = part.value;
      if (part.number == 3) is_incremental = part.flag();
      if (part.number == 4) unit = std::max<std::uint64_t>(part.value, 1);
    }
    Nanos ns = 0;
    if (id == 0 || __builtin_mul_overflow(time, unit, &ns)) continue;
    Clock& known = clocks_[key_of(id, sequence)];
    known.unit_ns = unit;
    known.is_incremental = is_incremental;
    known.last = ns;
    known.readings.push_back({ns, snapshots_.size(), 0});
    readings[key_of(id, sequence)] = ns;
  }
  if (const auto trace = readings.find({0, trace_clock_}); trace != readings.end()) {
    for (const auto& [key, ns] : readings) clocks_[key].tied.push_back({ns, snapshots_.size(), trace->second});
  }
  if (!readings.empty()) snapshots_.push_back(std::move(readings));
}

std::optional<Nanos> ClockTable::to_trace(std::uint32_t clock, std::uint32_t sequence, std::uint64_t time) {
  if (clock == 0) clock = trace_clock_;
  const auto known = clocks_.find(key_of(clock, sequence));
  Nanos ns = 0;
  if (known == clocks_.end()) {
    if (__builtin_add_overflow(time, Nanos{0}, &ns)) return std::nullopt;
    return clock == trace_clock_ ? std::optional(ns) : std::nullopt;
  }
  Clock& found = known->second;
  if (__builtin_mul_overflow(time, found.unit_ns, &ns)) return std::nullopt;
  if (found.is_incremental) {
    if (__builtin_add_overflow(found.last, ns, &ns)) return std::nullopt;
    found.last = ns;
  }
  if (clock == trace_clock_) return ns;
  return convert(found, ns);
}

/// The last one at or before the time, else the first.
const ClockTable::Reading* ClockTable::reading_for(const std::vector<Reading>& readings, Nanos time) {
  if (readings.empty()) return nullptr;
  const auto after = std::ranges::upper_bound(readings, time, {}, &Reading::time);
  return after == readings.begin() ? &*after : &*(after - 1);
}

std::optional<Nanos> ClockTable::convert(const Clock& clock, Nanos time) const {
  if (const Reading* tied = reading_for(clock.tied, time)) return shifted(time, tied->time, tied->trace_time);
  // Over a clock that one snapshot ties to this one, and another to the trace's.
  const Reading* reading = reading_for(clock.readings, time);
  if (reading == nullptr) return std::nullopt;
  for (const auto& [key, between] : snapshots_[reading->snapshot]) {
    const auto there = shifted(time, reading->time, between);
    const Reading* tied = there ? reading_for(clocks_.at(key).tied, *there) : nullptr;
    if (tied != nullptr) return shifted(*there, tied->time, tied->trace_time);
  }
  return std::nullopt;
}

std::optional<Nanos> ClockTable::base_time() const {
  if (trace_clock_ == kRealtime) return 0;
  for (const auto& readings : snapshots_) {
    const auto real = readings.find({0, kRealtime});
    const auto trace = readings.find({0, trace_clock_});
    if (real != readings.end() && trace != readings.end()) return shifted(real->second, trace->second, 0);
  }
  return std::nullopt;
}

}  // namespace lacuna
