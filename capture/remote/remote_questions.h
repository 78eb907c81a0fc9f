#pragma once
// A window's questions besides a picture of traces on another machine, and the answers: the numbers of the open page
// and the selection, each of a bounded size that says what was left out. Times in ns, in the trace's clock.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/remote/remote_page.h"
#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/causes/gap_cause.h"
#include "model/import/arguments.h"
#include "model/trace/trace.h"

namespace lacuna {

class FieldReader;
class FieldWriter;

/// A slice that a picture shows individually. Lanes have the same numbers there and here.
struct AskedSlice {
  LaneId lane;
  TimeSpan span;
  bool operator==(const AskedSlice&) const = default;
};
/// A gap that a picture shows individually.
struct AskedGap {
  TrackId track;  ///< of its stream
  TimeSpan span;
  bool operator==(const AskedGap&) const = default;
};

/// A step to another gap, among those of the minimum length, range and streams, in order of their starts.
struct AskedStep {
  int direction = 1;                  ///< 1: next, -1: previous, 0: the one with the longest idle time of the GPU
  std::optional<AskedGap> from = {};  ///< never the answer itself
  Nanos moment = 0;                   ///< start from here if there is no `from`
  bool operator==(const AskedStep&) const = default;
};

/// The questions about the traces.
struct RemoteQuestions {
  TimeSpan range = TimeSpan::everything();  ///< for the statistics, and for gaps that overlap it
  std::vector<TrackId> tracks = {};         ///< count only the slices of these; empty: all
  bool lists_gaps = false;
  Nanos min_gap = 0;                  ///< shorter gaps are only added up, and steps skip them
  std::vector<TrackId> streams = {};  ///< only these; empty: all
  std::optional<AskedSlice> slice = {};
  std::optional<AskedGap> gap = {};
  std::optional<AskedStep> step = {};
  std::vector<AskedPage> pages = {};  ///< at most kMostPages

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

/// A stream's activity in the range: a StreamActivity without its gaps.
struct RemoteStream {
  TrackId track;
  std::uint64_t events = 0;
  Nanos first_start = 0, last_end = 0, busy = 0;
};
struct RemoteGap {
  TrackId track;  ///< of its stream
  TimeSpan span;
  GapCause cause = GapCause::kUnknown;
  std::string why;                    ///< the cause as a sentence
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
  std::string problem;  ///< why there are no arguments; empty: they are complete
  std::vector<RemoteLink> links;
  std::uint64_t links_left_out = 0;
};

/// The answers without the rows of the statistics, which are sent like tables.
struct RemoteAnswers {
  RemoteQuestions asked;
  bool is_whole = false;        ///< everything is computed
  bool has_statistics = false;  ///< for `asked.range` and `asked.tracks`
  std::uint64_t rows_left_out = 0;
  std::vector<RemoteStream> streams;  ///< with activity in the range
  bool has_gaps = false;              ///< if `asked.lists_gaps`
  std::vector<RemoteGap> gaps;        ///< longest first
  std::uint64_t gaps_left_out = 0;    ///< gaps of the minimum length beyond kMostRemoteGaps
  Nanos left_out_time = 0;            ///< their total time
  std::uint64_t shorter_gaps = 0;
  Nanos shorter_time = 0;
  std::optional<RemoteSlice> slice;                      ///< if `asked.slice` is valid
  std::optional<RemoteGap> gap;                          ///< if `asked.gap` is valid
  bool has_step = false;                                 ///< if `asked.step` is set
  std::optional<AskedGap> step;                          ///< its target; nothing: there is none
  std::vector<std::shared_ptr<const RemotePage>> pages;  ///< those of `asked.pages` that are computed

  /// Returns the answer to `wanted`; null: it is not there.
  std::shared_ptr<const RemotePage> page(const AskedPage& wanted) const;
};

void put(FieldWriter& out, const RemoteQuestions& questions);
/// Reads questions; bounded for any input.
RemoteQuestions get_remote_questions(FieldReader& in);
/// `trace`: that of the answers.
void put(FieldWriter& out, const RemoteAnswers& answers, const Trace& trace);
/// Returns nothing if the input is invalid. All tracks and lanes in the result exist in `trace`.
std::optional<RemoteAnswers> get_remote_answers(FieldReader& in, const Trace& trace);

}  // namespace lacuna
