#include "model/report/gpu_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/import/bulk_arguments.h"
#include "model/import/json_text.h"

namespace lacuna {
namespace {

double number(std::string_view token, double otherwise) {
  const std::string_view content = token_content(token);
  double value = 0;
  const auto [end, error] = std::from_chars(content.data(), content.data() + content.size(), value);
  const bool is_whole = error == std::errc{} && end == content.data() + content.size();
  return is_whole && value >= 0 && value < 1e18 ? value : otherwise;
}

/// "[110, 1, 1]"
std::array<std::int32_t, 3> three_numbers(std::string_view token) {
  std::array<std::int32_t, 3> result{};
  std::size_t n = 0;
  for (std::size_t at = 0; at < token.size() && n < 3; ++at) {
    if (token[at] < '0' || token[at] > '9') continue;
    std::int64_t value = 0;
    for (; at < token.size() && token[at] >= '0' && token[at] <= '9'; ++at)
      value = std::min<std::int64_t>(value * 10 + (token[at] - '0'), 0x7fffffff);
    result[n++] = static_cast<std::int32_t>(value);
  }
  return n == 3 ? result : std::array<std::int32_t, 3>{};
}

}  // namespace

Result<std::vector<GpuArguments>> read_gpu_arguments(const Trace& trace,
                                                     const std::vector<SliceId>& activities,
                                                     unsigned threads) {
  std::vector<GpuArguments> result(activities.size());
  if (activities.empty()) return result;
  const FileOrder order = in_file_order(trace, activities);
  const TraceSource& source = trace.source_of(trace.track_of(activities.front()));

  constexpr std::array<std::string_view, 5> kKeys{"bytes", "est. achieved occupancy %",
                                                  "blocks per SM", "grid", "block"};
  const auto read = read_arguments_in_parallel(
      source, order.offsets, kKeys, threads,
      [&](std::size_t k, std::span<const std::string_view> values) {
        GpuArguments& facts = result[order.indices[k]];
        facts.bytes = static_cast<std::uint64_t>(number(values[0], 0));
        facts.occupancy = static_cast<float>(number(values[1], -1));
        facts.blocks_per_sm = static_cast<float>(number(values[2], -1));
        facts.grid = three_numbers(values[3]);
        facts.block = three_numbers(values[4]);
      });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

}  // namespace lacuna
