#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// A request to an inference server, as its span of OpenTelemetry tells it. Points in time are ns since 1970, lengths
/// ns; what the span does not tell has no value.
///
///     span     |<-------------------- end_to_end -------------------->|
///                 [ queue ][ prefill ][ decode                      ]
///              |<---- time_to_first_token --->|
struct Request {
  std::string id;  ///< gen_ai.request.id, of SGLang rid; may be empty
  TimeSpan span;   ///< from its arrival to the end of its answer
  std::optional<Nanos> time_to_first_token, end_to_end;
  /// Lengths as the server says them.
  std::optional<Nanos> queue_time, prefill_time, decode_time;
  /// When they were.
  std::optional<TimeSpan> queue, prefill, decode;
  /// queue, prefill and decode are spans of their own (SGLang). Else (vLLM) only their lengths are known: the first
  /// token ends the prefill and begins the decode, and the queue is right before the prefill.
  bool has_stages = false;
  std::optional<std::int64_t> prompt_tokens, completion_tokens;

  std::optional<Nanos> first_token() const {
    return time_to_first_token ? std::optional(saturating_add(span.begin, *time_to_first_token)) : std::nullopt;
  }
};

struct RequestFile {
  std::string path;
  std::vector<Request> requests;  ///< by arrival
  std::uint64_t stage_spans = 0;  ///< spans of SGLang that belong to one of them: its threads and their stages
  std::uint64_t other_spans = 0;  ///< no requests, nor parts of one; or written before
  std::uint64_t bad_spans = 0;    ///< requests and stages whose times are missing, or end before they begin
};

/// Adds `shift` to all points in time.
void shift_requests(std::vector<Request>& requests, Nanos shift);

/// The requests that vLLM (spans with gen_ai.latency.…) and SGLang (spans "Req …" with the spans of its stages) write
/// as OTLP/JSON. Errors as read_otlp_spans(). O(spans log spans); any thread.
Result<RequestFile> read_requests(const ByteSource& bytes, const std::string& path);
/// Of a file, plain, gzip or zstd. Blocking. `most_bytes`: of what is decompressed.
Result<RequestFile> read_request_file(const std::string& path, std::uint64_t most_bytes);

}  // namespace lacuna
