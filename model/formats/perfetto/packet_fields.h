#pragma once

#include <cstdint>

namespace lacuna {

// Numbers of the protobuf fields of Perfetto traces (protos/perfetto/trace) that are read, by message.

inline constexpr std::uint32_t kTracePacket = 1;  // of Trace

/// TracePacket
enum PacketField : std::uint32_t {
  kProcessTree = 2,
  kClockSnapshot = 6,
  kPacketTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kStateCleared = 41,
  kPreviousDropped = 42,
  kThreadDescriptor = 44,
  kCompressedPackets = 50,
  kGpuCounterEvent = 52,
  kGpuRenderStageEvent = 53,
  kStreamingProfile = 54,
  kPacketClock = 58,
  kPacketDefaults = 59,
  kTrackDescriptor = 60,
  kGpuLog = 63,
  kVulkanApiEvent = 65,
  kGpuMemoryTotal = 71,
  kRangeOfInterest = 90,
  kMachineId = 98,
  kGpuInfo = 128,
  kGpuFrequency = 129,
  kZstdCompressedPackets = 133,
};
inline constexpr std::uint64_t kFlagStateCleared = 1, kFlagNeedsState = 2;  // sequence_flags

/// TrackEvent
enum TrackEventField : std::uint32_t {
  kEventTimeDelta = 1,
  kThreadTimeDelta = 2,
  kCategoryIds = 3,
  kDebugAnnotations = 4,
  kLegacyEvent = 6,
  kInstructionsDelta = 8,
  kEventType = 9,
  kEventNameId = 10,
  kEventTrack = 11,
  kExtraCounterValues = 12,
  kEventTimeAbsolute = 16,
  kThreadTimeAbsolute = 17,
  kInstructionsAbsolute = 20,
  kCategories = 22,
  kEventName = 23,
  kCounterValue = 30,
  kExtraCounterTracks = 31,
  kSourceLocation = 33,
  kSourceLocationId = 34,
  kOldFlowIds = 36,
  kOldTerminatingFlowIds = 42,
  kDoubleCounterValue = 44,
  kExtraDoubleCounterTracks = 45,
  kExtraDoubleCounterValues = 46,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
  kCorrelationId = 52,
  kCorrelationText = 53,
  kCorrelationTextId = 54,
  kCallStack = 55,
  kCallStackId = 56,
  kCallStackWeight = 57,
  kGpuCorrelation = 3000,
  kGpuApi = 3001,
};
enum TrackEventType : std::uint64_t { kNoType, kSliceBegin, kSliceEnd, kInstant, kCounter, kState };

/// The fields of InternedData that are kept, as kinds of entries.
enum InternedField : std::uint32_t {
  kInternedCategory = 1,
  kInternedEventName = 2,
  kInternedAnnotationName = 3,
  kInternedSourceLocation = 4,
  kInternedFunctionName = 5,
  kInternedFrame = 6,
  kInternedCallStack = 7,
  kInternedGraphicsContext = 23,
  kInternedGpuSpecification = 24,
  kInternedAnnotationText = 29,
  kInternedCorrelationText = 43,
  kInternedGpuCounters = 47,
  kInternedComputeKernel = 1000,
  kInternedComputeArgument = 1001,
};

}  // namespace lacuna
