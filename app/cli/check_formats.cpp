// The verdict for pull requests, for test reports and for programs.

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/check.h"
#include "app/cli/json_writer.h"
#include "app/cli/text_table.h"
#include "app/tables/diff_summary.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// Text in which nothing is markup.
std::string markdown_text(std::string_view text) {
  std::string plain;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_[]<>#|~&").find(c) != std::string_view::npos) plain.push_back('\\');
    plain.push_back(c);
  }
  return plain;
}

/// A name in a cell of a table, as code.
std::string markdown_name(std::string_view name) {
  if (name.empty()) return {};
  std::string cell = "`";
  for (const char c : printable(name)) {
    if (c == '|') cell.push_back('\\');
    cell.push_back(c == '`' ? '\'' : c);
  }
  return cell + "`";
}

std::string xml_text(std::string_view text) {
  std::string xml;
  for (const char c : printable(text)) switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      default:
        xml.push_back(c);
    }
  return xml;
}

Json change_json(const MedianChange& change) {
  const bool has_part = change.a != 0;
  return {{"a", change.a},
          {"b", change.b},
          {"difference", change.difference()},
          {"error", change.error()},
          {"low", change.low},
          {"high", change.high},
          {"part", has_part ? Json(change.part()) : Json()},
          {"lowPart", has_part ? Json(change.low_part) : Json()},
          {"highPart", has_part ? Json(change.high_part) : Json()},
          {"countA", change.count_a},
          {"countB", change.count_b},
          {"enough", change.is_enough}};
}

}  // namespace

void write_check_markdown(const RunCheck& check, const CheckCommand& how, Output& out) {
  const LimitState state = check.state();
  const std::string_view mark = state == LimitState::kExceeded ? "\xE2\x9D\x8C"  // a cross
                                : state == LimitState::kKept   ? "\xE2\x9C\x85"  // a tick
                                                               : "\xE2\x9D\x94";   // a question mark
  out.write(fmt::format("{} **{}**\n\n", mark, markdown_text(check_sentence(check))));
  for (const std::string& note : check_notes(check)) out.write("- " + markdown_text(note) + "\n");
  out.write("\n| Limit | Answer |\n|---|---|\n");
  for (const LimitAnswer& answer : check.limits)
    out.write(fmt::format("| {} | {} |\n", markdown_name(answer.limit.text), markdown_text(limit_answer_text(answer))));
  if (check.rows.empty()) return;
  const std::size_t shown = how.limit == 0 ? check.rows.size() : std::min(how.limit, check.rows.size());
  out.write("\n| What | Name | A a step | B a step | B - A | At the least |\n|---|---|--:|--:|--:|--:|\n");
  for (std::size_t r = 0; r < shown; ++r) {
    const CheckRow& row = check.rows[r];
    out.write(fmt::format("| {} | {} | {} | {} | {} | {} |\n", sample_kind_key(row.kind), markdown_name(row.name),
                          rounded_duration(row.change.a), rounded_duration(row.change.b),
                          signed_duration(row.change.difference()),
                          signed_duration(row.change.is_less() ? row.change.high : row.change.low)));
  }
  if (shown < check.rows.size())
    out.write(fmt::format("\n{} of {} rows\n", format_count(shown), format_count(check.rows.size())));
}

void write_check_junit(const RunCheck& check, Output& out) {
  const auto count = [&](LimitState state) { return std::ranges::count(check.limits, state, &LimitAnswer::state); };
  out.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  out.write(fmt::format("<testsuite name=\"lacuna check\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                        check.limits.size(), count(LimitState::kExceeded), count(LimitState::kUnknown)));
  const std::string sentence = xml_text(check_sentence(check));
  for (const LimitAnswer& answer : check.limits) {
    out.write(fmt::format("  <testcase classname=\"lacuna.check\" name=\"{}\"", xml_text(answer.limit.text)));
    if (answer.state == LimitState::kKept) {
      out.write("/>\n");
      continue;
    }
    const std::string_view element = answer.state == LimitState::kExceeded ? "failure" : "skipped";
    out.write(fmt::format(">\n    <{0} message=\"{1}\">{2}</{0}>\n  </testcase>\n", element,
                          xml_text(limit_answer_text(answer)), sentence));
  }
  out.write(fmt::format("  <system-out>{}</system-out>\n</testsuite>\n", sentence));
}

void write_check_json(const RunCheck& check, const CheckCommand&, Output& out) {
  JsonWriter json(out);
  json.member("verdict", check_verdict_key(check.verdict));
  json.member("sentence", check_sentence(check));
  json.member("notes", check_notes(check));
  json.member("state", limit_state_key(check.state()));
  json.member("runsA", check.runs_a);
  json.member("runsB", check.runs_b);
  json.member("step", change_json(check.step));
  json.member("activities", change_json(check.activities));
  json.begin_list("limits");
  for (const LimitAnswer& answer : check.limits)
    json.element({{"limit", answer.limit.text},
                  {"state", limit_state_key(answer.state)},
                  {"found", answer.is_found},
                  {"change", change_json(answer.change)}});
  json.end();
  json.begin_list("changes");
  for (const CheckRow& row : check.rows)
    json.element({{"kind", sample_kind_key(row.kind)}, {"name", row.name}, {"change", change_json(row.change)}});
  json.end();
  json.finish();
}

}  // namespace lacuna
