#include "app/finding/finding_view.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

#include <nlohmann/json.hpp>

#include "app/cut/json_text.h"
#include "model/base/os/files.h"
#include "model/input/bytes.h"

namespace lacuna {
namespace {

using ViewJson = nlohmann::json;

constexpr std::uint64_t kMostMemberBytes = 4u << 20;

bool is_zip_file(const std::string& path) {
  const auto facts = facts_at(path);
  if (!facts || !facts->is_regular()) return false;  // a pipe would lose its begin
  std::array<char, 4> head{};
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), head.size()) && std::string_view(head.data(), head.size()) == "PK\x03\x04";
}

std::optional<TimeSpan> span_of(const ViewJson& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_object()) return std::nullopt;
  const auto begin = found->find("beginNs"), end = found->find("endNs");
  if (begin == found->end() || end == found->end() || !begin->is_number_integer() || !end->is_number_integer())
    return std::nullopt;
  const TimeSpan span{begin->get<Nanos>(), end->get<Nanos>()};
  return span.begin < span.end ? std::optional(span) : std::nullopt;
}

std::string read_member(const std::string& path, std::string_view name) {
  if (!is_zip_file(path)) return {};
  const auto opened = open_file(path + "/" + std::string(name), kMostMemberBytes, nullptr);
  if (!opened) return {};
  std::string text;
  std::array<char, 1 << 14> block;
  while (const std::size_t got = opened->bytes->read_at(text.size(), block)) {
    text.append(block.data(), got);
    if (text.size() > kMostMemberBytes) return {};
  }
  const ImportBytes::Ending ending = opened->bytes->ending();
  return ending.is_truncated || ending.error ? std::string() : text;
}

}  // namespace

std::string read_finding_view(const std::string& path) {
  return read_member(path, kFindingView);
}

std::vector<std::string> read_finding_queries(const std::string& path) {
  return split_queries(read_member(path, kFindingQueries));
}

std::vector<std::string> split_queries(std::string_view sql) {
  std::vector<std::string> queries;
  std::size_t begin = 0;
  char quote = 0;  // the one that a literal or a name began with
  for (std::size_t at = 0; at < sql.size() && queries.size() < kMostFindingQueries; ++at) {
    const char c = sql[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ';' && (at + 1 == sql.size() || sql[at + 1] == '\n')) {
      const std::string_view query = sql.substr(begin, at - begin);
      if (query.find_first_not_of(" \t\r\n") != std::string_view::npos) queries.emplace_back(query);
      begin = std::min(at + 2, sql.size());
    }
  }
  return queries;
}

FindingTimes finding_times(std::string_view view) {
  const ViewJson json = parse_json(view);
  if (!json.is_object()) return {};
  return {span_of(json, "view"), span_of(json, "range")};
}

std::string finding_steps(std::string_view view) {
  const ViewJson json = view.empty() ? ViewJson() : parse_json(view);
  const auto steps = json.is_object() ? json.find("stepsFrom") : json.end();
  return steps != json.end() && steps->is_string() ? steps->get<std::string>() : std::string();
}

std::string with_finding_times(std::string_view side_car, const FindingTimes& times) {
  ViewJson json = side_car.empty() ? ViewJson() : parse_json(side_car);
  if (!json.is_object()) json = {{"version", 1}, {"markers", ViewJson::array()}};
  json.erase("files");
  const auto put = [&](const char* name, const std::optional<TimeSpan>& span) {
    if (span) json[name] = {{"beginNs", span->begin}, {"endNs", span->end}};
  };
  put("view", times.view);
  put("range", times.range);
  return json.dump(1, ' ', false, ViewJson::error_handler_t::replace) + "\n";
}

}  // namespace lacuna
