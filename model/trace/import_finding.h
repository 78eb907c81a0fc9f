#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/trace/import_report.h"

namespace lacuna {

/// How severely a finding affects what the timeline shows.
enum class Severity : std::uint8_t {
  kInfo,      ///< a property of the trace worth knowing; nothing was changed
  kRepaired,  ///< shown, but not exactly as written in the file
  kDataLoss,  ///< something in the file is not shown
};

/// Everything that an import counts. Keep in sync with the table in import_report.cpp, which
/// gives each kind its JSON key, severity and words.
enum class Finding : std::uint8_t {
  // numbers and fields
  kSubNanosecondRounded,
  kTimestampMissing,
  kTimestampInvalid,
  kDurationMissing,
  kNegativeDuration,
  kDurationInvalid,
  kNameMissing,
  kPidOrTidMissing,
  // begin/end and nesting
  kUnmatchedBegin,
  kUnmatchedEnd,
  kEndNameMismatch,
  kCrossingSlices,
  kConcurrentKernels,
  kUnmatchedAsyncBegin,
  kUnmatchedAsyncEnd,
  // links
  kGpuActivityUnlinked,
  kSeveralLaunches,
  kLaunchWithoutActivity,
  kFlowStartWithoutFinish,
  kFlowFinishWithoutStart,
  kFlowWithoutSlice,
  // events
  kUnknownPhase,
  kPhaseNotShown,
  kNotAnEvent,
  kEmptyEvent,
  kMetadataNotUnderstood,
  kCounterNotNumeric,
  kSkippedOnRequest,
  kNameCut,
  // files
  kFilesAligned,
  kCaptureTraceRead,
  kRequestsRead,
  kRequestsOutside,
  kRequestsWithoutClock,
  kNotATraceFile,
  kFileChanged,
  // broken text
  kTrailingComma,
  kByteOrderMark,
  kControlCharacter,
  kBadEscape,
  kRawQuote,
  kInvalidUtf8,
  kNonFiniteNumber,
  kDuplicateKey,
  kSyntaxRepaired,
  kJunkSkipped,
  kEventUnreadable,
  kUnterminated,
  kTruncatedCompression,
  kTrailingGarbage,
  kEventsAfterEnd,
  kSamplesNotRead,
  kTableNotRead,
  kStackCut,
  // packets
  kPacketNotRead,
  kPacketsLost,
  kPacketWithoutState,
  kClockUnknown,
  kKernelEndsClamped,
  kBeforeRange,
  // live capture
  kCaptureDropped,
  kCaptureIncomplete,
  kCaptureCorrupt,
  kCaptureLostEnds,
  kCount,
};

/// One line of the report.
struct FindingInfo {
  std::string_view key;  ///< stable snake_case key in `--json`
  Severity severity;
  std::string_view noun;  ///< what is counted, "event"; empty: what follows is whole, and about the file
  std::string_view rest;  ///< what it means, for people

  bool has_count() const { return !noun.empty(); }
  /// Returns what is said behind the count, if it has one: "events without a ts, not shown".
  std::string words_after(std::uint64_t count) const;
};
const FindingInfo& info(Finding finding);
std::string_view to_string(Severity severity);

}  // namespace lacuna
