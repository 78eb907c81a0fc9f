#pragma once
// What a window asks beside a picture of traces on another machine, and the answers: the numbers of the page that
// is open and of what is chosen, each of a bounded size that says what was left out. Times in ns, of the trace there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/causes/gap_cause.h"
#include "model/import/arguments.h"
#include "model/trace/trace.h"

namespace lacuna {

class FieldReader;
class FieldWriter;

/// A slice that a picture shows one by one. Lanes have the same numbers there and here.
struct AskedSlice {
  LaneId lane;
  TimeSpan span;
  bool operator==(const AskedSlice&) const = default;
};
/// A gap that a picture shows one by one.
struct AskedGap {
  TrackId track;  ///< of its stream
  TimeSpan span;
  bool operator==(const AskedGap&) const = default;
};

/// Which gap is wanted, of those of the asked length, range and streams, in order of their starts.
struct AskedStep {
  int direction = 1;                  ///< 1: the next one, -1: the one before, 0: where the GPU was idle for longest
  std::optional<AskedGap> from = {};  ///< that gap itself is never the answer
  Nanos moment = 0;                   ///< without one
  bool operator==(const AskedStep&) const = default;
};

/// The questions about the traces.
struct RemoteQuestions {
  TimeSpan range = TimeSpan::everything();  ///< of the statistics, and of the gaps that overlap it
  std::vector<TrackId> tracks = {};         ///< whose slices the statistics count; none: all
  bool lists_gaps = false;
  Nanos min_gap = 0;                  ///< shorter ones are added up, and no step leads to them
  std::vector<TrackId> streams = {};  ///< of these only; none: all
  std::optional<AskedSlice> slice = {};
  std::optional<AskedGap> gap = {};
  std::optional<AskedStep> step = {};

  bool counts_all() const { return range == TimeSpan::everything() && tracks.empty(); }
  bool operator==(const RemoteQuestions&) const = default;
};

/// Limits of the answers.
inline constexpr std::size_t kMostRemoteRows = 1000;
inline constexpr std::size_t kMostRemoteStreams = 1000;
inline constexpr std::size_t kMostRemoteGaps = 500;
inline constexpr std::size_t kMostRemoteArguments = 300;
inline constexpr std::size_t kMostRemoteValueChars = 4000;
inline constexpr std::size_t kMostRemoteLinks = 50;
inline constexpr std::size_t kMostRemoteNameChars = 400;

/// A stream's activity in the range: StreamActivity without its gaps.
struct RemoteStream {
  TrackId track;
  std::uint64_t events = 0;
  Nanos first_start = 0, last_end = 0, busy = 0;
};
struct RemoteGap {
  TrackId track;  ///< of its stream
  TimeSpan span;
  GapCause cause = GapCause::kUnknown;
  std::string why;                    ///< a sentence
  std::string before, after, launch;  ///< names; empty: not in the trace
};
enum class RemoteLinkKind : std::uint8_t { kLaunchedBy, kLaunches, kFlowsTo, kFlowsFrom };
struct RemoteLink {
  RemoteLinkKind kind = RemoteLinkKind::kLaunchedBy;
  LaneId lane;
  TimeSpan span;
  std::string name;
};
struct RemoteSlice {
  std::vector<Argument> arguments;
  std::uint64_t arguments_left_out = 0, values_cut = 0;
  std::string problem;  ///< why there are no arguments; empty: these are all
  std::vector<RemoteLink> links;
  std::uint64_t links_left_out = 0;
};

/// The answers, without the rows of the statistics, which come as tables do.
struct RemoteAnswers {
  RemoteQuestions asked;
  bool is_whole = false;        ///< nothing of it is still being worked out there
  bool has_statistics = false;  ///< of `asked.range` and `asked.tracks`
  std::uint64_t rows_left_out = 0;
  std::vector<RemoteStream> streams;  ///< with activity in the range
  bool has_gaps = false;              ///< where `asked.lists_gaps`
  std::vector<RemoteGap> gaps;        ///< longest first
  std::uint64_t gaps_left_out = 0;    ///< of the asked length, beyond kMostRemoteGaps
  Nanos left_out_time = 0;            ///< of these
  std::uint64_t shorter_gaps = 0;
  Nanos shorter_time = 0;
  std::optional<RemoteSlice> slice;  ///< where `asked.slice` is one
  std::optional<RemoteGap> gap;      ///< where `asked.gap` is one
  bool has_step = false;             ///< where `asked.step` is one
  std::optional<AskedGap> step;      ///< where it leads; nothing: there is none
};

void put(FieldWriter& out, const RemoteQuestions& questions);
/// Bounded, whatever comes.
RemoteQuestions get_remote_questions(FieldReader& in);
void put(FieldWriter& out, const RemoteAnswers& answers);
/// Nothing where it makes no sense. Every track and lane in it is one of `trace`.
std::optional<RemoteAnswers> get_remote_answers(FieldReader& in, const Trace& trace);

}  // namespace lacuna
