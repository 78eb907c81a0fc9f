// The wire's names of CUDA objects: when they are told, and what a hostile target may send.
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "capture/session/gpu_decoder.h"
#include "tests/capture/described_process.h"

using namespace lacuna;
using wire::ObjectKind;

namespace {

struct Names : EventSink {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::string>> threads;
  std::vector<std::string> labels;
  std::vector<std::string> args;
  void add(const StreamedSlice& s) override { args.emplace_back(s.args); }
  void add(const StreamedInstant&) override {}
  void add(const StreamedAsync&) override {}
  void add(const StreamedFlow&) override {}
  void add(const StreamedName& n) override {
    if (n.what == StreamedName::What::kThread) threads.emplace_back(n.pid, n.tid, n.name);
    if (n.what == StreamedName::What::kProcessLabels && n.pid != 4711) labels.emplace_back(n.name);
  }
  void add(const StreamedDevice&) override {}
};

/// A process of the session that says what the tests tell it to.
struct Target : DescribedProcess<Names> {
  explicit Target(std::uint32_t index = 0)
      : DescribedProcess(
            {{1'000'000, 1'790'000'000'000'000'000, 3'000'000}, {21'000'000, 1'790'000'000'020'000'000, 63'000'000}},
            index) {}

  void name(ObjectKind kind, std::uint32_t device, std::uint32_t id, std::string_view called,
            std::uint64_t ring = wire::kControlRing) {
    wire::ObjectRecord record;
    record.head.type = wire::RecordType::kObjectName;
    record.head.name = text(called);
    record.kind = kind;
    record.device = device;
    record.id = id;
    put(record, ring);
  }
  void kernel(std::uint32_t device, std::uint32_t stream) {
    wire::KernelRecord record;
    record.head.type = wire::RecordType::kKernel;
    record.head.time = 2'000'000;
    record.end = 2'001'000;
    record.device = device;
    record.context = 10 + device;
    record.stream = stream;
    put(record, wire::kGpuRing);
  }
};

using Told = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::string>>;

}  // namespace

TEST_CASE("a stream's name is told with its first event, once, and again only when it changes") {
  Target t;
  t.name(ObjectKind::kStream, 0, 7, "first");
  t.name(ObjectKind::kStream, 0, 7, "copies");
  CHECK(t.sink.threads.empty());  // a name makes no lane
  t.kernel(0, 7);
  t.kernel(0, 8);
  t.kernel(0, 7);
  CHECK(t.sink.threads == Told{{0, 7, "stream 7 · copies"}});
  t.name(ObjectKind::kStream, 0, 8, "math");
  CHECK(t.sink.threads.back() == Told::value_type{0, 8, "stream 8 · math"});
  t.name(ObjectKind::kStream, 0, 7, "renamed");
  CHECK(t.sink.threads.back() == Told::value_type{0, 7, "stream 7 · renamed"});
  CHECK(t.sink.threads.size() == 3);
}

TEST_CASE("the same record again tells nothing") {
  Target t;
  t.kernel(0, 7);
  wire::ObjectRecord record;
  record.head.type = wire::RecordType::kObjectName;
  record.head.name = t.text("copies");
  record.kind = ObjectKind::kStream;
  record.device = 0;
  record.id = 7;
  for (int i = 0; i < 1000; ++i) t.put(record, wire::kControlRing);
  CHECK(t.sink.threads.size() == 1);
}

TEST_CASE("streams of one number on two devices; a stream whose device is not known") {
  Target t(3);
  t.kernel(0, 7);
  t.name(ObjectKind::kStream, 1, 7, "of device 1");
  t.kernel(1, 7);
  CHECK(t.sink.threads == Told{{gpu_pid(3, 1), 7, "stream 7 · of device 1"}});
  t.name(ObjectKind::kStream, wire::kAnyDevice, 7, "anywhere");  // the exact name stays
  CHECK(t.sink.threads.size() == 3);
  CHECK(t.sink.threads[1] == Told::value_type{gpu_pid(3, 0), 7, "stream 7 · anywhere"});
  CHECK(t.sink.threads[2] == Told::value_type{gpu_pid(3, 1), 7, "stream 7 · of device 1"});
}

TEST_CASE("devices and contexts, before and after their first event") {
  Target t;
  t.name(ObjectKind::kDevice, wire::kAnyDevice, 0, "left");
  t.kernel(0, 7);
  t.kernel(1, 7);
  t.name(ObjectKind::kDevice, wire::kAnyDevice, 1, "right");
  CHECK(t.sink.labels == std::vector<std::string>{"GPU 0 · left", "GPU 1", "GPU 1 · right"});
  t.name(ObjectKind::kContext, wire::kAnyDevice, 11, "main \"context\"");
  t.kernel(1, 7);
  CHECK(t.sink.args.back().find(R"("context":11,"context name":"main \"context\"",)") != std::string::npos);
  CHECK(t.sink.args.front().find("context name") == std::string::npos);
}

TEST_CASE("what makes no sense is counted: a kind that is none, another ring, endless objects") {
  Target t;
  t.name(static_cast<ObjectKind>(3), 0, 7, "?");
  CHECK(t.decoder.counts().corrupt == 1);
  t.name(ObjectKind::kStream, 0, 7, "wrong ring", wire::kGpuRing);
  CHECK(t.decoder.counts().corrupt == 2);
  t.kernel(0, 7);
  CHECK(t.sink.threads.empty());
  wire::ObjectRecord record;
  record.head.type = wire::RecordType::kObjectName;
  record.head.name = 999'999;  // never announced
  record.kind = ObjectKind::kStream;
  for (record.id = 0; record.id < 70'000; ++record.id) t.put(record, wire::kControlRing);
  CHECK(t.decoder.counts().corrupt == 2 + 70'000 - 65'536);
  REQUIRE(t.sink.threads.size() == 1);
  CHECK(std::get<2>(t.sink.threads[0]) == "stream 7 · (name lost)");
}

TEST_CASE("names of objects without a lane are counted") {
  Target t;
  wire::NumberRecord record;
  record.head.type = wire::RecordType::kResource;
  t.put(record, wire::kControlRing);
  CHECK(t.decoder.counts().names_unseen == 1);
  CHECK(t.decoder.counts().corrupt == 0);
}
