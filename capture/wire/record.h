#pragma once
// The records that the collector writes to a ring and the viewer reads. Both sides are built from
// the same sources on the same machine, so the layout is plain memory; kWireVersion guards it.

#include <cstddef>
#include <cstdint>

namespace lacuna::wire {

/// Incremented with every change of this file or of segment.h; a reader refuses any other version.
inline constexpr std::uint32_t kWireVersion = 5;

/// Unit of a ring: records are 1 to 8 slots, strings as many as they need.
inline constexpr std::size_t kSlotBytes = 16;
struct Slot {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
static_assert(sizeof(Slot) == kSlotBytes);

/// Every record starts with one slot:
///
///   bit 0         63 64       95 96     111 112   119 120   127
///       |   time    |   name    |  domain |  type   |  depth  |
///
/// `time` is in the clock of the segment (ticks or ns, SegmentHeader::clock), for GPU records always
/// CLOCK_MONOTONIC ns. `name` is the id of a kString record, or one of the ids below.
enum class RecordType : std::uint8_t {
  kPadding = 0,  ///< one slot without meaning
  // Any ring. Ranges: see RangeRecord.
  kThread = 1,  ///< ThreadRecord: the following records of this ring are of another thread
  kPush = 2,    ///< 1 slot; `depth` is the depth before it, modulo 256
  kPushAttributes = 3,
  kPop = 4,    ///< 1 slot; `depth` is the depth after it, modulo 256
  kStart = 5,  ///< RangeRecord
  kEnd = 6,    ///< RangeRecord, only `id`
  kMark = 7,   ///< 1 slot
  kMarkAttributes = 8,
  kStep = 9,          ///< 1 slot: a training step ends here; name = its number, modulo 2^32
  kLost = 10,         ///< 1 slot: `name` records of this ring were dropped before this one
  kOperator = 11,     ///< OperatorRecord: a push in kTorchDomain with more than a name
  kTorchThread = 12,  ///< 1 slot: `name` is PyTorch's number of this ring's thread
  kPushCoded = 13,    ///< CodedRangeRecord: as kPushAttributes, with a category below 2^24
  kAllocator = 14,    ///< AllocatorRecord: PyTorch's allocator allocated or freed memory on this thread
  // Control ring only.
  kString = 20,      ///< name = id (ids ascend by one from kFirstName), time = length; then the bytes
  kDomain = 21,      ///< 1 slot: domain `domain` is called `name`
  kCategory = 22,    ///< NumberRecord: category `number` of `domain` is called `name`
  kThreadName = 23,  ///< NumberRecord: thread `number` is called `name`
  kResource =
      24,  ///< NumberRecord: an object without a lane (NVTX resource, CUDA event) is called `name`; number = its type
  kMessage = 25,      ///< NumberRecord: something for the user to read; number = MessageKind
  kDevice = 26,       ///< DeviceRecord
  kObjectName = 27,   ///< ObjectRecord: a device, context or stream is called `name`
  kRank = 28,         ///< RankRecord: the rank of this process in its job; the last one counts
  kProcessName = 29,  ///< NumberRecord: the process name that the program set
  // GPU ring only; times in CLOCK_MONOTONIC ns.
  kKernel = 40,    ///< KernelRecord
  kCopy = 41,      ///< CopyRecord
  kSet = 42,       ///< CopyRecord
  kApi = 43,       ///< ApiRecord
  kSync = 44,      ///< SyncRecord
  kOverhead = 45,  ///< SyncRecord
  kGraph = 46,     ///< KernelRecord of a whole graph launch
  kMemory = 47,    ///< MemoryRecord
};

inline constexpr std::uint32_t kNoName = 0;    ///< the empty name
inline constexpr std::uint32_t kLostName = 1;  ///< a name that was dropped for lack of room
inline constexpr std::uint32_t kFirstName = 2;
/// Longer names are truncated (and counted in SegmentHeader::names_cut).
inline constexpr std::size_t kMostNameBytes = std::size_t{1} << 20;

/// Domains of the collector itself; the target's follow.
inline constexpr std::uint16_t kDefaultDomain = 0;  ///< NVTX without a domain
inline constexpr std::uint16_t kTorchDomain = 1;    ///< operators of PyTorch
inline constexpr std::uint16_t kFirstDomain = 2;
/// All domains from this number on share it: the target made too many to tell apart.
inline constexpr std::uint16_t kLastDomain = 0xfff0;

struct RecordHead {
  std::uint64_t time = 0;
  std::uint32_t name = 0;
  std::uint16_t domain = 0;
  RecordType type = RecordType::kPadding;
  std::uint8_t depth = 0;
};
static_assert(sizeof(RecordHead) == kSlotBytes);

/// 3 slots. `pthread_low`: the low 32 bits of pthread_self(), by which CUPTI may identify a thread.
struct ThreadRecord {
  RecordHead head;
  std::uint32_t tid = 0;
  std::uint32_t pthread_low = 0;
  std::uint64_t reserved = 0;
  char comm[16] = {};  ///< name set by prctl or pthread_setname_np; may lack the final zero
};
static_assert(sizeof(ThreadRecord) == 3 * kSlotBytes);

/// How to read `payload`; numbers of nvtxPayloadType_t.
enum class PayloadType : std::uint8_t {
  kNone = 0,
  kUint64 = 1,
  kInt64 = 2,
  kDouble = 3,
  kUint32 = 4,
  kInt32 = 5,     ///< sign-extended
  kFloat = 6,     ///< in the low 32 bits
  kOperator = 7,  ///< ours: the range is an operator of PyTorch; the payload is its sequence number or ~0
};

/// The kind of a PyTorch operator: the values of at::RecordScope that are used here.
enum class OperatorScope : std::uint8_t { kFunction = 0, kBackward = 1, kUser = 2 };

/// kOperator: 2 slots.
struct OperatorRecord {
  RecordHead head;
  std::uint64_t sequence = ~std::uint64_t{0};  ///< autograd's number; ~0 = none
  std::uint32_t inputs = 0;                    ///< name id of what is known of the inputs: members of "args", as JSON
  std::uint32_t scope_and_forward = 0;  ///< OperatorScope; from bit 8 on the number of the forward thread, 0 = none

  OperatorScope scope() const { return static_cast<OperatorScope>(scope_and_forward & 0xff); }
  std::uint32_t forward_thread() const { return scope_and_forward >> 8; }
};
static_assert(sizeof(OperatorRecord) == 2 * kSlotBytes);

/// kAllocator: 4 slots. Numbers as PyTorch reports them (c10::MemoryReportingInfoBase); device types are c10's.
struct AllocatorRecord {
  RecordHead head;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;       ///< negative: freed; the requested size when the allocation failed
  std::uint64_t allocated = 0;  ///< bytes allocated on the device after the event
  std::uint64_t reserved = 0;   ///< bytes reserved on the device after the event; 0 where the allocator caches nothing
  std::int16_t device_type = 0;
  std::int16_t device = -1;
  std::uint32_t is_out_of_memory = 0;
  std::uint64_t reserved2 = 0;
};
static_assert(sizeof(AllocatorRecord) == 4 * kSlotBytes);

/// kPushCoded: 2 slots.
struct CodedRangeRecord {
  RecordHead head;
  std::uint64_t payload = 0;
  std::uint32_t color = 0;              ///< ARGB; 0 = none
  std::uint32_t category_and_type = 0;  ///< the category; PayloadType from bit 24 on
};
static_assert(sizeof(CodedRangeRecord) == 2 * kSlotBytes);

/// kPushAttributes, kMarkAttributes, kStart, kEnd: 3 slots.
struct RangeRecord {
  RecordHead head;
  std::uint64_t id = 0;  ///< kStart and kEnd: unique in the process
  std::uint64_t payload = 0;
  std::uint32_t color = 0;  ///< ARGB; 0 = none
  std::uint32_t category = 0;
  PayloadType payload_type = PayloadType::kNone;
  std::uint8_t reserved[7] = {};
};
static_assert(sizeof(RangeRecord) == 3 * kSlotBytes);

enum class MessageKind : std::uint32_t {
  kInfo = 0,       ///< for instance the CUPTI version in use
  kGpuOff = 1,     ///< no GPU recording in this process, and why
  kGpuPaused = 2,  ///< another profiler uses CUPTI
  kGpuResumed = 3,
  kTorch = 4,  ///< how PyTorch operators are captured, or what is missing for that
};
/// 2 slots.
struct NumberRecord {
  RecordHead head;
  std::uint64_t number = 0;
  std::uint64_t reserved = 0;
};
static_assert(sizeof(NumberRecord) == 2 * kSlotBytes);

/// The kind of object that an ObjectRecord names.
enum class ObjectKind : std::uint32_t { kDevice = 0, kContext = 1, kStream = 2 };
/// ObjectRecord::device of a stream whose device is not known.
inline constexpr std::uint32_t kAnyDevice = ~std::uint32_t{0};

/// 2 slots. The last name given to an object counts.
struct ObjectRecord {
  RecordHead head;
  ObjectKind kind = ObjectKind::kDevice;
  std::uint32_t device = kAnyDevice;  ///< kStream: the stream's device; stream ids are unique within a context only
  std::uint32_t id = 0;               ///< the device's ordinal, or CUPTI's id of the context or stream
  std::uint32_t reserved = 0;
};
static_assert(sizeof(ObjectRecord) == 2 * kSlotBytes);

/// 2 slots; name = members of "distributedInfo" as JSON, or none. Negative = not known.
struct RankRecord {
  RecordHead head;
  std::int32_t rank = -1;
  std::int32_t local_rank = -1;
  std::int32_t world_size = -1;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(RankRecord) == 2 * kSlotBytes);

/// 3 slots; name = the device's name.
struct DeviceRecord {
  RecordHead head;
  std::uint32_t device = 0;
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
  std::uint64_t reserved = 0;
};
static_assert(sizeof(DeviceRecord) == 3 * kSlotBytes);

/// 7 slots. head.time = start.
struct KernelRecord {
  RecordHead head;
  std::uint64_t end = 0;
  std::uint32_t correlation = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint64_t graph_node = 0;
  std::uint32_t graph = 0;
  std::uint32_t registers = 0;
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::int32_t static_shared = 0;
  std::int32_t dynamic_shared = 0;
  std::uint64_t queued = 0;  ///< 0 = unknown
  std::uint64_t reserved[2] = {};
};
static_assert(sizeof(KernelRecord) == 7 * kSlotBytes);

/// kCopy and kSet: 5 slots. `copy_kind` and the memory kinds are those of CUPTI.
struct CopyRecord {
  RecordHead head;
  std::uint64_t end = 0;
  std::uint64_t bytes = 0;
  std::uint32_t correlation = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint64_t graph_node = 0;
  std::uint32_t graph = 0;
  std::uint32_t peer_device = 0;  ///< kCopy between devices: the destination; kSet: the value
  std::uint8_t copy_kind = 0;
  std::uint8_t from_kind = 0;  ///< kSet: the kind of the memory
  std::uint8_t to_kind = 0;
  std::uint8_t flags = 0;
  std::uint32_t reserved = 0;
  std::uint64_t reserved2 = 0;
};
static_assert(sizeof(CopyRecord) == 5 * kSlotBytes);

/// 3 slots; head.domain: 0 runtime, 1 driver.
struct ApiRecord {
  RecordHead head;
  std::uint64_t end = 0;
  std::uint32_t correlation = 0;
  std::uint32_t thread = 0;  ///< see SegmentHeader::api_thread_is_tid
  std::uint32_t return_value = 0;
  std::uint32_t cbid = 0;
  std::uint64_t reserved = 0;
};
static_assert(sizeof(ApiRecord) == 3 * kSlotBytes);

/// 4 slots. `operation` is CUpti_ActivityMemoryOperationType, `memory_kind` CUpti_ActivityMemoryKind.
struct MemoryRecord {
  RecordHead head;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t correlation = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t operation = 0;
  std::uint32_t memory_kind = 0;
  std::uint64_t reserved = 0;
};
static_assert(sizeof(MemoryRecord) == 4 * kSlotBytes);

/// kSync: `kind` is CUpti_ActivitySynchronizationType; kOverhead: CUpti_ActivityOverheadKind, with
/// the thread in `stream`. 3 slots.
struct SyncRecord {
  RecordHead head;
  std::uint64_t end = 0;
  std::uint32_t correlation = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t kind = 0;
  std::uint64_t event = 0;
};
static_assert(sizeof(SyncRecord) == 3 * kSlotBytes);

/// The number of slots of a record with its head; text after a kString is extra. 0 = unknown type.
constexpr std::size_t slots_of(RecordType type) {
  switch (type) {
    case RecordType::kPadding:
    case RecordType::kPush:
    case RecordType::kPop:
    case RecordType::kMark:
    case RecordType::kStep:
    case RecordType::kLost:
    case RecordType::kTorchThread:
    case RecordType::kDomain:
    case RecordType::kString:
      return 1;
    case RecordType::kOperator:
    case RecordType::kPushCoded:
    case RecordType::kCategory:
    case RecordType::kThreadName:
    case RecordType::kResource:
    case RecordType::kMessage:
    case RecordType::kRank:
    case RecordType::kProcessName:
    case RecordType::kObjectName:
      return 2;
    case RecordType::kThread:
    case RecordType::kPushAttributes:
    case RecordType::kMarkAttributes:
    case RecordType::kStart:
    case RecordType::kEnd:
    case RecordType::kDevice:
    case RecordType::kApi:
    case RecordType::kSync:
    case RecordType::kOverhead:
      return 3;
    case RecordType::kMemory:
    case RecordType::kAllocator:
      return 4;
    case RecordType::kCopy:
    case RecordType::kSet:
      return 5;
    case RecordType::kKernel:
    case RecordType::kGraph:
      return 7;
  }
  return 0;
}

/// The number of slots for `bytes` of text after a kString.
constexpr std::size_t text_slots(std::size_t bytes) {
  return (bytes + kSlotBytes - 1) / kSlotBytes;
}

}  // namespace lacuna::wire
