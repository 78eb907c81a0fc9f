#include "model/causes/stream_waits.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

/// Work of streams of GPU 0, and waits; times in us.
class MadeWaits {
 public:
  MadeWaits& kernel(std::string_view name, int stream, int start, int end, std::int64_t correlation,
                    std::string_view category = "kernel", int device = 0) {
    return event(category, name, device, stream, start, end,
                 fmt::format(R"("stream":{},"device":{},"correlation":{})", stream, device, correlation));
  }
  /// One on `stream`, for `other`: `record` is the correlation of the cudaEventRecord, as text.
  MadeWaits& wait(int stream, std::int64_t correlation, std::string_view other, std::string_view record,
                  std::string_view name = "Stream Wait Event", int at = 40) {
    return event("cuda_sync", name, 0, stream, at, at + 1,
                 fmt::format(R"("stream":{},"device":0,"correlation":{},"wait_on_stream":{},)"
                             R"("wait_on_cuda_event_record_corr_id":{})",
                             stream, correlation, other, record));
  }
  /// A dependency of nodes of a graph, as torch.profiler draws it.
  MadeWaits& arrow(int from_stream, int at, int to_stream, int to) {
    constexpr const char* kEnd = R"(,{{"ph":"{}","cat":"ac2g","name":"ac2g","id":{},"pid":0,"tid":{},"ts":{}{}}})";
    const std::int64_t id = (std::int64_t{1} << 40) + ++arrows_;
    events_ += fmt::format(fmt::runtime(kEnd), "s", id, from_stream, at, "");
    events_ += fmt::format(fmt::runtime(kEnd), "f", id, to_stream, to, R"(,"bp":"e")");
    return *this;
  }
  Trace trace() const {
    Result<Trace> trace = import_json(fmt::format(R"({{"traceEvents":[{}]}})", events_));
    REQUIRE(trace.has_value());
    return std::move(*trace);
  }
  /// What `name` waited for; empty: nothing that is known.
  std::string target(std::string_view name) const {
    const Trace trace = this->trace();
    return target(StreamWaits(trace), trace, name);
  }
  static std::string target(const StreamWaits& waits, const Trace& trace, std::string_view name) {
    const SliceId activity = slice_named(trace, name);
    REQUIRE(activity.valid());
    const SliceId found = waits.target(trace, activity);
    return found.valid() ? std::string(trace.name(found)) : std::string();
  }

 private:
  MadeWaits& event(std::string_view category, std::string_view name, int pid, int tid, int start, int end,
                   const std::string& args) {
    events_ += fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                           events_.empty() ? "" : ",", category, name, pid, tid, start, end - start, args);
    return *this;
  }
  std::string events_;
  int arrows_ = 0;
};

/// a and b on stream 20, c and d on stream 7.
MadeWaits two_streams() {
  MadeWaits made;
  made.kernel("a", 20, 0, 30, 10).kernel("b", 20, 30, 60, 20);
  return made.kernel("c", 7, 0, 20, 15).kernel("d", 7, 70, 90, 30).kernel("e", 7, 95, 99, 40);
}

}  // namespace

TEST_CASE("stream waits: the target is the last work issued before the record") {
  CHECK(two_streams().wait(7, 25, "20", "21").target("d") == "b");
  CHECK(two_streams().wait(7, 25, "20", "20").target("d") == "a");  // b was issued after it
  CHECK(two_streams().wait(7, 25, "20", "11").target("d") == "a");
  CHECK(two_streams().wait(7, 25, "20", "10").target("d").empty());  // nothing was issued before
}

TEST_CASE("stream waits: where the record is not known, it is what was issued before the wait") {
  for (const char* record : {"-1", "0", "\"x\""}) {
    CAPTURE(record);
    CHECK(two_streams().wait(7, 25, "20", record).target("d") == "b");
    CHECK(two_streams().wait(7, 18, "20", record).target("d") == "a");
  }
  CHECK(two_streams().wait(7, 25, "\"20\"", "\"21\"").target("d") == "b");  // numbers as text
}

TEST_CASE("stream waits: a wait holds for the first work of its stream that was issued after it") {
  const MadeWaits made = two_streams().wait(7, 25, "20", "21");
  CHECK(made.target("c").empty());
  CHECK(made.target("e").empty());
  CHECK(made.target("a").empty());
  CHECK(two_streams().wait(7, 30, "20", "21").target("d").empty());  // issued with d, not before it
  CHECK(two_streams().wait(7, 16, "20", "11").target("d") == "a");
  CHECK(two_streams().wait(7, 15, "20", "11").target("d").empty());  // with c
}

TEST_CASE("stream waits: of several the one that ended last") {
  CHECK(two_streams().wait(7, 24, "20", "11").wait(7, 25, "20", "21").target("d") == "b");
  CHECK(two_streams().wait(7, 24, "20", "21").wait(7, 25, "20", "11").target("d") == "b");
  CHECK(two_streams().wait(7, 25, "20", "21").wait(7, 24, "20", "11").target("d") == "b");
}

TEST_CASE("stream waits: copies and sets are work, other rows of a stream are not") {
  const auto with = [](std::string_view category) {
    return MadeWaits()
        .kernel("a", 20, 0, 30, 10)
        .kernel("m", 20, 40, 50, 12, category)
        .kernel("d", 7, 70, 90, 30)
        .wait(7, 25, "20", "21")
        .target("d");
  };
  CHECK(with("gpu_memcpy") == "m");
  CHECK(with("gpu_memset") == "m");
  CHECK(with("cuda_sync") == "a");
}

TEST_CASE("stream waits: nothing is known of other names, devices and streams, nor of a stream itself") {
  CHECK(two_streams().wait(7, 25, "20", "21", "Stream Sync").target("d").empty());
  CHECK(two_streams().wait(7, 25, "21", "21").target("d").empty());
  CHECK(two_streams().wait(7, 25, "-1", "21").target("d").empty());
  CHECK(two_streams().wait(7, 25, "7", "21").target("d").empty());
  CHECK(two_streams().target("d").empty());
  // Stream 20 of another GPU.
  MadeWaits other;
  other.kernel("a", 20, 0, 30, 10, "kernel", 1).kernel("d", 7, 70, 90, 30).wait(7, 25, "20", "21");
  CHECK(other.target("d").empty());
}

TEST_CASE("stream waits: work without a correlation waits for nothing, and is waited for by nothing") {
  CHECK(MadeWaits().kernel("a", 20, 0, 30, 10).kernel("d", 7, 70, 90, 0).wait(7, 25, "20", "21").target("d").empty());
  CHECK(MadeWaits()
            .kernel("a", 20, 0, 30, 10)
            .kernel("z", 20, 35, 50, 0)
            .kernel("d", 7, 70, 90, 30)
            .wait(7, 25, "20", "21")
            .target("d") == "a");
}

TEST_CASE("stream waits: arrows between the nodes of a graph, each from the end of what was awaited") {
  // All of one replay, so of one correlation. b begins where a ends, and the arrow from there is a's.
  MadeWaits graph;
  graph.kernel("a", 20, 0, 30, 10).kernel("b", 20, 30, 60, 10).kernel("c", 7, 0, 20, 10).kernel("d", 7, 70, 90, 10);
  CHECK(graph.target("d").empty());
  CHECK(MadeWaits(graph).arrow(20, 30, 7, 70).target("d") == "a");
  CHECK(MadeWaits(graph).arrow(20, 60, 7, 70).target("d") == "b");
  CHECK(MadeWaits(graph).arrow(20, 60, 7, 70).arrow(20, 30, 7, 70).target("d") == "b");  // the last one to end
  CHECK(MadeWaits(graph).arrow(7, 20, 7, 70).target("d").empty());                       // its own stream
  CHECK(MadeWaits(graph).arrow(7, 90, 20, 30).target("b").empty());                      // backwards
}

TEST_CASE("stream waits: of a recording, those that come later may have been issued before those that are known") {
  // Each part of the recording ends at that time; waits of one microsecond at 40, 50 and 65.
  MadeWaits made = two_streams();
  made.wait(7, 28, "20", "21", "Stream Wait Event", 50);
  const Trace first = made.trace();
  made.wait(7, 14, "20", "11", "Stream Wait Event", 65).wait(7, 12, "20", "11", "Stream Wait Event", 67);
  const Trace second = made.trace();
  LaneGrowth growth;
  StreamWaits waits;
  waits.update(first, growth, growth.update(first, 62'000));
  CHECK(MadeWaits::target(waits, first, "d") == "b");
  waits.update(second, growth, growth.update(second, 200'000));
  CHECK(MadeWaits::target(waits, second, "c") == "a");
  CHECK(MadeWaits::target(waits, second, "d") == "b");
  // Nothing new: all that is known stays.
  waits.update(second, growth, growth.update(second, 300'000));
  CHECK(MadeWaits::target(waits, second, "c") == "a");
  CHECK(MadeWaits::target(waits, second, "d") == "b");
}
