// A live trace (BatchSink, TraceBuilder) and the file written of the same events show the same.
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "capture/session/batch_sink.h"
#include "model/build/trace_builder.h"
#include "model/export/trace_json_writer.h"
#include "model/import/importer.h"
#include "model/trace/import_finding.h"
#include "tests/support/paths.h"

using namespace lacuna;

namespace {

/// Sends each event to both, with its offset in the file.
class Both : public EventSink {
 public:
  Both(TraceJsonWriter& file, BatchSink& batch) : file_(file), batch_(batch) {}
  void add(const StreamedSlice& e) override { send(e); }
  void add(const StreamedInstant& e) override { send(e); }
  void add(const StreamedAsync& e) override { send(e); }
  void add(const StreamedFlow& e) override { send(e); }
  void add(const StreamedName& e) override { send(e); }
  void add(const StreamedDevice& e) override { send(e); }

 private:
  template <class Event>
  void send(const Event& event) {
    file_.add(event);
    batch_.set_offset(file_.offset());
    batch_.add(event);
  }
  TraceJsonWriter& file_;
  BatchSink& batch_;
};

/// Everything that is shown of a trace, as text.
std::string shown(const Trace& trace) {
  std::string text = fmt::format("{} events {} slices span {} {}\n", trace.event_count(), trace.slice_count(),
                                 trace.span().begin, trace.span().end);
  for (const ProcessId id : trace.process_order()) {
    const Process& process = trace.process(id);
    text += fmt::format("process {} {} {}\n", trace.text(process.pid), trace.text(process.name),
                        trace.text(process.labels));
    for (const TrackId track_id : process.tracks) {
      const Track& track = trace.track(track_id);
      text += fmt::format(" track {} {} {} {} rows {}\n", static_cast<int>(track.kind), trace.text(track.tid),
                          trace.text(track.name), trace.text(track.stream), track.lane_count);
      for (const Instant& i : track.instants) text += fmt::format("  i {} {}\n", i.time, trace.text(i.name));
      for (const Lane& lane : trace.lanes_of(track))
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          text += fmt::format("  {} {} {} {} parent {} corr {} flags {}\n", lane.start(i), lane.duration(i),
                              trace.text(lane.name(i)), trace.category_name(lane.category(i)), lane.parent(i),
                              lane.correlation(i), lane.flags(i));
    }
  }
  const Links& links = trace.links();
  text += fmt::format("links {} of {}, flows {}\n", links.linked, links.gpu_activities, links.flows().size());
  for (const LaunchLink& link : links.launches())
    text += fmt::format(" {} -> {}\n", trace.name(link.launch), trace.span(link.activity).begin);
  for (const ImportReport::Line& line : trace.report().lines())
    text += fmt::format("{} {}\n", info(line.finding).key, line.count);
  return text;
}

void make_events(EventSink& sink) {
  std::mt19937 random(4);
  sink.add(StreamedName{StreamedName::What::kProcess, 100, 0, "python \"x\""});
  sink.add(StreamedName{StreamedName::What::kThread, 100, 101, "main"});
  sink.add(StreamedName{StreamedName::What::kProcess, 0, 0, "python"});
  sink.add(StreamedName{StreamedName::What::kProcessLabels, 0, 0, "GPU 0"});
  sink.add(StreamedName{StreamedName::What::kThread, 0, 8, "stream 8 · first"});
  for (std::uint32_t i = 1; i <= 200; ++i) {
    const StreamedTrack thread{100, 101 + i % 3, TrackKind::kThread, 0};
    const StreamedTrack stream{0, 7 + i % 2, TrackKind::kGpuStream, 0};
    const Nanos start = i * 1000 + static_cast<Nanos>(random() % 500);
    const std::string name = fmt::format("op {} \xc3\xa9\n", i % 7);
    sink.add(StreamedSlice{thread, name, "cpu_op", start, static_cast<Nanos>(1 + random() % 1800), 0, "\"x\":1",
                           false});  // some cross
    sink.add(StreamedSlice{thread, "cudaLaunchKernel", "cuda_runtime", start + 1, 10, i,
                           fmt::format("\"correlation\":{}", i), false});
    sink.add(StreamedSlice{stream, "kernel", "kernel", start + 600, 300, i,
                           fmt::format("\"device\":0,\"stream\":{},\"correlation\":{}", stream.tid, i), false});
    sink.add(StreamedFlow{thread, start + 1, stream, start + 600, i});
    if (i % 10 == 0) sink.add(StreamedInstant{thread, "mark", "user_annotation", start + 3, {}});
    if (i % 20 == 0) {
      sink.add(StreamedAsync{thread, "range", "nvtx_range", start, i, true, {}});
      if (i % 40 == 0) sink.add(StreamedAsync{thread, "range", "nvtx_range", start + 5000, i, false, {}});
    }
  }
  sink.add(StreamedSlice{{100, 101}, "running", "user_annotation", 150'000, 0, 0, {}, true});
  sink.add(StreamedName{StreamedName::What::kThread, 0, 8, "stream 8 · copies"});  // late, and again: the last counts
  sink.add(StreamedSlice{{0, ~0u}, "Context Sync", "cuda_sync", 10, 20, 0, {}, false});
}

}  // namespace

TEST_CASE("a live trace and its file are the same, plain and gzip") {
  for (const char* ending : {".json", ".json.gz"}) {
    CAPTURE(ending);
    const std::string path = fmt::format("{}/lacuna_batch_test_{}{}", build_folder(), getpid(), ending);
    Result<OutputFile> file = OutputFile::create(path);
    REQUIRE(file.has_value());
    TraceJsonWriter writer(*file);
    BatchSink batch;
    writer.begin({.base_time_ns = 1'790'000'000'000'000'000});
    Both both(writer, batch);
    make_events(both);
    writer.end({{"lacuna", "{\"dropped\": 0}"}});
    REQUIRE(file->finish().has_value());

    TraceBuilder builder;
    builder.add(builder.add_source({}), batch.take());
    const Trace live = builder.finish();
    const std::string paths[] = {path};
    const Result<Trace> reopened = import_files(paths);
    REQUIRE(reopened.has_value());
    CHECK(reopened->sources()[0].base_time_ns == 1'790'000'000'000'000'000);
    CHECK(shown(live) == shown(*reopened));
    CHECK(live.links().linked == 200);
    CHECK(shown(live).find("8 stream 8 · copies 8 rows") != std::string::npos);
    CHECK(shown(live).find("7 stream 7 7 rows") != std::string::npos);
    std::remove(path.c_str());
  }
}

TEST_CASE("what a crash leaves of a recording can be read") {
  const std::string path = fmt::format("{}/lacuna_cut_test_{}.json.gz", build_folder(), getpid());
  Result<OutputFile> file = OutputFile::create(path);
  REQUIRE(file.has_value());
  TraceJsonWriter writer(*file);
  writer.begin({});
  make_events(writer);
  file->flush();  // and no more: no end of the document, none of the gzip stream
  const std::string paths[] = {path};
  const Result<Trace> trace = import_files(paths);
  REQUIRE(trace.has_value());
  CHECK(trace->links().linked == 200);
  std::remove(path.c_str());
}
