#include "app/tables/request_table.h"

#include <string>

#include <fmt/format.h>

namespace lacuna {
namespace {

std::string known_duration(std::optional<Nanos> time) {
  return time ? format_duration(*time) : "-";
}

JsonText idle_causes_json(const FirstTokenTime& time) {
  std::string json;
  for (const GapCause cause : all_gap_causes())
    if (const Nanos idle = time.idle_by[static_cast<std::size_t>(cause)]; idle != 0)
      json += fmt::format("{}\"{}\":{}", json.empty() ? "" : ",", cause_key(cause), idle);
  return {"{" + json + "}"};
}

}  // namespace

Table request_table(std::span<const RequestRow> rows) {
  using Row = RequestRow;
  TableOf<Row> table(rows);
  table.name({"Request", "id"}, [](const Row& row) { return std::string_view(row.request->id); });
  table.number({"Arrival", "arrivalNs", 3}, &Row::arrival, [](const Row& row) {
    return row.arrival ? format_duration(saturating_sub(*row.arrival, row.begin)) : std::string("-");
  });
  table.value("arrivalUnixNs", [](const Row& row) { return row.request->span.begin; });
  const auto said = [&](std::string title, std::string key, int drop, std::optional<Nanos> Request::*time) {
    table.number(
        {std::move(title), std::move(key), drop}, [time](const Row& row) { return row.request->*time; },
        [time](const Row& row) { return known_duration(row.request->*time); });
  };
  said("Queue", "queueNs", 0, &Request::queue_time);
  said("Prefill", "prefillNs", 0, &Request::prefill_time);
  said("Decode", "decodeNs", 0, &Request::decode_time);
  said("First token", "timeToFirstTokenNs", 0, &Request::time_to_first_token);
  said("End to end", "endToEndNs", 0, &Request::end_to_end);
  const auto tokens = [&](std::string title, std::string key, std::optional<std::int64_t> Request::*count) {
    table.number(
        {std::move(title), std::move(key), 5}, [count](const Row& row) { return row.request->*count; },
        [count](const Row& row) {
          const auto known = row.request->*count;
          return known ? format_count(static_cast<std::uint64_t>(*known)) : std::string("-");
        });
  };
  tokens("Prompt", "promptTokens", &Request::prompt_tokens);
  tokens("Tokens", "completionTokens", &Request::completion_tokens);
  table.value("hasStages", [](const Row& row) { return row.request->has_stages; });
  const auto part = [&](std::string title, FirstTokenPart which) {
    const auto time = [which](const Row& row) {
      return *row.first_token ? std::optional((*row.first_token)->at(which)) : std::nullopt;
    };
    const std::string key(first_token_part_key(which));
    if (title.empty())
      table.value(key, time);
    else
      table.number({std::move(title), key, 4}, time, [time](const Row& row) {
        const bool may_be_more = *row.first_token && (*row.first_token)->at(FirstTokenPart::kUnknown) > 0;
        return may_be_more && time(row) == 0 ? std::string("-") : known_duration(time(row));
      });
  };
  part("", FirstTokenPart::kAroundEngine);
  part("", FirstTokenPart::kQueued);
  table.value("queuedIdleNs", [](const Row& row) {
    return *row.first_token ? (*row.first_token)->queued_idle : std::optional<Nanos>();
  });
  part("Own steps", FirstTokenPart::kOwnSteps);
  part("Other steps", FirstTokenPart::kOtherSteps);
  part("", FirstTokenPart::kOtherWork);
  part("GPU idle", FirstTokenPart::kIdle);
  part("", FirstTokenPart::kNotRecorded);
  part("", FirstTokenPart::kUnknown);
  table
      .value("idleCauses",
             [](const Row& row) {
               return *row.first_token ? std::optional(idle_causes_json(**row.first_token)) : std::nullopt;
             })
      .is_json = true;
  return table;
}

}  // namespace lacuna
