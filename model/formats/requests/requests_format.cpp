#include "model/formats/requests/requests_format.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/formats/requests/requests.h"
#include "model/formats/trace_sink.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr SinkThread kServer{1, 1};
constexpr std::string_view kCategory = "request";

void write_request_arguments(TraceSink& sink, const Request& request) {
  sink.arguments();
  if (!request.id.empty()) sink.argument("id", std::string_view(request.id));
  const auto known = [&](std::string_view key, std::optional<std::int64_t> value) {
    if (value) sink.argument(key, *value);
  };
  known("queue_ns", request.queue_time);
  known("prefill_ns", request.prefill_time);
  known("decode_ns", request.decode_time);
  known("time_to_first_token_ns", request.time_to_first_token);
  known("end_to_end_ns", request.end_to_end);
  known("prompt_tokens", request.prompt_tokens);
  known("completion_tokens", request.completion_tokens);
  if (!request.has_stages && request.prefill)
    sink.argument("placed", std::string_view("by their lengths: the first token ends queue and prefill"));
  sink.end();
}

/// Rows for requests by arrival, so that none lies in the row of another that goes on. O(log rows) each.
class RequestRows {
 public:
  /// From 1 on.
  std::size_t row_of(const Request& request) {
    while (!busy_.empty() && busy_.top().first <= request.span.begin) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    std::size_t row = std::min(used_ + 1, kMostRows);
    if (!free_.empty()) {
      row = free_.top();
      free_.pop();
    }
    used_ = std::max(used_, row);
    busy_.emplace(request.span.end, row);
    return row;
  }
  std::size_t count() const { return used_; }

 private:
  static constexpr std::size_t kMostRows = 1024;  // what more come at once share the last

  template <class T>
  using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;
  LeastFirst<std::pair<Nanos, std::size_t>> busy_;  // until when
  LeastFirst<std::size_t> free_;
  std::size_t used_ = 0;
};

void write_request(TraceSink& sink, const Request& request, std::string_view row, std::string_view id) {
  sink.async(true, kCategory, row, kServer, request.span.begin, id);
  write_request_arguments(sink, request);
  Nanos from = request.span.begin;
  const auto stage = [&](std::string_view name, const std::optional<TimeSpan>& when) {
    if (!when) return;
    // Of another clock reading than the request they may stick out a little.
    const TimeSpan shown{std::clamp(when->begin, from, request.span.end), std::min(when->end, request.span.end)};
    if (shown.empty()) return;
    from = shown.end;
    for (const bool is_begin : {true, false}) {
      sink.async(is_begin, kCategory, name, kServer, is_begin ? shown.begin : shown.end, id);
      sink.end();
    }
  };
  stage("queue", request.queue);
  stage("prefill", request.prefill);
  stage("decode", request.decode);
  sink.async(false, kCategory, row, kServer, request.span.end, id);
  sink.end();
}

Result<void> read_requests_as_trace(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
  const auto file = read_requests(input.bytes, input.path);
  if (const auto error = input.bytes.ending().error) return tl::make_unexpected(*error);
  if (!file) return tl::make_unexpected(file.error());
  if (file->requests.empty())
    return fail(ErrorCode::kNotATrace, "none of its spans is a request to vLLM or SGLang", input.path);
  facts.report.add(Finding::kTimestampInvalid, ImportReport::kNoOffset, {}, file->bad_spans);
  TraceSink sink(input, facts, receive);
  sink.base_time(0);
  sink.fact("requests", std::to_string(file->requests.size()));
  sink.fact("spans that are no requests", std::to_string(file->other_spans));
  RequestRows rows;
  std::vector<std::size_t> row_of;
  for (const Request& request : file->requests) row_of.push_back(rows.row_of(request));
  const std::size_t digits = std::to_string(rows.count()).size();  // so that they are in order
  for (std::size_t r = 0; r < row_of.size(); ++r) {
    if (input.progress != nullptr && input.progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    if (!sink.state()) return sink.state();
    write_request(sink, file->requests[r], fmt::format("request row {:0{}}", row_of[r], digits), std::to_string(r + 1));
  }
  sink.name_process(kServer.pid, "Requests");
  sink.sort_process(kServer.pid, -1);
  return sink.finish();
}

}  // namespace

constinit const Format kRequestsFormat{.title = "OpenTelemetry JSON",
                                       .use = FormatUse::kRequests,
                                       .endings = {".json", ".jsonl"},
                                       .recognises =
                                           [](std::string_view head, bool) {
                                             const std::size_t first = head.find_first_not_of(" \t\r\n");
                                             return first != head.npos && head[first] == '{' &&
                                                    head.find("\"resourceSpans\"") != head.npos;
                                           },
                                       .text = Format::Text::kMade,
                                       .read = read_requests_as_trace};

}  // namespace lacuna
