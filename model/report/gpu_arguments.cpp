#include "model/report/gpu_arguments.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "model/import/bulk_arguments.h"
#include "model/import/json_text.h"
#include "model/parallel.h"

namespace lacuna {
namespace {

double number(std::string_view token, double otherwise) {
  // A number is short; what is longer is none.
  std::array<char, 64> text{};
  const std::string_view content = token_content(token);
  if (content.empty() || content.size() >= text.size()) return otherwise;
  std::ranges::copy(content, text.begin());
  char* end = nullptr;
  const double value = std::strtod(text.data(), &end);
  return end == text.data() + content.size() && value >= 0 && value < 1e18 ? value : otherwise;
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
  std::vector<std::pair<std::uint64_t, std::uint32_t>> wanted;  // (offset, index)
  wanted.reserve(activities.size());
  for (std::uint32_t i = 0; i < activities.size(); ++i)
    wanted.emplace_back(trace.lane(activities[i]).file_offset(activities[i].index), i);
  if (!std::ranges::is_sorted(wanted)) std::ranges::sort(wanted);
  const TraceSource& source = trace.source_of(trace.track_of(activities.front()));

  constexpr std::array<std::string_view, 5> kKeys{"bytes", "est. achieved occupancy %",
                                                  "blocks per SM", "grid", "block"};
  // Parts of the file, larger than what one read fetches.
  constexpr std::size_t kPart = 20'000;
  const std::size_t parts = (wanted.size() + kPart - 1) / kPart;
  std::vector<Result<void>> outcomes(parts);
  parallel_for(parts, threads, [&](std::size_t p) {
    const std::size_t from = p * kPart;
    const std::size_t count = std::min(kPart, wanted.size() - from);
    std::vector<std::uint64_t> offsets(count);
    for (std::size_t k = 0; k < count; ++k) offsets[k] = wanted[from + k].first;
    outcomes[p] = read_arguments_in_bulk(
        source, offsets, kKeys, [&](std::size_t k, std::span<const std::string_view> values) {
          GpuArguments& facts = result[wanted[from + k].second];
          facts.bytes = static_cast<std::uint64_t>(number(values[0], 0));
          facts.occupancy = static_cast<float>(number(values[1], -1));
          facts.blocks_per_sm = static_cast<float>(number(values[2], -1));
          facts.grid = three_numbers(values[3]);
          facts.block = three_numbers(values[4]);
        });
  });
  for (const Result<void>& outcome : outcomes)
    if (!outcome) return tl::make_unexpected(outcome.error());
  return result;
}

}  // namespace lacuna
