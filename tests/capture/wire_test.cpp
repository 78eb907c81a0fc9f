#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/session/batch_sink.h"
#include "capture/session/process_decoder.h"
#include "capture/session/segment_reader.h"
#include "capture/wire/clock.h"
#include "capture/wire/ring_writer.h"

using namespace lacuna;
using wire::RecordType;

namespace {

/// A ring in plain memory.
struct Ring {
  explicit Ring(std::uint64_t slots) : memory(new (std::align_val_t{4096}) char[wire::ring_bytes(slots)]{}) {
    writer.attach(memory.get(), slots);
  }
  struct Free {
    void operator()(char* p) const { ::operator delete[](p, std::align_val_t{4096}); }
  };
  std::unique_ptr<char[], Free> memory;
  wire::RingWriter writer;
  std::uint64_t head() const { return writer.shared->head.load(); }
};

/// A segment as a collector makes it, and what a hostile one would change.
struct Segment {
  int descriptor = -1;
  char* memory = nullptr;
  std::uint64_t bytes = 0;
  wire::SegmentLayout layout{256, 256, 256};

  explicit Segment(bool sealed = true, std::uint64_t rings = 2) {
    bytes = layout.ring_offset(2) + rings * wire::ring_bytes(256);
    descriptor = memfd_create("test", MFD_ALLOW_SEALING);
    REQUIRE(ftruncate(descriptor, static_cast<off_t>(bytes)) == 0);
    memory = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
    auto* h = new (memory) wire::SegmentHeader;
    std::memcpy(h->magic, wire::kMagic, 8);
    h->version = wire::kWireVersion;
    h->pid = 4711;
    h->file_bytes = bytes;
    h->control_slots = h->gpu_slots = h->thread_slots = 256;
    std::memcpy(h->process_name, "name", 5);
    if (sealed) REQUIRE(fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  }
  ~Segment() { munmap(memory, bytes); }
  wire::SegmentHeader& header() { return *reinterpret_cast<wire::SegmentHeader*>(memory); }
  wire::RingHeader& ring(std::uint64_t i) {
    return *reinterpret_cast<wire::RingHeader*>(memory + layout.ring_offset(i));
  }
  wire::Slot* slots(std::uint64_t i) {
    return reinterpret_cast<wire::Slot*>(memory + layout.ring_offset(i) + wire::kRingHeaderBytes);
  }
};

}  // namespace

TEST_CASE("a full ring drops the newest, counts, and tells of the hole") {
  Ring ring(256);
  wire::RecordHead head;
  head.type = RecordType::kMark;
  for (std::uint32_t i = 0; i < 300; ++i) {
    head.name = i;
    CHECK(ring.writer.put(head) == (i < 256));
  }
  CHECK(ring.writer.shared->dropped.load() == 44);
  CHECK(ring.head() == 256);
  ring.writer.shared->tail.store(256);
  head.name = 1000;
  CHECK(ring.writer.put(head));
  wire::RecordHead lost;
  std::memcpy(static_cast<void*>(&lost), &ring.writer.slots[0], sizeof lost);
  CHECK(lost.type == RecordType::kLost);
  CHECK(lost.name == 44);
  CHECK(ring.head() == 258);
}

TEST_CASE("a reader that talks nonsense stops the writer, not more") {
  Ring ring(256);
  wire::RecordHead head;
  ring.writer.shared->tail.store(5000);  // ahead of the writer
  for (int i = 0; i < 10; ++i) CHECK_FALSE(ring.writer.put(head));
}

TEST_CASE("ring between two threads: every record once and in order, or counted") {
  Ring ring(1024);
  constexpr std::uint32_t kRecords = 200'000;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < kRecords; ++i) {
      wire::ApiRecord record;
      record.head.type = RecordType::kApi;
      record.head.name = i;
      record.end = i * 3ull;
      record.cbid = ~i;
      ring.writer.put(record);
    }
    done = true;
  });
  std::uint64_t tail = 0;
  std::uint64_t seen = 0;
  std::uint64_t lost = 0;
  std::int64_t last = -1;
  for (bool is_last = false; !is_last;) {
    is_last = done;
    const std::uint64_t head = ring.writer.shared->head.load(std::memory_order_acquire);
    REQUIRE(head - tail <= 1024);
    while (tail < head) {
      wire::Slot slots[3];
      slots[0] = ring.writer.slots[tail & 1023];
      wire::RecordHead first;
      std::memcpy(static_cast<void*>(&first), &slots[0], sizeof first);
      if (first.type == RecordType::kLost) {
        lost += first.name;
        ++tail;
        continue;
      }
      for (int i = 1; i < 3; ++i) slots[i] = ring.writer.slots[(tail + static_cast<std::uint64_t>(i)) & 1023];
      wire::ApiRecord record;
      std::memcpy(static_cast<void*>(&record), slots, sizeof record);
      REQUIRE(record.cbid == ~record.head.name);
      REQUIRE(record.end == record.head.name * 3ull);
      REQUIRE(static_cast<std::int64_t>(record.head.name) > last);
      last = record.head.name;
      tail += 3;
      ++seen;
    }
    ring.writer.shared->tail.store(tail, std::memory_order_release);
  }
  writer.join();
  CHECK(seen + lost + ring.writer.lost == kRecords);
  CHECK(ring.writer.shared->dropped.load() == kRecords - seen);
}

TEST_CASE("segments that make no sense are refused") {
  SUBCASE("a good one") {
    Segment s;
    const auto reader = SegmentReader::open(dup(s.descriptor));
    REQUIRE(reader.has_value());
    CHECK(reader->facts().pid == 4711);
    CHECK(reader->facts().process_name == "name");
    CHECK(reader->ring_count() == 2);
    s.header().thread_rings.store(1'000'000);
    CHECK(reader->ring_count() == 4);  // no more than the file holds
    close(s.descriptor);
  }
  SUBCASE("a huge file of small rings: no more are looked at than threads could have") {
    Segment s(true, 70'000);
    const auto reader = SegmentReader::open(dup(s.descriptor));
    REQUIRE(reader.has_value());
    s.header().thread_rings.store(70'000);
    CHECK(reader->ring_count() == 2 + 65'536);
    close(s.descriptor);
  }
  SUBCASE("not sealed: could be truncated under us") {
    CHECK_FALSE(SegmentReader::open(Segment(false).descriptor).has_value());
  }
  SUBCASE("no memory file") {
    CHECK_FALSE(SegmentReader::open(open("/dev/null", O_RDWR)).has_value());
  }
  SUBCASE("another version") {
    Segment s;
    s.header().version = wire::kWireVersion + 1;
    CHECK_FALSE(SegmentReader::open(s.descriptor).has_value());
  }
  SUBCASE("no magic") {
    Segment s;
    s.header().magic[0] = 'X';
    CHECK_FALSE(SegmentReader::open(s.descriptor).has_value());
  }
  SUBCASE("sizes") {
    for (const std::uint64_t slots : {0ull, 255ull, 257ull, 1ull << 40, ~0ull}) {
      for (int which = 0; which < 3; ++which) {
        Segment s;
        (which == 0 ? s.header().control_slots : which == 1 ? s.header().gpu_slots : s.header().thread_slots) = slots;
        CHECK_FALSE(SegmentReader::open(s.descriptor).has_value());
      }
    }
    Segment s;
    s.header().control_slots = 1 << 20;  // more than the file holds
    CHECK_FALSE(SegmentReader::open(s.descriptor).has_value());
  }
}

TEST_CASE("a ring whose head jumps is given up and counted; the others go on") {
  Segment s;
  auto reader = SegmentReader::open(s.descriptor);
  REQUIRE(reader.has_value());
  s.header().thread_rings.store(2);
  std::vector<wire::Slot> slots;
  s.ring(2).head.store(10'000);
  reader->take(2, reader->head(2), slots);
  CHECK(slots.empty());
  s.ring(2).head.store(10);
  reader->take(2, reader->head(2), slots);
  CHECK(slots.empty());
  CHECK(reader->counts().broken_rings == 1);
  s.ring(3).head.store(250);
  reader->take(3, reader->head(3), slots);
  CHECK(slots.size() == 250);
  s.ring(3).head.store(260);  // over the ring's end
  s.slots(3)[3].low = 99;
  reader->take(3, reader->head(3), slots);
  REQUIRE(slots.size() == 10);
  CHECK(slots[9].low == 99);
  s.ring(3).head.store(5);  // backwards
  reader->take(3, reader->head(3), slots);
  CHECK(slots.empty());
  CHECK(reader->counts().broken_rings == 2);
}

TEST_CASE("random bytes in every ring: no crash, all of it counted") {
  const wire::ClockTriple first = wire::read_triple();
  const ClockMap clocks(first, {first.monotonic_ns + 1000000, first.realtime_ns + 1000000, first.tsc + 3000000});
  std::mt19937_64 random(20260101);
  for (int round = 0; round < 300; ++round) {
    BatchSink sink;
    std::vector<CaptureMessage> messages;
    ProcessDecoder decoder({1, 0, round % 2 ? wire::ClockKind::kTsc : wire::ClockKind::kMonotonic, {}, "x"}, clocks,
                           sink, messages);
    for (std::uint64_t ring = 0; ring < 4; ++ring) {
      std::vector<wire::Slot> slots(random() % 400);
      for (wire::Slot& slot : slots) {
        slot = {random(), random()};
        if (random() % 4 != 0) {  // mostly types that exist, small ids, short strings
          const std::uint64_t type = random() % 50;
          slot.high = (random() % 8) | (random() % 4) << 32 | type << 48 | (random() % 3) << 56;
          if (type == 20) slot.low = random() % 40;
        }
      }
      decoder.read(ring, slots, round % 3 == 0);
    }
    decoder.finish();
    CHECK(decoder.counts().records > 0);
  }
}
