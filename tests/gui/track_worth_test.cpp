#include "app/gui/models/tracks/track_worth.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/gui/application/command_words.h"
#include "app/gui/core/track_names.h"
#include "app/gui/core/waiting_names.h"
#include "app/gui/models/search/fuzzy.h"
#include "app/gui/models/statistics/statistics_view.h"
#include "app/gui/models/timeline/timeline_view.h"
#include "model/trace/sampled_tracks.h"
#include "tests/render/track_maker.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

Trace three_threads() {
  return TrackMaker()
      .thread("1", "10")
      .slice("threading.py(1032): _bootstrap", 0, 1000, "python_function")
      .slice("threading.py(359): wait", 5, 990, "python_function")
      .thread("1", "20")
      .slice("aten::mm", 0, 100)
      .slice("aten::mm", 200, 100)
      .thread("1", "30")
      .slice("aten::add", 0, 100)
      .slice("cudaLaunchKernel", 10, 5, "cuda_runtime", 1)
      .stream("0", "7")
      .slice("kernel", 50, 10, "kernel", 1)
      .make();
}

TEST_CASE("frames that wait") {
  CHECK(is_waiting_frame("threading.py(359): wait"));
  CHECK(is_waiting_frame("<built-in method acquire of _thread.lock object at 0x7f>"));
  CHECK(is_waiting_frame("<built-in function sleep>"));
  CHECK(is_waiting_frame("multiprocessing/connection.py(414): _recv"));
  CHECK(is_waiting_frame("threading.py(295): Condition.wait"));
  CHECK(is_waiting_sample("threading.py(295): Condition.wait"));
  CHECK(is_waiting_sample("waiter.acquire"));
  CHECK(is_waiting_sample("__futex_abstimed_wait_cancelable64"));
  CHECK_FALSE(is_waiting_sample("zlib.compress"));
  CHECK_FALSE(is_waiting_sample("model.py(12): acquire_batch"));
  CHECK_FALSE(is_waiting_frame("model.py(12): forward"));
  CHECK_FALSE(is_waiting_frame("wait"));
  CHECK_FALSE(is_waiting_frame("loader.py(3): await_batch"));
}

TEST_CASE("threads that launch come first, those that wait last and folded") {
  auto document = make_document(three_threads(), {"literal"});
  const Trace& trace = document->trace;
  const auto track = [&](std::string_view tid) {
    for (const Track& t : trace.tracks())
      if (t.kind == TrackKind::kThread && trace.text(t.name).find(tid) != std::string_view::npos) return t.id;
    return TrackId{};
  };
  REQUIRE(track("30").valid());
  TimelineView view;
  view.set_animated(false);
  view.resize(1000, 400, 1);
  view.show(document);
  const auto y = [&](std::string_view tid) { return view.vertical().find(track(tid))->y0; };
  CHECK(y("30") < y("20"));
  CHECK(y("20") < y("10"));
  CHECK(view.is_collapsed(track("10")));
  CHECK_FALSE(view.is_collapsed(track("20")));
  // Somebody who moves one goes on from what is shown.
  view.arrange([&](TrackArrangement& a) { a.move_track(track("10"), track("30")); });
  CHECK(y("10") < y("30"));
  CHECK(y("30") < y("20"));
}

TEST_CASE("threads of a recording keep what stands beside them; those that hardly run come last and are folded") {
  TraceMaker make;
  make.state("waiting: lock", 0, 990, "10").state("running", 990, 1000, "10").sample("waiter.acquire", 0, 1000, "10");
  make.state("running", 0, 1000, "20").sample("count", 0, 1000, "20");
  for (int i = 0; i < 100; ++i) make.thread("aten::mm", i * 10, i * 10 + 5, "cpu_op", "30");
  make.state("running", 0, 400, "30").state("waiting: sleep", 400, 1000, "30").sample("step", 0, 1000, "30");
  const Trace trace = make.build();
  const TrackWorth worth = judge_tracks(trace);
  REQUIRE(trace.processes().size() == 1);
  std::vector<TrackId> order = trace.processes()[0].tracks;
  REQUIRE(!worth.ranks.empty());
  std::ranges::sort(order, {}, [&](TrackId id) { return worth.ranks[id.value]; });
  std::string shown;
  for (const TrackId id : order) {
    const Track& track = trace.track(id);
    shown += std::to_string(thread_of_sampled(trace.text(track.tid)));
    shown += track.kind == TrackKind::kThread ? "t " : track.kind == TrackKind::kStacks ? "k " : "s ";
  }
  CHECK(shown == "30t 30k 30s 20k 20s 10k 10s ");
  for (const TrackId id : order)
    CHECK((worth.waits[id.value] != 0) == (thread_of_sampled(trace.text(trace.track(id).tid)) == 10));
}

TEST_CASE("a stream is called the same everywhere") {
  Trace trace = TrackMaker()
                    .stream("3", "7")
                    .slice("kernel", 0, 10)
                    .process_name("3", "python")
                    .process_labels("3", "GPU 3")
                    .make();
  const auto streams = analyze_streams(trace);
  REQUIRE(streams.size() == 1);
  CHECK(stream_text(trace, streams[0]) == "GPU 3 \u00b7 stream 7");
  CHECK(track_text(trace, trace.track(streams[0].track)) == "GPU 3 \u00b7 stream 7");
}

TEST_CASE("the table of slices shows work, unless a filter asks for more") {
  const Trace trace = TrackMaker()
                          .thread("1", "10")
                          .slice("ProfilerStep#0", 0, 1000, "user_annotation")
                          .slice("ProfilerStep#1", 1000, 10, "Operator")  // as old traces have it
                          .slice("threading.py(359): wait", 5, 900, "python_function")
                          .slice("aten::mm", 910, 50)
                          .make();
  const Statistics statistics = compute_statistics(trace);
  StatisticsView view;
  view.update(trace, statistics, 1);
  CHECK(view.rows().size() == 4);
  view.only_work = true;
  view.update(trace, statistics, 1);
  CHECK(view.rows().size() == 1);
  CHECK(view.left_out() == 3);
  view.filter = "Profiler";
  view.update(trace, statistics, 1);
  CHECK(view.rows().size() == 2);
  CHECK(view.left_out() == 0);
}

TEST_CASE("the palette finds other words, and whole words first") {
  CHECK(fits_words("dark", command_words("light_theme")));
  CHECK(fits_words("GEMM", command_words("page_statistics")));
  CHECK(fits_words("settings", command_words("light_theme")));
  CHECK_FALSE(fits_words("da", command_words("light_theme")));
  CHECK_FALSE(fits_words("", command_words("light_theme")));
  CHECK_FALSE(fits_words("dark", command_words("no such command")));
  const auto whole = fuzzy_match("zoom", "Normal zoom");
  const auto part = fuzzy_match("zoom", "Zooming");
  REQUIRE(whole);
  REQUIRE(part);
  CHECK(whole->score > part->score);
}

TEST_CASE(
    "outer Python frames that last for all of a thread's time are squeezed, unless they are the last row or few") {
  const auto frames = [](int count, bool has_work) {
    TrackMaker make;
    make.thread("1", "10");
    for (int f = 0; f < count; ++f) make.slice("frame " + std::to_string(f), f, 1000 - 2 * f, "python_function");
    if (has_work) make.slice("aten::mm", 100, 100).slice("aten::mm", 300, 100);
    return judge_tracks(make.make()).outer_frames.at(0);
  };
  CHECK(frames(10, true) == 10);
  CHECK(frames(2, true) == 0);
  CHECK(frames(10, false) == 0);
  TrackMaker two;  // the third frame is called twice
  two.thread("1", "10").slice("a", 0, 1000, "python_function").slice("b", 1, 998, "python_function");
  two.slice("c", 2, 400, "python_function").slice("c", 500, 400, "python_function").slice("aten::mm", 600, 10);
  CHECK(judge_tracks(two.make()).outer_frames.at(0) == 0);
}

TEST_CASE("frames are squeezed in the window, and stand in rows of their own where the user wants it") {
  TrackMaker make;
  make.thread("1", "10");
  for (int f = 0; f < 5; ++f) make.slice("frame " + std::to_string(f), f, 1000 - 2 * f, "python_function");
  make.slice("aten::mm", 100, 100);
  TimelineView view;
  view.set_animated(false);
  view.resize(1000, 400, 1);
  view.show(make_document(make.make(), {"literal"}));
  CHECK(view.vertical().tracks.at(0).rows == 2);
  view.squeeze_frames(false);
  CHECK(view.vertical().tracks.at(0).rows == 6);
  view.squeeze_frames(true);
  CHECK(view.vertical().tracks.at(0).rows == 2);
}

TEST_CASE("a process with nothing but one instant waits behind \"more\"") {
  TrackMaker make;
  make.thread("1", "10").slice("aten::mm", 0, 100);
  make.thread("2", "20").instant("Record Window End", 50);
  TimelineView view;
  view.set_animated(false);
  view.resize(1000, 400, 1);
  view.show(make_document(make.make(), {"literal"}));
  CHECK(view.arrangement().single_instants() == 1);
  CHECK(view.vertical().tracks.size() == 1);
  view.arrange([](TrackArrangement& a) { a.show_single_instants(true); });
  CHECK(view.vertical().tracks.size() == 2);
}

}  // namespace
}  // namespace lacuna
