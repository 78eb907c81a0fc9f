#include "model/columns/gpu_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/formats/chrome/json_text.h"
#include "model/formats/json_cursor.h"
#include "model/input/bytes.h"

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

/// What an annotation says: itself, or where it is JSON as text (one object, or a list of them, the innermost scope
/// first) the first of its texts that name a place.
std::string said_by(std::string_view content) {
  std::string text;
  append_unescaped(content, text);
  if (!text.starts_with('{') && !text.starts_with('[')) return std::string(content);
  const auto bytes = make_memory_bytes(text);
  JsonCursor cursor(*bytes);
  std::array<std::string, 3> said;  // by how much it tells
  const auto read_object = [&] {
    for (std::string key; cursor.next_member(key);) {
      const std::size_t n = key == "module_fqn" ? 0 : key == "name" ? 1 : 2;
      if ((n == 2 && key != "str") || cursor.kind() != '"' || !said[n].empty())
        cursor.skip();
      else
        said[n] = cursor.text();
    }
  };
  if (cursor.kind() == '{') {
    read_object();
  } else {
    while (cursor.next_entry())
      if (cursor.begins('{')) read_object();
  }
  for (std::string& place : said)
    if (!place.empty()) return std::move(place);
  return text;
}

/// Kineto writes 0 where its calculator finds no room for a single block, as for kernels with more
/// shared memory than it knows of (Hopper's and Blackwell's matrix kernels). They ran, so that one
/// block on a part of the multiprocessors is the least: if that is 1 % or more, 0 is no estimate.
bool is_failed_estimate(const GpuArguments& facts) {
  constexpr double kMostThreads = 2048;  // of a multiprocessor; newer small ones have fewer
  const double threads = static_cast<double>(facts.block[0]) * facts.block[1] * facts.block[2];
  const double blocks = std::min(1.0, static_cast<double>(facts.blocks_per_sm));
  return facts.occupancy == 0 && blocks * threads >= 0.01 * kMostThreads;
}

}  // namespace

std::span<const std::string_view> gpu_argument_keys() {
  static constexpr std::array<std::string_view, 10> kKeys{"bytes",         "est. achieved occupancy %",
                                                          "blocks per SM", "grid",
                                                          "block",         "graph node id",
                                                          "module_fqn",    "name",
                                                          "str",           "annotation"};
  return kKeys;
}

GpuArguments parse_gpu_arguments(std::span<const std::string_view> values) {
  GpuArguments facts;
  facts.bytes = static_cast<std::uint64_t>(number(values[0], 0));
  facts.occupancy = static_cast<float>(number(values[1], -1));
  facts.blocks_per_sm = static_cast<float>(number(values[2], -1));
  facts.grid = three_numbers(values[3]);
  facts.block = three_numbers(values[4]);
  constexpr std::size_t kNode = 5;
  if (values.size() > kNode && !values[kNode].empty()) {
    // Ids have the graph's number in their upper half: a double would lose the lower one.
    const std::string_view digits = token_content(values[kNode]);
    std::from_chars(digits.data(), digits.data() + digits.size(), facts.graph_node);
    for (std::size_t v = kNode + 1; v < values.size() && facts.graph_node != 0 && facts.annotation.empty(); ++v)
      facts.annotation = said_by(token_content(values[v]));
  }
  if (is_failed_estimate(facts)) facts.occupancy = -1;
  return facts;
}

}  // namespace lacuna
