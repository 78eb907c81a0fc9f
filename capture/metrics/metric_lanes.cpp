#include "capture/metrics/metric_lanes.h"

#include <cmath>

#include <fmt/format.h>

namespace lacuna {
namespace {

constexpr std::uint64_t kTellAgainNs = 500'000'000;

}  // namespace

std::string MetricLanes::text(const Values& values) {
  std::string text;
  for (const auto& [series, value] : values)
    text += fmt::format("{}\"{}\":{:.0f}", text.empty() ? "" : ",", series, std::isfinite(value) ? value : 0.0);
  return text;
}

void MetricLanes::add(std::uint64_t time, std::uint32_t pid, std::string name, std::string values) {
  Sent& sent = sent_[{pid, name}];
  if (sent.time != 0 && sent.values == values && time - sent.time < kTellAgainNs) return;
  sent = {time, values};
  samples_.push_back({time, pid, std::move(name), std::move(values)});
}

}  // namespace lacuna
