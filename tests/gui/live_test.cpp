// The parts of live recordings that need no window: the launch form, and pictures of a recording under way.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "app/gui/application/app_state.h"
#include "app/gui/application/settings.h"
#include "app/gui/models/live/launch_form.h"
#include "app/gui/models/live/live_overlay.h"
#include "app/gui/panels/live/live_waiting.h"
#include "capture/session/batch_sink.h"
#include "capture/session/installation.h"
#include "capture/session/live_capture.h"
#include "capture/session/running_offset.h"
#include "tests/support/waiting.h"

namespace lacuna {
namespace {

using Keep = LaunchForm::Keep;

TEST_CASE("a launch form asks for what was typed") {
  LaunchForm form;
  form.command = "python 'my train.py' --lr 0.1";
  form.directory = "/tmp";
  form.environment = "A=1 B='two words' C=";
  form.cuda = false;
  form.counters = true;
  form.wait = 1, form.warmup = 2, form.active = 3, form.repeat = 4;
  form.keep = Keep::kSeconds;
  form.limit = 2.5;
  const Result<LivePlan> plan = plan_of(form);
  REQUIRE(plan);
  CHECK(plan->arguments == std::vector<std::string>{"python", "my train.py", "--lr", "0.1"});
  CHECK(plan->directory == "/tmp");
  CHECK(plan->variables == std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "two words"}, {"C", ""}});
  CHECK(plan->nvtx);
  CHECK_FALSE(plan->cuda);
  CHECK(plan->metrics.counters_per_second == kUsualCounters);
  CHECK(plan->schedule.active == 3);
  CHECK(plan->keep.last_ns == 2'500'000'000);
  CHECK(plan->keep.memory_bytes == 0);
  // The same form comes back, but for how it was quoted.
  LaunchForm again = form_of(*plan);
  CHECK(plan_of(again)->arguments == plan->arguments);
  CHECK(plan_of(again)->variables == plan->variables);
  again.command = form.command;
  again.environment = form.environment;
  CHECK(again == form);
  CHECK(parse_launch(format_launch(form)) == form);
  form.metrics = false;  // without which there are none
  CHECK(plan_of(form)->metrics.counters_per_second == 0);
  // What runs is shown before it does: the user's variables, and ours.
  std::set<std::string> names;
  for (const auto& [name, value] : planned_environment(*plan)) names.insert(name);
  for (const char* name : {"A", "B", "C", "LACUNA_SOCKET", "NVTX_INJECTION64_PATH"}) CHECK(names.contains(name));
  CHECK_FALSE(names.contains("CUDA_INJECTION64_PATH"));
}

TEST_CASE("a launch form that makes no sense says which field") {
  const auto cause = [](auto change) {
    LaunchForm form;
    form.command = "true";
    REQUIRE(plan_of(form));
    change(form);
    const Result<LivePlan> plan = plan_of(form);
    REQUIRE_FALSE(plan);
    return plan.error().cause;
  };
  CHECK(cause([](LaunchForm& f) { f.command = "  "; }).starts_with("Command"));
  CHECK(cause([](LaunchForm& f) { f.command = "'x"; }).starts_with("Command"));
  CHECK(cause([](LaunchForm& f) { f.directory = "/no/such/folder"; }).starts_with("Folder"));
  CHECK(cause([](LaunchForm& f) { f.environment = "A"; }).starts_with("Environment"));
  CHECK(cause([](LaunchForm& f) { f.environment = "=1"; }).starts_with("Environment"));
  CHECK(cause([](LaunchForm& f) { f.wait = 3; }).starts_with("Steps"));
  CHECK(cause([](LaunchForm& f) { f.active = -1; }).starts_with("Steps"));
  CHECK(cause([](LaunchForm& f) { f.keep = Keep::kGigabytes, f.limit = 0; }).starts_with("Keep"));
}

TEST_CASE("launches are kept in the settings") {
  Settings settings;
  LaunchForm form;
  form.command = "a \"quoted\" \xC3\xA9";
  form.environment = "X=1";
  form.shapes = true;
  form.allocations = true;
  form.active = 7;
  form.keep = Keep::kGigabytes;
  form.limit = 0.5;
  for (int i = 0; i < 30; ++i) {
    LaunchForm other;
    other.command = "program " + std::to_string(i);
    remember_launch(settings.launches, other);
  }
  remember_launch(settings.launches, form);
  remember_launch(settings.launches, form);
  CHECK(settings.launches.size() == kMostLaunches);
  CHECK(settings.launches[1].command == "program 29");
  CHECK(parse_settings(format_settings(settings)).launches == settings.launches);
  CHECK(parse_settings("{\"launches\": [1, {\"command\": 7, \"wait\": -3, \"limit\": 1e99}]}").launches ==
        std::vector<LaunchForm>{LaunchForm{}});
}

/// What can be recorded with; without it nothing would ever come.
Installation installed() {
  const Installation found = find_installation();
  REQUIRE_MESSAGE(!found.collector.empty(), "liblacuna_collector.so is not built");
  REQUIRE_MESSAGE(!found.demo.empty(), "lacuna-demo is not built");
  return found;
}

/// Calls `step` every few ms while `going`; false when that takes longer than a test may.
template <class Going, class Step>
bool runs_while(Going going, Step step) {
  return comes_true([&] {
    if (!going()) return true;
    step();
    return false;
  });
}

/// Recordings of the test's own.
struct Cache {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("lacuna_gui_live_" + std::to_string(getpid()));
  Cache() { setenv("XDG_CACHE_HOME", path.c_str(), 1); }
  ~Cache() { std::filesystem::remove_all(path); }
};

/// A slice on the one thread, as a capture delivers it.
struct Captured {
  const char* name;
  Nanos start, end;
  std::uint64_t offset;
};

Trace captured_trace(std::initializer_list<Captured> captured) {
  BatchSink sink;
  for (const Captured& c : captured) {
    StreamedSlice slice;
    slice.track = {1, 2, TrackKind::kThread, 0};
    slice.name = c.name;
    slice.category = "user_annotation";
    slice.start = c.start;
    slice.duration = c.end - c.start;
    sink.set_offset(c.offset);
    sink.add(slice);
  }
  TraceBuilder builder;
  builder.add(builder.add_source({}), sink.take());
  return builder.finish();
}

LiveLayerPtr captured_layer(std::initializer_list<Captured> captured, Nanos made_at) {
  auto layer = std::make_shared<LiveLayer>();
  layer->trace = captured_trace(captured);
  layer->hues = NameHues(layer->trace.strings());
  layer->folds = FoldIndex::build(layer->trace.lanes(), 1);
  layer->made_at = made_at;
  return layer;
}

TEST_CASE("what runs is drawn up to now, what has ended is not, and layers go with the document") {
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  const Palette palette(true);
  workspace.view().set_palette(&palette);
  workspace.view().resize(1000, 500, 1);
  workspace.open(
      make_document(captured_trace({{"old", 0, 1'000'000, 1}, {"far", 19'000'000, 20'000'000, 2}}), {}, true));
  workspace.view().show_span({0, 4'000'000});
  auto tail = std::make_shared<LiveTail>();
  tail->layers = {
      captured_layer({{"done", 1'000'000, 1'500'000, 50}, {"ran then", 1'600'000, 1'700'000, kRunningOffset}},
                     1'700'000),
      captured_layer({{"runs", 1'800'000, 2'000'000, kRunningOffset}}, 2'000'000)};
  LiveOverlay overlay;
  const auto drawn_to = [&](const char* name) {
    const DrawSlice* slice = overlay.find(name);
    REQUIRE_MESSAGE(slice != nullptr, name);
    return double{slice->x1};
  };
  const auto x_of = [&](Nanos time) { return doctest::Approx(workspace.view().camera().x_of(time)).epsilon(0.002); };
  for (const Nanos now : {2'100'000, 3'000'000}) {
    CHECK(overlay.layout(workspace.view(), workspace.document(), tail, now).size() == 2);
    CHECK(drawn_to("runs") == x_of(now));
    CHECK(drawn_to("done") == x_of(1'500'000));
    CHECK(drawn_to("ran then") == x_of(1'700'000));  // the newest layer would have it if it still ran
  }
  // The last layer is made again; the others stay what they are.
  auto later = std::make_shared<LiveTail>(*tail);
  later->layers.back() = captured_layer({{"ended", 1'800'000, 2'500'000, 90}}, 2'600'000);
  CHECK(overlay.layout(workspace.view(), workspace.document(), later, 3'000'000).size() == 2);
  CHECK(overlay.find("runs") == nullptr);
  CHECK(drawn_to("ended") == x_of(2'500'000));
  CHECK(drawn_to("done") == x_of(1'500'000));
  // Out of view on either side: not laid out, but for the newest.
  workspace.view().show_span({10'000'000, 12'000'000});
  CHECK(overlay.layout(workspace.view(), workspace.document(), later, 13'000'000).size() == 1);
  workspace.view().show_span({0, 500'000});
  CHECK(overlay.layout(workspace.view(), workspace.document(), later, 13'000'000).size() == 1);
  CHECK(overlay.layout(workspace.view(), workspace.document(), nullptr, 13'000'000).empty());
}

TEST_CASE("a recording without events says what it looked for") {
  LivePlan plan;
  plan.arguments = {"/usr/bin/python3", "train.py"};
  plan.torch = false;
  LiveSource::Status status;
  const std::vector<SoughtFor> sought = sought_for(plan, status);
  REQUIRE(sought.size() == 3);
  CHECK(sought[0].found == "none: the program has not called NVTX");
  CHECK_FALSE(sought[1].is_off);
  CHECK(sought[2].is_off);
  CHECK(sought[2].found.find("switched off") != std::string::npos);
  status.capture.processes = 2;
  CHECK(sought_for(plan, status)[0].found == "none in 2 processes that can have them");
  CHECK(advice_for(plan).front().find("nvtx.annotate") != std::string::npos);
  plan.arguments = {"./simulate"};
  CHECK(advice_for(plan).front().find("nvtx3.hpp") != std::string::npos);
}

TEST_CASE("the window's recording grows, follows, is drawn beyond its document, and ends whole") {
  const Cache cache;
  App app(Settings{}, [] {});
  app.workspace.view().set_animated(false);
  app.workspace.view().resize(1000, 400, 1);
  const Palette palette(true);
  app.workspace.view().set_palette(&palette);
  LivePlan plan;
  plan.arguments = {installed().demo, "60"};
  app.launch(plan);
  REQUIRE(app.ui.error == "");
  CHECK(app.live.is_unsaved());

  LiveOverlay overlay;
  int chosen_seen = 0;
  std::uint64_t selected_seen = 0;
  bool percentiles_seen = false;
  bool overlay_seen = false, running_seen = false, follows = false;
  std::uint64_t slices = 0, growths = 0;
  int tails_alone = 0;  // newer pictures over the same document: what is new does not wait for the next one
  LiveTailPtr last_tail;
  DocumentPtr last_document;
  for (int i = 0; i < 20'000 && app.live.is_running(); ++i) {
    app.update();
    app.live.follow(app.workspace);
    if (app.workspace.has_trace()) {
      const Nanos now = app.live.now();
      const bool is_new_tail = app.live.tail() != last_tail;
      if (is_new_tail && last_tail && app.workspace.document() == last_document) ++tails_alone;
      last_tail = app.live.tail();
      last_document = app.workspace.document();
      follows = follows || (app.workspace.view().is_following() && app.workspace.view().visible().end > now);
      if (chosen_seen > 0 && !app.live.chosen() && app.workspace.selection().slice.valid()) ++selected_seen;
      app.workspace.ask_percentiles();
      // Of the slices that the other columns count, or none.
      for (const StatisticsRow& row : app.workspace.statistics().rows) {
        if (row.p50 < 0) continue;
        percentiles_seen = percentiles_seen || app.workspace.document()->is_partial;
        REQUIRE(row.min <= row.p50);
        REQUIRE(row.p50 <= row.p99);
        REQUIRE(row.p99 <= row.max);
        if (row.count == 1) REQUIRE(row.p99 == row.max);
      }
      growths += app.workspace.trace().slice_count() > slices ? 1 : 0;
      slices = app.workspace.trace().slice_count();
      for (const TimelineLayer& layer :
           overlay.layout(app.workspace.view(), app.workspace.document(), app.live.tail(), now)) {
        const double now_x = app.workspace.view().camera().x_of(now);
        for (const DrawSlice& slice : layer.list.slices) {
          overlay_seen = true;
          running_seen = running_seen || std::abs(double{slice.x1} - now_x) < 1;  // grows to now
          CHECK(slice.x1 <= now_x + 1);
          // What is drawn can be pointed at, and chosen until a document has it.
          if (slice.x1 - slice.x0 < 3 || slice.x0 < 0 || chosen_seen > 3) continue;
          const auto hit = overlay.hit((slice.x0 + slice.x1) / 2, (slice.y0 + slice.y1) / 2, 1);
          REQUIRE(hit);
          CHECK(hit->trace().name(hit->slice) != "");
          app.live.choose(hit);
          ++chosen_seen;
        }
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(growths > 3);
  CHECK(tails_alone > 3);
  CHECK(follows);
  CHECK(overlay_seen);
  CHECK(chosen_seen > 0);
  CHECK(selected_seen > 0);
  CHECK(percentiles_seen);
  CHECK(running_seen);
  app.update();
  REQUIRE_FALSE(app.live.is_running());
  CHECK_FALSE(app.workspace.document()->is_partial);
  CHECK_FALSE(app.workspace.view().is_following());
  CHECK(app.workspace.trace().event_count() == app.live.status().events);
  CHECK(app.live.is_unsaved());
  // Closing asks; what was to be done waits for the answer.
  app.close_trace();
  CHECK(app.ui.closing);
  CHECK(app.workspace.has_trace());
}

TEST_CASE("a program that ends while the picture is paused is shown whole") {
  const Cache cache;
  App app(Settings{}, [] {});
  app.workspace.view().resize(1000, 400, 1);
  LivePlan plan;
  plan.arguments = {installed().demo, "20"};
  app.launch(plan);
  REQUIRE_MESSAGE(runs_while([&] { return !app.workspace.has_trace(); }, [&] { app.update(); }),
                  "nothing is shown: " << app.ui.error);
  app.live.set_paused(true);
  const std::uint64_t shown = app.workspace.trace().slice_count();
  REQUIRE_MESSAGE(runs_while([&] { return app.live.is_running(); },
                             [&] {
                               CHECK(app.workspace.trace().slice_count() == shown);
                               app.update();
                             }),
                  "the program does not end");
  app.update();
  CHECK_FALSE(app.live.is_paused());
  CHECK_FALSE(app.workspace.document()->is_partial);
  CHECK(app.workspace.trace().event_count() == app.live.status().events);
}

}  // namespace
}  // namespace lacuna
