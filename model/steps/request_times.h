#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/causes/cause_index.h"
#include "model/formats/requests/requests.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What a request waited for until its first token.
enum class FirstTokenPart : std::uint8_t {
  kAroundEngine,  ///< neither in the queue nor in the prefill: made into tokens, handed on, its token handed out
  kQueued,        ///< in the queue of the scheduler
  kOwnSteps,      ///< in its prefill, the GPU at work for steps that have it
  kOtherSteps,    ///< in its prefill, the GPU at work for other steps
  kOtherWork,     ///< in its prefill, the GPU at work for no step that the trace tells
  kIdle,          ///< in its prefill, the GPU idle
  kNotRecorded,   ///< in its prefill, before the recording began or after it ended
  kUnknown,       ///< the file of requests or the trace does not tell
};
inline constexpr std::size_t kFirstTokenPartCount = static_cast<std::size_t>(FirstTokenPart::kUnknown) + 1;

/// "queued", "steps with it" … for people; "queuedNs", "ownStepsNs" … as a JSON key.
std::string_view first_token_part_name(FirstTokenPart part);
std::string_view first_token_part_key(FirstTokenPart part);

/// The time to the first token of one request, or of several. Times in ns.
struct FirstTokenTime {
  Nanos whole = 0;
  std::array<Nanos, kFirstTokenPartCount> parts{};  ///< add up to whole
  std::array<Nanos, kGapCauseCount> idle_by{};      ///< kIdle, by the cause of the gap; add up to it

  /// Of kQueued, while all GPUs were seen idle: that does not wait for them. None: nothing is known of them.
  std::optional<Nanos> queued_idle;

  Nanos at(FirstTokenPart part) const { return parts[static_cast<std::size_t>(part)]; }
  void add(const FirstTokenTime& more);
};

/// The requests of a server beside the trace of one of its GPUs.
struct RequestTimes {
  std::optional<SourceId> source;           ///< the file whose GPUs they are compared with; none has any GPU work
  TimeSpan recorded = TimeSpan::nothing();  ///< of it
  std::size_t engine_steps = 0;             ///< steps of it that say their phase
  std::size_t outside = 0;                  ///< requests that no part of the recording is of
  /// By request, in their order; none: its time to the first token is not known.
  std::vector<std::optional<FirstTokenTime>> first_tokens;
  FirstTokenTime total;  ///< of those that are not outside
};

/// The file of the trace with the most steps of a server, else the first with GPU work; captures do not count.
std::optional<SourceId> find_server_source(const Trace& trace);

/// Splits the time to the first token of each request by what its server did:
///
///     request   |<------------- time to first token ------------>|
///               |around|  queue  |           prefill             |
///     steps     [ decode ][ decode ]  [ mixed, it has the prefill ]
///     GPU         ######    #####  |idle| ####################  |idle|
///
/// A step with a prefill (parse_engine_step()) whose middle lies in the prefill of the request is its own: servers
/// begin one with each request that they take out of the queue. The GPUs of a file count as one: idle is when all are,
/// for the cause that the first of them has. `requests`: on the clock of the trace; `has_clock` false: the trace does
/// not know when it was, their places mean nothing, and what the GPU did is unknown. `index` is of `trace`. Any thread.
/// O(GPU activities + gaps log slices + requests (log steps + steps and gaps inside their prefill)).
RequestTimes split_first_tokens(const CauseIndex& index, std::span<const Request> requests, bool has_clock);

}  // namespace lacuna
