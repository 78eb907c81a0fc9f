#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// How much a finding matters to somebody who trusts the picture.
enum class Severity {
  kInfo,      ///< a property of the trace worth knowing; nothing was changed
  kRepaired,  ///< shown, but not exactly as written in the file
  kDataLoss,  ///< something in the file is not shown
};

/// Everything that an import can count. Keep in step with the table in import_report.cpp, which
/// gives each kind its JSON key, severity and sentence.
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
  kMetadataNotUnderstood,
  kCounterNotNumeric,
  kSkippedOnRequest,
  kNameCut,
  // files
  kFilesAligned,
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
  // live capture
  kCaptureDropped,
  kCaptureIncomplete,
  kCaptureCorrupt,
  kCaptureLostEnds,
  kCount,
};

/// One line of the report.
struct FindingInfo {
  std::string_view key;       ///< stable snake_case key in `--json`
  Severity severity;
  std::string_view sentence;  ///< what it means, for people; follows "N "
};
const FindingInfo& info(Finding finding);
std::string_view to_string(Severity severity);

/// Counts what an import repaired, could not link, did not match or did not understand, so that
/// nothing is dropped unseen. A plain value: each importer thread fills its own, merge() adds them.
class ImportReport {
 public:
  static constexpr std::uint64_t kNoOffset = ~0ull;

  struct Line {
    Finding finding = Finding::kCount;
    std::uint64_t count = 0;
    std::uint64_t first_offset = kNoOffset;  ///< byte offset of the earliest one, if it has one
    std::string example;                     ///< of the earliest one, for instance the unknown phase
  };

  void add(Finding finding, std::uint64_t offset = kNoOffset, std::string_view example = {},
           std::uint64_t count = 1);
  void merge(const ImportReport& other);

  std::uint64_t count(Finding finding) const { return lines_[static_cast<std::size_t>(finding)].count; }
  const Line& line(Finding finding) const { return lines_[static_cast<std::size_t>(finding)]; }
  /// Lines with a count, most severe first, then in the order of the enum.
  std::vector<Line> lines() const;
  /// Sum of the counts of one severity.
  std::uint64_t total(Severity severity) const;
  bool empty() const;

 private:
  std::array<Line, static_cast<std::size_t>(Finding::kCount)> lines_{};
};

}  // namespace lacuna
