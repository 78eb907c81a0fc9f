#include "capture/session/segment_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "model/base/os/files.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 26;
constexpr std::uint64_t kFewestSlots = 256;
// 16 times what a collector makes: each is looked at in every round, however small it is.
constexpr std::uint64_t kMostRings = std::uint64_t{1} << 16;

bool is_ring_size(std::uint64_t slots) {
  return std::has_single_bit(slots) && slots >= kFewestSlots && slots <= kMostSlots;
}

/// Text of a fixed field that may lack its zero.
std::string field_text(const char* field, std::size_t size) {
  return std::string(field, static_cast<std::size_t>(std::find(field, field + size, '\0') - field));
}

tl::unexpected<Error> refuse(const char* cause) {
  return fail(ErrorCode::kNotATrace, std::string("the segment of a recorded process ") + cause);
}

}  // namespace

Result<SegmentReader> SegmentReader::open(int descriptor) {
  const Descriptor file(descriptor);
  struct stat status {};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return refuse("is not sealed");
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return refuse("is no memory file");
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes < wire::kPageBytes || bytes > kMostFileBytes) return refuse("has an impossible size");

  SegmentReader reader;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED) return refuse("cannot be mapped");
  reader.memory_ = static_cast<char*>(memory);
  reader.bytes_ = bytes;

  // One copy of the constant part: what is checked is what is used.
  struct Constants {
    char magic[8];
    std::uint32_t version;
    std::uint32_t pid;
    std::uint64_t file_bytes, control_slots, gpu_slots, thread_slots;
    wire::ClockKind clock;
    std::uint32_t api_thread_is_tid;
    wire::ClockTriple start;
    std::uint32_t parent_pid, reserved;
    char process_name[64];
    char command_line[512];
  } constants;
  static_assert(offsetof(Constants, command_line) == offsetof(wire::SegmentHeader, command_line));
  std::memcpy(&constants, reader.memory_, sizeof constants);
  if (std::memcmp(constants.magic, wire::kMagic, sizeof wire::kMagic) != 0) return refuse("has no Lacuna header");
  if (constants.version != wire::kWireVersion) return refuse("was written by another version of Lacuna's collector");
  reader.layout_ = {constants.control_slots, constants.gpu_slots, constants.thread_slots};
  if (!is_ring_size(constants.control_slots) || !is_ring_size(constants.gpu_slots) ||
      !is_ring_size(constants.thread_slots))
    return refuse("has rings of impossible sizes");
  if (reader.layout_.ring_offset(wire::kFirstThreadRing) > bytes) return refuse("is smaller than its rings");
  reader.most_thread_rings_ = std::min(reader.layout_.thread_rings(bytes), kMostRings);
  reader.tails_.resize(wire::kFirstThreadRing, 0);
  reader.is_broken_.resize(wire::kFirstThreadRing, false);
  Facts& facts = reader.facts_;
  facts.pid = constants.pid;
  facts.parent_pid = constants.parent_pid;
  facts.clock = constants.clock == wire::ClockKind::kTsc ? wire::ClockKind::kTsc : wire::ClockKind::kMonotonic;
  facts.start = constants.start;
  facts.process_name = field_text(constants.process_name, sizeof constants.process_name);
  std::replace(std::begin(constants.command_line), std::prev(std::end(constants.command_line)), '\0', ' ');
  facts.command_line = field_text(constants.command_line, sizeof constants.command_line);
  while (!facts.command_line.empty() && facts.command_line.back() == ' ') facts.command_line.pop_back();
  return reader;
}

SegmentReader::SegmentReader(SegmentReader&& other) noexcept {
  *this = std::move(other);
}

SegmentReader& SegmentReader::operator=(SegmentReader&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  layout_ = other.layout_;
  most_thread_rings_ = other.most_thread_rings_;
  tails_ = std::move(other.tails_);
  is_broken_ = std::move(other.is_broken_);
  broken_rings_ = other.broken_rings_;
  facts_ = std::move(other.facts_);
  return *this;
}

SegmentReader::~SegmentReader() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

wire::SegmentHeader* SegmentReader::header() const {
  return reinterpret_cast<wire::SegmentHeader*>(memory_);
}

wire::RingHeader* SegmentReader::ring(std::uint64_t index) const {
  return reinterpret_cast<wire::RingHeader*>(memory_ + layout_.ring_offset(index));
}

bool SegmentReader::api_thread_is_tid() const {
  return reinterpret_cast<const volatile std::uint32_t&>(header()->api_thread_is_tid) != 0;
}

std::uint64_t SegmentReader::ring_count() const {
  const std::uint64_t threads = header()->thread_rings.load(std::memory_order_acquire);
  return wire::kFirstThreadRing + std::min(threads, most_thread_rings_);
}

std::uint64_t SegmentReader::head(std::uint64_t index) const {
  return ring(index)->head.load(std::memory_order_acquire);
}

void SegmentReader::take(std::uint64_t index, std::uint64_t head, std::vector<wire::Slot>& slots) {
  slots.clear();
  if (index >= tails_.size()) {
    tails_.resize(index + 1, 0);
    is_broken_.resize(index + 1, false);
  }
  const std::uint64_t tail = tails_[index];
  const std::uint64_t capacity = layout_.slots(index);
  if (is_broken_[index] || head == tail) return;
  if (head - tail > capacity) {
    is_broken_[index] = true;
    ++broken_rings_;
    return;
  }
  const auto count = static_cast<std::size_t>(head - tail);
  slots.resize(count);
  const char* memory = memory_ + layout_.ring_offset(index) + wire::kRingHeaderBytes;
  const std::uint64_t first = tail & (capacity - 1);
  const auto until_end = static_cast<std::size_t>(std::min<std::uint64_t>(count, capacity - first));
  std::memcpy(static_cast<void*>(slots.data()), memory + first * wire::kSlotBytes, until_end * wire::kSlotBytes);
  std::memcpy(static_cast<void*>(slots.data() + until_end), memory, (count - until_end) * wire::kSlotBytes);
  tails_[index] = head;
  ring(index)->tail.store(head, std::memory_order_release);
}

SegmentReader::Counts SegmentReader::counts() const {
  Counts counts;
  const std::uint64_t rings = ring_count();
  for (std::uint64_t i = 0; i < rings; ++i) counts.dropped += ring(i)->dropped.load(std::memory_order_relaxed);
  const wire::SegmentHeader& h = *header();
  counts.names_lost = h.names_lost.load(std::memory_order_relaxed);
  counts.names_cut = h.names_cut.load(std::memory_order_relaxed);
  counts.gpu_records_lost = h.gpu_records_lost.load(std::memory_order_relaxed);
  counts.gpu_unknown = h.gpu_unknown.load(std::memory_order_relaxed);
  counts.broken_rings = broken_rings_;
  return counts;
}

void SegmentReader::say_steps_count() {
  header()->counts_steps.store(1, std::memory_order_relaxed);
}
void SegmentReader::say_done() {
  header()->viewer_is_done.store(1, std::memory_order_relaxed);
}

}  // namespace lacuna
