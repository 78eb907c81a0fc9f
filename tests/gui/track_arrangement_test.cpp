#include "app/gui/models/tracks/track_arrangement.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "app/gui/models/timeline/timeline_view.h"
#include "tests/render/track_maker.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Thread 1 of a process, streams 7 and 8 of a GPU.
struct ArrangementFixture {
  ArrangementFixture() {
    TraceMaker make;
    make.thread("step", 0, 100'000)
        .thread("op", 1'000, 20'000)
        .kernel("gemm", 10'000, 20'000)
        .kernel("copy", 30'000, 32'000, 0, "8")
        .kernel("copy", 40'000, 41'000, 0, "13");
    document = make_document(make.build(), {"literal"});
    view.set_animated(false);
    view.resize(1000, 400, 1);
    view.show(document);
  }
  const Trace& trace() const { return document->trace; }
  TrackId stream(std::string_view number) const {
    for (const Track& t : trace().tracks())
      if (t.kind == TrackKind::kGpuStream && trace().text(t.stream) == number) return t.id;
    FAIL("no stream ", number);
    return {};
  }
  TrackId thread() const {
    for (const Track& t : trace().tracks())
      if (t.kind == TrackKind::kThread && t.slice_count > 0) return t.id;
    return {};
  }
  std::vector<TrackId> shown() const {
    std::vector<TrackId> ids;
    for (const TrackPlace& place : view.vertical().tracks)
      if (!place.is_extra()) ids.push_back(place.track);
    return ids;
  }

  DocumentPtr document;
  TimelineView view;
};

TEST_CASE_FIXTURE(ArrangementFixture, "hidden tracks get no place, and come back") {
  const auto all = shown();
  REQUIRE(all.size() == 4);
  const float height = view.vertical().height;
  view.arrange([&](TrackArrangement& a) { a.set_hidden(stream("8"), true); });
  CHECK(view.arrangement().hidden_count() == 1);
  CHECK(view.vertical().find(stream("8")) == nullptr);
  CHECK(view.vertical().height < height);
  // Hiding all of a process hides its header.
  view.arrange([&](TrackArrangement& a) { a.show_only(thread()); });
  CHECK(shown() == std::vector{thread()});
  CHECK(view.vertical().processes.size() == 1);
  view.arrange([](TrackArrangement& a) { a.show_all(); });
  CHECK(shown() == all);
  CHECK(view.arrangement().hidden_count() == 0);
}

TEST_CASE_FIXTURE(ArrangementFixture, "what is revealed does not stay hidden") {
  view.arrange([&](TrackArrangement& a) { a.set_hidden(stream("8"), true); });
  view.reveal(stream("8"));
  CHECK(view.vertical().find(stream("8")) != nullptr);
  view.arrange([](TrackArrangement& a) { a.set_filter("stream 7"); });
  view.reveal(stream("13"));
  CHECK(view.vertical().find(stream("13")) != nullptr);
}

TEST_CASE_FIXTURE(ArrangementFixture, "the filter is a regular expression; a bad one hides nothing and says so") {
  const auto all = shown();
  view.arrange([](TrackArrangement& a) { a.set_filter("STREAM (7|13)$"); });
  CHECK(shown() == std::vector{stream("7"), stream("13")});
  CHECK(view.arrangement().filtered_count() == 2);
  view.arrange([](TrackArrangement& a) { a.set_filter("stream ("); });
  CHECK(!view.arrangement().filter_error().empty());
  CHECK(shown() == all);
  CHECK(view.arrangement().filtered_count() == 0);
  view.arrange([](TrackArrangement& a) { a.set_filter("no such track"); });
  CHECK(shown().empty());
  CHECK(view.vertical().height == 0);
  view.arrange([](TrackArrangement& a) { a.set_filter(""); });
  CHECK(view.arrangement().filter_error().empty());
  CHECK(shown() == all);
}

TEST_CASE("an expression that tries every way ends all the same") {
  const Trace trace =
      TrackMaker().thread("1", "10").slice("op", 0, 10).thread_name("1", "10", std::string(5000, 'a') + "!").make();
  TrackArrangement a;
  a.reset(&trace);
  a.set_filter("(a+)+$");
  CHECK(a.filtered_count() <= 1);
}

TEST_CASE_FIXTURE(ArrangementFixture, "pins have a pane of their own, in the order in which they are moved") {
  view.arrange([&](TrackArrangement& a) {
    a.set_pinned(stream("7"), true);
    a.set_pinned(stream("13"), true);
    a.set_pinned(thread(), true);
    a.set_pinned(thread(), true);
  });
  CHECK(view.arrangement().pins() == std::vector{stream("7"), stream("13"), thread()});
  CHECK(view.pinned().tracks.size() == 3);
  CHECK(view.pins_px() == view.pinned().height);
  CHECK(view.height_px() + view.pins_px() == 400);
  CHECK(shown().size() == 4);  // they stay where they are, too
  view.arrange([&](TrackArrangement& a) { a.move_pin(thread(), 0); });
  CHECK(view.arrangement().pins() == std::vector{thread(), stream("7"), stream("13")});
  view.arrange([&](TrackArrangement& a) { a.move_pin(thread(), 2); });
  CHECK(view.arrangement().pins() == std::vector{stream("7"), thread(), stream("13")});
  view.arrange([&](TrackArrangement& a) { a.move_pin(stream("7"), 99); });
  CHECK(view.arrangement().pins() == std::vector{thread(), stream("13"), stream("7")});
  // A pinned track that is hidden below is still pinned.
  view.arrange([&](TrackArrangement& a) { a.set_hidden(thread(), true); });
  CHECK(view.pinned().tracks.size() == 3);
  view.arrange([&](TrackArrangement& a) {
    for (const TrackId id : std::vector(a.pins())) a.set_pinned(id, false);
  });
  CHECK(view.pins_px() == 0);
}

TEST_CASE_FIXTURE(ArrangementFixture, "many pins leave room for the others, and scroll") {
  view.resize(1000, 120, 1);
  view.arrange([&](TrackArrangement& a) {
    for (const Track& t : trace().tracks()) a.set_pinned(t.id, true);
  });
  CHECK(view.pins_px() == 72);  // 60 % of 120
  CHECK(view.pinned().height > 72);
  view.scroll_pins(1e6f);
  CHECK(view.pin_input().view.scroll_y == view.pinned().height - 72);
  view.scroll_pins(-1e6f);
  CHECK(view.pin_input().view.scroll_y == 0);
}

TEST_CASE_FIXTURE(ArrangementFixture, "tracks and processes move") {
  REQUIRE(shown() == std::vector{stream("7"), stream("8"), stream("13"), thread()});
  view.arrange([&](TrackArrangement& a) { a.move_track(stream("13"), stream("7")); });
  CHECK(shown() == std::vector{stream("13"), stream("7"), stream("8"), thread()});
  view.arrange([&](TrackArrangement& a) { a.move_track(stream("13"), TrackId{}); });
  CHECK(shown() == std::vector{stream("7"), stream("8"), stream("13"), thread()});
  const ProcessId cpu = trace().track(thread()).process;
  const ProcessId gpu = trace().track(stream("7")).process;
  view.arrange([&](TrackArrangement& a) { a.move_process(cpu, gpu, view.input().arrangement.process_order); });
  CHECK(shown().front() == thread());
  view.arrange([](TrackArrangement& a) { a.reset_order(); });
  CHECK(shown().back() == thread());
}

TEST_CASE_FIXTURE(ArrangementFixture, "rows get higher and lower within bounds") {
  const auto height = [&] {
    const TrackPlace* place = view.vertical().find(thread());
    return place->y1 - place->y0;
  };
  const float usual = height();
  view.arrange([&](TrackArrangement& a) { a.set_row_scale(thread(), 2); });
  CHECK(height() > usual + 30);  // two rows of 18
  view.arrange([&](TrackArrangement& a) { a.set_row_scale(thread(), 1e9f); });
  CHECK(view.arrangement().row_scale(thread()) == TrackArrangement::kMostRowScale);
  view.arrange([&](TrackArrangement& a) { a.set_row_scale(TrackId{}, 2); });  // no such track
}

TEST_CASE_FIXTURE(ArrangementFixture, "groups have a band each") {
  view.arrange([](TrackArrangement& a) { a.set_grouping(TrackGrouping::kDevice); });
  REQUIRE(view.vertical().groups.size() == 2);
  CHECK(view.input().arrangement.groups[0].title == "GPU 0");
  CHECK(view.input().arrangement.groups[1].title == "CPU");
  CHECK(view.vertical().groups[0].y0 == 0);
  CHECK(view.vertical().groups[1].y0 == view.vertical().processes[0].bottom);
  CHECK(view.vertical().processes[1].y0 == view.vertical().groups[1].y1);
  view.arrange([](TrackArrangement& a) { a.set_grouping(TrackGrouping::kRank); });
  CHECK(view.vertical().groups.size() == 1);
  // A group all of whose tracks are hidden has none.
  view.arrange([&](TrackArrangement& a) {
    a.set_grouping(TrackGrouping::kDevice);
    a.set_hidden(thread(), true);
  });
  REQUIRE(view.vertical().groups.size() == 1);
  CHECK(view.vertical().groups[0].index == 0);
}

}  // namespace
}  // namespace lacuna
