#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/json_writer.h"
#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "app/tables/request_table.h"
#include "model/base/quantiles.h"
#include "model/import/alignment.h"
#include "model/import/request_files.h"
#include "model/import/request_lanes.h"
#include "model/job/late_waits.h"
#include "model/report/report_parts.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kRequestRows = 25;

struct RequestsCommand {
  std::optional<std::size_t> limit;
  bool json = false, csv = false;
  std::size_t width = 0;

  void add_to(CLI::App& app) {
    app.add_option("--limit", limit,
                   fmt::format("Rows; 0 = all (default: {}; with --json and --csv all)", kRequestRows))
        ->check(is_count)
        ->type_name("N");
    add_json_flag(app, json);
    app.add_flag("--csv", csv, "Write CSV");
  }
};

/// What the trace and the files say together.
struct RequestAnswer {
  std::vector<std::string> paths;
  RequestFile all;            ///< of all files; times since 1970
  std::string compared_with;  ///< the file whose GPU it is; empty: none has any
  std::optional<Nanos> clock;
  std::vector<Request> on_clock;  ///< the same requests at the times of the trace
  RequestTimes times;
  std::vector<RequestRow> rows;
  bool is_of_several = false;  ///< files with GPUs
};

Result<std::vector<std::string>> request_paths(const Trace& trace, const LoadOptions& load) {
  if (!load.import.requests.empty()) return std::vector{load.import.requests};
  std::vector<std::string> traces, found;
  for (const TraceSource& source : trace.sources()) (has_requests(source) ? found : traces).push_back(source.path);
  if (found.empty()) found = find_request_files(traces);
  if (found.empty())
    return fail(ErrorCode::kNotFound,
                "no requests are beside the trace: --requests FILE names the spans that the server wrote "
                "(OpenTelemetry JSON); TRACE.otel.json and requests.json are found",
                traces.empty() ? std::string() : traces.front());
  return found;
}

Result<void> read_answer(const Trace& trace, const LoadOptions& load, RequestAnswer& answer) {
  auto paths = request_paths(trace, load);
  if (!paths) return tl::make_unexpected(paths.error());
  answer.paths = std::move(*paths);
  for (const std::string& path : answer.paths) {
    auto file = read_request_file(path, load.import.max_json_bytes);
    if (!file) return tl::make_unexpected(file.error());
    answer.all.requests.insert(answer.all.requests.end(), file->requests.begin(), file->requests.end());
    answer.all.stage_spans += file->stage_spans;
    answer.all.other_spans += file->other_spans;
    answer.all.bad_spans += file->bad_spans;
  }
  answer.is_of_several = reported_sources(trace).size() > 1;
  const CauseIndex index(trace, late_ranks_or_none(trace));
  if (const auto source = find_server_source(trace)) {
    answer.clock = to_absolute(trace, *source);
    answer.compared_with = trace.sources()[source->value].title();
  }
  answer.on_clock = answer.all.requests;
  shift_requests(answer.on_clock, saturating_sub(0, answer.clock.value_or(0)));
  answer.times = split_first_tokens(index, answer.on_clock, answer.clock.has_value());
  for (std::size_t r = 0; r < answer.on_clock.size(); ++r) {
    RequestRow row{&answer.all.requests[r], {}, answer.times.recorded.begin, &answer.times.first_tokens[r]};
    if (answer.clock) row.arrival = answer.on_clock[r].span.begin;
    answer.rows.push_back(row);
  }
  return {};
}

std::string share_of(Nanos part, Nanos whole) {
  return whole <= 0 ? "-" : format_percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string median_words(const RequestAnswer& answer, std::string_view title, std::optional<Nanos> Request::*time) {
  std::vector<Nanos> known;
  for (const Request& request : answer.all.requests)
    if (request.*time) known.push_back(*(request.*time));
  if (known.empty()) return fmt::format("{} unknown", title);
  return fmt::format("{} {}", title, format_duration(median_of(std::move(known))));
}

void print_first_token_parts(const FirstTokenTime& total, std::size_t width, Output& out) {
  out.write("\nTime to the first token, of the requests in the recording that have it:\n");
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string part, Nanos time) {
    rows.push_back({std::move(part), format_duration(time), share_of(time, total.whole)});
  };
  for (std::size_t p = 0; p < kFirstTokenPartCount; ++p) {
    const auto part = static_cast<FirstTokenPart>(p);
    if (total.at(part) == 0) continue;
    add(std::string(first_token_part_name(part)), total.at(part));
    if (part == FirstTokenPart::kQueued && total.queued_idle) add("  with the GPU idle", *total.queued_idle);
    if (part != FirstTokenPart::kIdle) continue;
    for (const GapCause cause : all_gap_causes())
      if (const Nanos idle = total.idle_by[static_cast<std::size_t>(cause)]; idle != 0)
        add(fmt::format("  {}", cause_name(cause)), idle);
  }
  add("all", total.whole);
  print_table(table_of_texts({{{"Part"}}, {{"Time"}, true}, {{"Share"}, true}}, rows), width, out);
}

/// What a reader of the numbers has to know.
void print_request_notes(const RequestAnswer& answer, std::size_t width, Output& out) {
  const RequestTimes& times = answer.times;
  std::vector<std::string> notes;
  if (!times.source)
    notes.push_back("The trace has no GPU work: what the GPU did is unknown.");
  else if (!answer.clock)
    notes.push_back(
        "The trace does not tell when it was recorded (baseTimeNanoseconds): its times and those of requests "
        "cannot be compared, so what the GPU did is unknown.");
  else if (times.outside == answer.rows.size() && !answer.rows.empty())
    notes.push_back(
        "None of the requests lies in the time of the recording: they are of another run, or of a machine "
        "whose clock differs.");
  else if (times.outside > 0)
    notes.push_back(fmt::format("{} of the requests lie outside of the recording, and do not count in these sums.",
                                format_count(times.outside)));
  if (answer.is_of_several)
    notes.push_back(fmt::format("Of the files of the trace, the GPU is that of {}.", printable(answer.compared_with)));
  if (times.source && times.engine_steps == 0)
    notes.push_back("The trace has no steps that tell prefill and decode: GPU work counts as other GPU work.");
  if (std::ranges::none_of(times.first_tokens, [](const auto& time) { return time.has_value(); }))
    notes.push_back("No request says its time to the first token.");
  for (const Request& request : answer.all.requests)
    if (request.prefill && !request.has_stages) {
      notes.push_back(
          "The server tells how long queue and prefill took, not when: they are taken to end with the first "
          "token.");
      break;
    }
  if (!notes.empty()) out.write("\n");
  for (const std::string& note : notes) write_wrapped("", note, width, out);
}

void print_requests_text(const RequestAnswer& answer, const Table& table, std::size_t width, Output& out) {
  for (const std::string& path : answer.paths) out.write(printable(path) + "\n");
  std::string line = counted(answer.all.requests.size(), "request");
  if (answer.all.other_spans > 0) line += "; " + counted(answer.all.other_spans, "other span");
  if (answer.all.bad_spans > 0) line += "; left out without times: " + counted(answer.all.bad_spans, "span");
  out.write(line + "\n");
  if (answer.rows.empty()) return;
  out.write(fmt::format("Medians: {}, {}, {}, {}, {}\n", median_words(answer, "queue", &Request::queue_time),
                        median_words(answer, "prefill", &Request::prefill_time),
                        median_words(answer, "decode", &Request::decode_time),
                        median_words(answer, "first token", &Request::time_to_first_token),
                        median_words(answer, "end to end", &Request::end_to_end)));
  if (answer.times.total.whole > 0) print_first_token_parts(answer.times.total, width, out);
  print_request_notes(answer, width, out);
  out.write("\n");
  print_hidden(print_table(table, width, out), out);
  if (table.rows < answer.rows.size())
    out.write(fmt::format("… and {} more rows: --limit 0\n", format_count(answer.rows.size() - table.rows)));
}

Json first_token_json(const FirstTokenTime& total) {
  Json json = {{"totalNs", total.whole}};
  for (std::size_t p = 0; p < kFirstTokenPartCount; ++p)
    json[std::string(first_token_part_key(static_cast<FirstTokenPart>(p)))] = total.parts[p];
  json["queuedIdleNs"] = total.queued_idle ? Json(*total.queued_idle) : Json();
  Json causes = Json::object();
  for (const GapCause cause : all_gap_causes())
    if (const Nanos idle = total.idle_by[static_cast<std::size_t>(cause)]; idle != 0)
      causes[std::string(cause_key(cause))] = idle;
  json["idleCauses"] = std::move(causes);
  return json;
}

void print_requests_json(const RequestAnswer& answer, const Table& table, Output& out) {
  JsonWriter json(out);
  json.member("files", answer.paths);
  json.member("requestCount", answer.all.requests.size());
  json.member("stageSpans", answer.all.stage_spans);
  json.member("otherSpans", answer.all.other_spans);
  json.member("badSpans", answer.all.bad_spans);
  json.member("clockUnixNs", answer.clock ? Json(*answer.clock) : Json());
  const bool is_recorded = answer.times.source && !answer.times.recorded.empty();
  json.member("recordedBeginNs", is_recorded ? Json(answer.times.recorded.begin) : Json());
  json.member("recordedEndNs", is_recorded ? Json(answer.times.recorded.end) : Json());
  json.member("outsideRecording", answer.times.outside);
  json.member("comparedWith", answer.compared_with.empty() ? Json() : Json(answer.compared_with));
  json.member("engineSteps", answer.times.engine_steps);
  json.member("firstToken", first_token_json(answer.times.total));
  write_json_rows(table, "rows", json, out);
  json.finish();
}

Result<void> print_requests(const Trace& trace, const LoadOptions& load, const RequestsCommand& command, Output& out) {
  RequestAnswer answer;
  if (auto read = read_answer(trace, load, answer); !read) return read;
  Table table = request_table(answer.rows);
  const bool is_text = !command.json && !command.csv;
  table.limit(command.limit.value_or(is_text ? kRequestRows : 0));
  if (is_text)
    print_requests_text(answer, table, command.width, out);
  else if (command.csv)
    write_csv(table, out);
  else
    print_requests_json(answer, table, out);
  return {};
}

constexpr const char* kRequestsHelp =
    R"help(Requests to an inference server, as vLLM (--otlp-traces-endpoint) and SGLang (--enable-trace) write them to
OpenTelemetry, in the JSON that the collector's file exporter makes: --requests FILE, else TRACE.otel.json or
requests.json beside the trace. Both clocks are Unix time: a trace that does not tell when it was recorded is
compared with nothing.
The time to the first token is split by what the request waited for; the parts add up to it:
  around the engine  neither queue nor prefill: HTTP, tokenising, handing on and out
  queued             in the queue of the scheduler; and how much of that the GPU was idle
  steps with it      in its prefill, the GPU at work for steps that read prompts in that time
  other steps        in its prefill, the GPU at work for other steps, such as decode
  other GPU work     in its prefill, the GPU at work for no step that the trace tells
  GPU idle           in its prefill, by the cause of the gap (lacuna gaps --causes)
  not recorded       in its prefill, before or after the recording
  unknown            spans or trace do not tell
vLLM tells how long queue and prefill took, not when: they are taken to end with the first token.
SGLang tells both with spans of their own (trace level 1); without those, queue and prefill are unknown.
JSON: files, requestCount, stageSpans, otherSpans (no requests), badSpans (without times, left out), clockUnixNs (0 of
the trace, null: not known), recordedBeginNs, recordedEndNs, outsideRecording (requests), comparedWith (the file whose
GPU it is), engineSteps, firstToken (of the others: totalNs, the parts, queuedIdleNs, idleCauses: ns by cause), rows[]
by arrival: id, arrivalNs (of the trace), arrivalUnixNs, queueNs, prefillNs, decodeNs, timeToFirstTokenNs, endToEndNs,
promptTokens, completionTokens, hasStages, aroundEngineNs, queuedNs, queuedIdleNs (of it, with the GPU idle),
ownStepsNs, otherStepsNs, otherWorkNs, idleNs, notRecordedNs, unknownNs, idleCauses; null where unknown.
)help";

}  // namespace

Command requests_command(CommandContext& context) {
  return make_command(
      "requests", "Requests of a server: queue, prefill, decode, and what the first token waited for", kRequestsHelp,
      std::make_shared<RequestsCommand>(),
      [&context](const RequestsCommand& command) {
        return answer_about_traces(context, [&](const Trace& trace, Output& out) {
          return print_requests(trace, context.load, command, out);
        });
      },
      &context.load);
}

}  // namespace lacuna
