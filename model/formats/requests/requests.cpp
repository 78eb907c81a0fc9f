#include "model/formats/requests/requests.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "model/formats/requests/otlp_spans.h"
#include "model/input/bytes.h"

namespace lacuna {
namespace {

constexpr double kLongestSeconds = 1e9;  // 31 years; what is longer is no latency
constexpr int kMostSpansAround = 8;      // of a stage: its thread, its request

std::optional<Nanos> latency_of(const OtlpSpan& span, std::string_view key) {
  const OtlpSpan::Attribute* found = span.find(key);
  if (found == nullptr || !found->number || !(*found->number >= 0 && *found->number < kLongestSeconds)) return {};
  return std::llround(*found->number * 1e9);
}

std::optional<std::int64_t> tokens_of(const OtlpSpan& span, std::string_view key) {
  const OtlpSpan::Attribute* found = span.find(key);
  if (found == nullptr || !found->number || !(*found->number >= 0 && *found->number < 1e15)) return {};
  return static_cast<std::int64_t>(*found->number);
}

std::optional<TimeSpan> stretch_of(const OtlpSpan& span) {
  if (!span.begin || !span.end || *span.begin <= 0 || *span.end < *span.begin) return {};
  return TimeSpan{*span.begin, *span.end};
}

bool is_sglang_request(const OtlpSpan& span) {
  const OtlpSpan::Attribute* module = span.find("module");
  if (module != nullptr && !module->text.starts_with("sglang")) return false;
  return span.find("rid") != nullptr && span.name.find("Req ") != span.name.npos;
}

bool is_request(const OtlpSpan& span) {
  return is_sglang_request(span) || span.find("gen_ai.latency.e2e") != nullptr ||
         span.find("gen_ai.latency.time_to_first_token") != nullptr;
}

enum class Stage : std::uint8_t { kNone, kQueue, kPrefill, kDecode };

/// What a span of SGLang below a request is; of its finer ones (chunks, single decodes) none is needed.
Stage stage_of(std::string_view name) {
  if (name == "prefill_waiting") return Stage::kQueue;
  if (name == "prefill_forward") return Stage::kPrefill;
  return name == "decode_forward" ? Stage::kDecode : Stage::kNone;
}

/// A span that is no request: it may be part of one.
struct PartOfRequest {
  OtlpSpan::Id around;
  Stage stage = Stage::kNone;
  std::optional<TimeSpan> span;
};

/// The lengths that vLLM says are put where they must have been.
void place_by_lengths(Request& request) {
  const auto first_token = request.first_token();
  if (!first_token) return;
  const auto before = [&](Nanos end, Nanos length) {
    return TimeSpan{std::max(saturating_sub(end, length), request.span.begin), end};
  };
  if (request.prefill_time) request.prefill = before(*first_token, *request.prefill_time);
  if (request.queue_time && request.prefill) request.queue = before(request.prefill->begin, *request.queue_time);
  if (request.decode_time) request.decode = {*first_token, saturating_add(*first_token, *request.decode_time)};
}

Request request_of(const OtlpSpan& span, TimeSpan when) {
  Request request;
  const bool is_sglang = is_sglang_request(span);
  const OtlpSpan::Attribute* id = span.find("gen_ai.request.id");
  if (id == nullptr) id = span.find("rid");
  if (id != nullptr) request.id = id->text;
  request.span = when;
  request.time_to_first_token = latency_of(span, "gen_ai.latency.time_to_first_token");
  request.end_to_end = latency_of(span, "gen_ai.latency.e2e");
  if (!request.end_to_end) request.end_to_end = when.duration();
  request.queue_time = latency_of(span, "gen_ai.latency.time_in_queue");
  // SGLang's prefill begins where the request is handed to the scheduler, so it has the queue in it.
  if (!is_sglang) request.prefill_time = latency_of(span, "gen_ai.latency.time_in_model_prefill");
  request.decode_time = latency_of(span, "gen_ai.latency.time_in_model_decode");
  request.prompt_tokens = tokens_of(span, "gen_ai.usage.prompt_tokens");
  request.completion_tokens = tokens_of(span, "gen_ai.usage.completion_tokens");
  place_by_lengths(request);
  return request;
}

/// Each rank of SGLang has spans of its own: the first ones count, of the decode until the last one ended.
void take_stage(Request& request, Stage stage, TimeSpan when) {
  std::optional<TimeSpan>& place = stage == Stage::kQueue     ? request.queue
                                   : stage == Stage::kPrefill ? request.prefill
                                                              : request.decode;
  if (!std::exchange(request.has_stages, true)) request.queue = request.prefill = request.decode = std::nullopt;
  if (!place)
    place = when;
  else if (stage == Stage::kDecode)
    place = place->unite(when);
  else if (when.begin < place->begin)
    place = when;
}

class RequestReader {
 public:
  void take(OtlpSpan&& span) {
    const auto when = stretch_of(span);
    if (is_request(span)) {
      if (!when) {
        ++file_.bad_spans;
        return;
      }
      // Exporters that try again write a span twice.
      if (!requests_.try_emplace(span.id, file_.requests.size()).second && !span.id.span.empty()) {
        ++file_.other_spans;
        return;
      }
      file_.requests.push_back(request_of(span, *when));
      return;
    }
    PartOfRequest part{{span.id.trace, span.parent}, stage_of(span.name), when};
    if (span.parent.empty() || !parts_.try_emplace(std::move(span.id), std::move(part)).second) ++file_.other_spans;
  }

  RequestFile finish() {
    for (const auto& [id, part] : parts_) {
      Request* request = request_around(part);
      if (request == nullptr) {
        ++file_.other_spans;
      } else if (part.stage != Stage::kNone && !part.span) {
        ++file_.bad_spans;
      } else {
        ++file_.stage_spans;
        if (part.stage != Stage::kNone) take_stage(*request, part.stage, *part.span);
      }
    }
    for (Request& request : file_.requests) {
      if (!request.has_stages) continue;
      if (request.queue) request.queue_time = request.queue->duration();
      if (request.prefill) request.prefill_time = request.prefill->duration();
      if (request.decode) request.decode_time = request.decode->duration();
    }
    std::ranges::stable_sort(file_.requests, {}, [](const Request& r) { return std::pair(r.span.begin, r.span.end); });
    return std::move(file_);
  }

 private:
  Request* request_around(const PartOfRequest& part) {
    const OtlpSpan::Id* around = &part.around;
    for (int depth = 0; depth < kMostSpansAround; ++depth) {
      if (const auto found = requests_.find(*around); found != requests_.end()) return &file_.requests[found->second];
      const auto found = parts_.find(*around);
      if (found == parts_.end()) return nullptr;
      around = &found->second.around;
    }
    return nullptr;
  }

  RequestFile file_;
  std::map<OtlpSpan::Id, std::size_t> requests_;  // into file_.requests
  std::map<OtlpSpan::Id, PartOfRequest> parts_;
};

}  // namespace

void shift_requests(std::vector<Request>& requests, Nanos shift) {
  const auto move = [&](TimeSpan& span) {
    span = {saturating_add(span.begin, shift), saturating_add(span.end, shift)};
  };
  for (Request& request : requests) {
    move(request.span);
    for (std::optional<TimeSpan>* stage : {&request.queue, &request.prefill, &request.decode})
      if (*stage) move(**stage);
  }
}

Result<RequestFile> read_requests(const ByteSource& bytes, const std::string& path) {
  RequestReader reader;
  auto read = read_otlp_spans(bytes, path, [&](OtlpSpan&& span) { reader.take(std::move(span)); });
  if (!read) return tl::make_unexpected(read.error());
  RequestFile file = reader.finish();
  file.path = path;
  return file;
}

Result<RequestFile> read_request_file(const std::string& path, std::uint64_t most_bytes) {
  auto opened = open_file(path, most_bytes, nullptr);
  if (opened) {
    auto file = read_requests(*opened->bytes, path);
    const auto ending = opened->bytes->ending();
    if (!ending.error) return file;
    opened = tl::make_unexpected(*ending.error);
  }
  Error error = opened.error();
  error.file = path;
  return tl::make_unexpected(std::move(error));
}

}  // namespace lacuna
