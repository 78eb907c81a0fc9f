// What PyTorch's allocators report: as [memory] events and as counters, in a file and in a batch.
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "capture/session/batch_sink.h"
#include "capture/session/process_decoder.h"
#include "model/export/held_event.h"
#include "model/export/output_file.h"
#include "model/export/trace_json_writer.h"
#include "model/import/importer.h"

using namespace lacuna;

namespace {

struct HeardInstants : EventSink {
  std::vector<std::tuple<std::string, std::string, bool>> instants;  // name, args, whether a counter
  void add(const StreamedSlice&) override {}
  void add(const StreamedInstant& i) override {
    HeldEvent(i).pass_to(batch);  // as a filter would that waits
    instants.emplace_back(i.name, i.args, i.is_counter);
  }
  void add(const StreamedAsync&) override {}
  void add(const StreamedFlow&) override {}
  void add(const StreamedName&) override {}
  void add(const StreamedDevice&) override {}
  BatchSink batch;
};

struct AllocatingTarget {
  template <class Record>
  void put(const Record& record) {
    std::vector<wire::Slot> slots(sizeof record / sizeof(wire::Slot));
    std::memcpy(static_cast<void*>(slots.data()), &record, sizeof record);
    decoder.read(wire::kFirstThreadRing, slots, true);
  }
  void allocation(std::uint64_t time, std::int64_t bytes, std::uint64_t allocated, std::uint64_t reserved,
                  std::int16_t type, std::int16_t device, bool is_out = false) {
    wire::AllocatorRecord record;
    record.head.type = wire::RecordType::kAllocator;
    record.head.time = time;
    record.address = 4096;
    record.bytes = bytes;
    record.allocated = allocated;
    record.reserved = reserved;
    record.device_type = type;
    record.device = device;
    record.is_out_of_memory = is_out ? 1 : 0;
    put(record);
  }
  HeardInstants heard;
  ClockMap clocks{{1'000, 1'000, 0}, {2'000, 2'000, 0}};
  std::vector<CaptureMessage> messages;
  ProcessDecoder decoder{{100, 0, wire::ClockKind::kMonotonic, {}, "target"}, clocks, heard, messages};
};

TEST_CASE("allocations become [memory] events with torch.profiler's args, and a counter beside each") {
  AllocatingTarget target;
  target.allocation(10, 64, 64, 0, 0, -1);
  CHECK(target.decoder.counts().corrupt == 1);  // no thread yet
  wire::ThreadRecord thread;
  thread.head.type = wire::RecordType::kThread;
  thread.tid = 100;
  target.put(thread);
  target.allocation(20, 64, 64, 0, 0, -1);
  target.allocation(30, 512, 512, 2048, 1, 3);
  target.allocation(40, -64, 0, 0, 0, -1);
  target.allocation(50, 1 << 20, 512, 2048, 1, 3, true);
  const auto& heard = target.heard.instants;
  REQUIRE(heard.size() == 7);
  CHECK(heard[0] == std::tuple(std::string("[memory]"),
                               std::string(R"("Total Reserved":0,"Total Allocated":64,"Bytes":64,"Addr":4096,)"
                                           R"("Device Id":-1,"Device Type":0)"),
                               false));
  CHECK(heard[1] == std::tuple(std::string("CPU memory"), std::string(R"("allocated bytes":64)"), true));
  CHECK(heard[3] ==
        std::tuple(std::string("GPU 3 memory"), std::string(R"("allocated bytes":512,"reserved bytes":2048)"), true));
  CHECK(std::get<0>(heard[6]) == "[OutOfMemory]");
  const EventBatch batch = target.heard.batch.take();
  REQUIRE(batch.counters.size() == 4);
  CHECK(batch.strings.get(batch.counters[2].name) == "GPU 3 memory");
  CHECK(batch.strings.get(batch.counters[2].series) == "reserved bytes");
  CHECK(batch.counters[2].value == 2048);
  CHECK(batch.phase_counts['C'] == 3);
  CHECK(batch.phase_counts['i'] == 4);
}

TEST_CASE("a file of counters is read as the batch has them") {
  const std::string path = "/tmp/lacuna_counters_" + std::to_string(getpid()) + ".json";
  {
    auto file = OutputFile::create(path);
    REQUIRE(file.has_value());
    TraceJsonWriter writer(*file);
    writer.begin({});
    StreamedInstant counter{{7, 7, TrackKind::kThread, 0}, "GPU 0 memory", {}, 1000, R"("allocated bytes":5)"};
    counter.is_counter = true;
    writer.add(counter);
    counter.time = 2000;
    counter.args = R"("allocated bytes":9,"reserved bytes":20)";
    writer.add(counter);
    writer.end({});
    REQUIRE(file->finish().has_value());
  }
  const auto trace = import_files(std::vector<std::string>{path});
  std::remove(path.c_str());
  REQUIRE(trace.has_value());
  std::vector<std::string> names;
  for (const Track& track : trace->tracks()) {
    REQUIRE(track.kind == TrackKind::kCounter);
    names.emplace_back(trace->text(track.name));
  }
  CHECK(names ==
        std::vector<std::string>{"GPU 0 memory \xC2\xB7 allocated bytes", "GPU 0 memory \xC2\xB7 reserved bytes"});
}

}  // namespace
