#include "app/gui/workspace/side_car.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/finding/finding_view.h"
#include "app/finding/trace_identity.h"
#include "app/gui/application/settings.h"
#include "app/gui/workspace/workspace.h"
#include "tests/fuzz/json_pieces.h"
#include "tests/support/rounds.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_maker.h"
#include "tests/support/waiting.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

DocumentPtr document(const std::string& identity) {
  TraceMaker make;
  make.thread("op", 0, 100'000)
      .kernel("gemm", 10'000, 20'000)
      .kernel("copy", 30'000, 32'000, 0, "8")
      .kernel("copy", 40'000, 41'000, 0, "13");
  auto made = std::make_shared<Document>(std::move(const_cast<Document&>(*make_document(make.build(), {"literal"}))));
  made->identity = identity;
  return made;
}

TrackId stream(const Workspace& w, std::string_view number) {
  for (const Track& t : w.trace().tracks())
    if (t.kind == TrackKind::kGpuStream && w.trace().text(t.stream) == number) return t.id;
  return {};
}

void arrange(Workspace& w) {
  w.view().set_collapsed(stream(w, "8"), true);
  w.view().set_collapsed(w.trace().process_order()[0], true);
  w.view().arrange([&](TrackArrangement& a) {
    a.set_pinned(stream(w, "13"), true);
    a.set_pinned(stream(w, "7"), true);
    a.set_hidden(stream(w, "8"), true);
    a.set_row_scale(stream(w, "7"), 2);
    a.move_track(stream(w, "13"), stream(w, "7"));
    a.set_grouping(TrackGrouping::kDevice);
  });
  w.markers().add({5'000, 5'000}, "a moment");
  w.markers().add({10'000, 20'000}, "say \"hello\"\n\xC3\xA9 \xFF");
}

void check_arranged(Workspace& w) {
  const TrackArrangement& a = w.view().arrangement();
  CHECK(a.pins() == std::vector{stream(w, "13"), stream(w, "7")});
  CHECK(a.is_hidden(stream(w, "8")));
  CHECK(!a.is_hidden(stream(w, "7")));
  CHECK(a.row_scale(stream(w, "7")) == 2);
  CHECK(a.row_scale(stream(w, "8")) == 1);
  CHECK(a.order_of(w.trace().process(w.trace().track(stream(w, "7")).process)).front() == stream(w, "13"));
  CHECK(a.grouping() == TrackGrouping::kDevice);
  CHECK(w.view().is_collapsed(stream(w, "8")));
  CHECK(w.view().is_collapsed(w.trace().process_order()[0]));
  REQUIRE(w.markers().all().size() == 2);
  CHECK(w.markers().all()[0].note == "a moment");
  CHECK(w.markers().all()[1].span == TimeSpan{10'000, 20'000});
}

TEST_CASE("what steps are told by is kept beside a trace") {
  const TemporaryFolder folder;
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  SideCarKeeper keeper;
  keeper.use(SideCarFolder(folder.path));
  workspace.open(document("x"));
  keeper.update(workspace);
  const auto kept = [&] { return finding_steps(SideCarFolder(folder.path).load("x")); };
  CHECK(kept().empty());
  workspace.set_steps_from("epoch *");
  keeper.flush(workspace);
  CHECK(kept() == "epoch *");
  workspace.set_steps_from("");
  keeper.flush(workspace);
  CHECK(kept().empty());
  CHECK(finding_steps("{\"stepsFrom\":3}").empty());
}

TEST_CASE("a finding opens to the view, range and notes that it was written with, until somebody changes them") {
  BackgroundJobs jobs;
  Workspace first{jobs};
  first.open(document("x"));
  arrange(first);
  first.set_area(TimeSpan{12'000, 15'000});
  first.select(find_longest(first.trace(), "gemm"));
  const std::string finding = format_finding(first, "gaps");
  CHECK(finding.find("literal") == std::string::npos);  // no paths of files

  auto found = std::make_shared<Document>(std::move(const_cast<Document&>(*document("y"))));
  found->found_view = finding;
  const TemporaryFolder folder;
  for (const bool keeps : {false, true}) {
    Workspace second{jobs};
    SideCarKeeper keeper;
    if (keeps) keeper.use(SideCarFolder(folder.path));
    second.open(found);
    keeper.update(second);
    check_arranged(second);
    CHECK(second.area() == TimeSpan{12'000, 15'000});
    CHECK(second.selection().slice == find_longest(second.trace(), "gemm"));
    CHECK(keeper.take_page() == "gaps");
    CHECK(keeper.take_page().empty());  // once
    second.markers().add({1, 2}, "mine");
    keeper.flush(second);
  }
  Workspace third{jobs};
  SideCarKeeper keeper;
  keeper.use(SideCarFolder(folder.path));
  third.open(found);
  keeper.update(third);
  CHECK(third.markers().all().size() == 3);
  CHECK(third.selection().empty());
  CHECK(keeper.take_page().empty());
}

TEST_CASE("a finding opens with the track at the top that was there, whatever the height of the window") {
  BackgroundJobs jobs;
  const auto many_streams = [] {
    TraceMaker make;
    for (int i = 0; i < 40; ++i) {
      make.kernel("gemm", 1000 * i, 1000 * i + 900, 0, std::to_string(i));
      make.kernel("gemm", 90'000 + i, 90'500, 0, std::to_string(i));
    }
    return make_document(make.build(), {"literal"});
  };
  Workspace first{jobs};
  first.open(many_streams());
  first.view().resize(800, 200, 1);
  const TrackPlace& wanted = first.view().vertical().tracks[20];
  first.view().scroll_to(wanted.y0 + (wanted.y1 - wanted.y0) / 4);
  first.select(GapRef{3, 0});
  auto found = std::make_shared<Document>(std::move(const_cast<Document&>(*many_streams())));
  found->found_view = format_finding(first, {});
  Workspace second{jobs};
  second.view().resize(800, 150, 2);
  SideCarKeeper keeper;
  second.open(found);
  keeper.update(second);
  CHECK(second.selection().gap == GapRef{3, 0});
  const TrackPlace* place = second.view().vertical().find(wanted.track);
  REQUIRE(place != nullptr);
  CHECK(std::abs(second.view().scroll_y() - (place->y0 + (place->y1 - place->y0) / 4)) < 1);
  for (const char* top : {"[]", "{\"track\": 5, \"above\": 0}", "{\"track\": [0, \"x\"], \"above\": 1e300}"}) {
    apply_side_car(std::string("{\"version\": 1, \"selection\": 3, \"top\": ") + top + "}", second);
    CHECK(std::abs(second.view().scroll_y() - (place->y0 + (place->y1 - place->y0) / 4)) < 1);
  }
}

TEST_CASE("a marker on a slice or a gap says so, and goes back to it") {
  BackgroundJobs jobs;
  Workspace w{jobs};
  TraceMaker make;
  make.kernel("gemm", 10'000, 20'000).kernel("copy", 30'000, 32'000);
  w.open(make_document(make.build(), {"literal"}));
  const SliceId gemm = find_longest(w.trace(), "gemm");
  w.select(gemm);
  const std::uint32_t on_slice = w.add_marker();
  CHECK(w.markers().find(on_slice)->on == NoteOn::kSlice);
  CHECK(w.markers().find(on_slice)->name == "gemm");
  const GapRef gap{0, 0};
  REQUIRE(get(*w.document(), gap).start == 20'000);
  w.clear_selection();
  w.go_to(*w.markers().find(on_slice));
  CHECK(w.selection().slice == gemm);
  w.select(gap);
  const std::uint32_t on_gap = w.add_marker();
  CHECK(w.markers().find(on_gap)->on == NoteOn::kGap);
  w.clear_selection();
  w.go_to(*w.markers().find(on_gap));
  CHECK(w.selection().gap == gap);
  w.clear_selection();
  w.set_area(TimeSpan{1'000, 2'000});
  const std::uint32_t on_range = w.add_marker();
  CHECK(w.markers().find(on_range)->on == NoteOn::kTime);
  w.go_to(*w.markers().find(on_range));
  CHECK(!w.selection().slice.valid());
}

TEST_CASE("layout and markers survive being written and read") {
  BackgroundJobs jobs;
  Workspace first{jobs};
  first.open(document("x"));
  arrange(first);
  Workspace second{jobs};
  second.open(document("x"));
  apply_side_car(format_side_car(first), second);
  check_arranged(second);
  CHECK(second.markers().all()[1].note == "say \"hello\"\n\xC3\xA9 \xEF\xBF\xBD");
}

TEST_CASE("a damaged side-car costs its contents, nothing else") {
  BackgroundJobs jobs;
  Workspace w{jobs};
  w.open(document("x"));
  for (const char* text :
       {"", "{", "[]", "7", "{\"version\":1}", "{\"version\":2,\"markers\":[{\"beginNs\":1,\"endNs\":2}]}",
        "{\"version\":1,\"tracks\":7,\"markers\":{}}",
        "{\"version\":1,\"tracks\":{\"pinned\":7,\"hidden\":[1,null,[9,\"x\"]],\"heights\":[1,{},"
        "{\"track\":[0],\"scale\":\"x\"},{\"track\":null,\"scale\":1e300}],\"grouping\":99,"
        "\"processOrder\":{\"a\":1},\"trackOrder\":\"no\"},"
        "\"markers\":[3,{},{\"beginNs\":\"1\",\"endNs\":2},{\"beginNs\":5,\"endNs\":4},"
        "{\"beginNs\":1e300,\"endNs\":2}]}"}) {
    CAPTURE(text);
    apply_side_car(text, w);
    CHECK(w.markers().all().empty());
    CHECK(w.view().arrangement().pins().empty());
    CHECK(w.view().arrangement().hidden_count() == 0);
    CHECK(w.view().arrangement().grouping() == TrackGrouping::kProcess);
  }
}

TEST_CASE("a side-car changed anywhere costs what it says, and what is taken of it comes back") {
  BackgroundJobs jobs;
  const DocumentPtr shown = document("x");
  Workspace first{jobs};
  first.open(shown);
  arrange(first);
  const std::string whole = format_side_car(first);
  std::mt19937 random(37);
  std::size_t taken = 0;
  for (int round = 0; round < rounds(1500); ++round) {
    std::string text = whole;
    for (std::size_t change = 0, changes = 1 + random() % 5; change < changes; ++change) {
      if (random() % 3 == 0 && !text.empty()) {
        text[random() % text.size()] = static_cast<char>(random());
      } else {
        text = fuzz::mutate_pieces(text, random);
      }
    }
    CAPTURE(text);
    Workspace changed{jobs};
    changed.open(shown);
    apply_side_car(text, changed);
    const std::string written = format_side_car(changed);
    Workspace again{jobs};
    again.open(shown);
    apply_side_car(written, again);
    REQUIRE(format_side_car(again) == written);
    taken += !changed.view().arrangement().pins().empty() || !changed.markers().all().empty();
  }
  CHECK(taken > 100);  // most changes leave JSON
}

TEST_CASE("values nested deeper than anything that is written cost themselves only") {
  const auto nested = [](const char* begin, const char* end) {
    return begin + std::string(300'000, '[') + std::string(300'000, ']') + end;
  };
  BackgroundJobs jobs;
  Workspace w{jobs};
  w.open(document("x"));
  apply_side_car(nested(R"({"version":1,"tracks":{"pinned":[)", R"(]},"markers":[{"beginNs":1,"endNs":2}]})"), w);
  CHECK(w.view().arrangement().pins().empty());
  CHECK(w.markers().all().size() == 1);
  const Settings settings = parse_settings(nested(R"({"keys":{"quit":)", R"(},"theme":"light"})"));
  CHECK(settings.light_theme);
  CHECK(parse_settings(nested(R"({"launches":[{"command":)", "}]}")).launches.size() == 1);
}

TEST_CASE("a trace is known by its contents, not by its path") {
  const TemporaryFolder folder;
  const auto identity = [](std::initializer_list<std::string> paths) {
    std::vector<TraceSource> sources(paths.size());
    std::size_t i = 0;
    for (const std::string& path : paths) sources[i++].path = path;
    return trace_identity(sources);
  };
  const std::string a = folder.write("a", std::string(200'000, 'x'));
  const std::string b = folder.write("b", std::string(200'000, 'x'));
  const std::string longer = folder.write("c", std::string(200'001, 'x'));
  const std::string end = folder.write("d", std::string(199'999, 'x') + "y");
  const std::string empty = folder.write("e", "");
  CHECK(identity({a}).size() == 32);
  CHECK(identity({a}) == identity({b}));
  CHECK(identity({a}) != identity({longer}));
  CHECK(identity({a}) != identity({end}));
  CHECK(identity({a, end}) != identity({end, a}));
  CHECK(identity({empty}).size() == 32);
  CHECK(identity({folder.path + "/none"}).empty());
  CHECK(identity({}).empty());
}

TEST_CASE("the folder keeps the latest and is nobody else's") {
  const TemporaryFolder base;
  const SideCarFolder folder(base.path + "/state/traces", 3);
  CHECK(folder.load("a").empty());
  for (const char* name : {"a", "b", "c", "d"}) {
    REQUIRE(folder.save(name, name));
    // Files of the same moment would be forgotten in any order.
    fs::last_write_time(base.path + "/state/traces/" + name + ".json",
                        fs::file_time_type::clock::now() - std::chrono::seconds('z' - name[0]));
  }
  REQUIRE(folder.save("e", "e"));
  CHECK(folder.load("a").empty());
  CHECK(folder.load("b").empty());
  CHECK(folder.load("c") == "c");
  CHECK(folder.load("e") == "e");
  struct stat info {};
  REQUIRE(::stat((base.path + "/state/traces/e.json").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777u) == 0600u);
  CHECK(!folder.save("f", std::string(SideCarFolder::kMostBytes + 1, 'x')));
  CHECK(SideCarFolder("").save("f", "x"));  // off: nothing happens
  CHECK(!SideCarFolder("/proc/none").save("f", "x"));
}

TEST_CASE("the keeper writes when something changed, and reads when the same trace is opened again") {
  const TemporaryFolder base;
  {
    SideCarKeeper keeper;
    keeper.use(SideCarFolder(base.path));
    BackgroundJobs jobs;
    Workspace w{jobs};
    w.open(document("one"));
    CHECK(keeper.update(w) == 0);
    keeper.flush(w);
    CHECK(!fs::exists(base.path + "/one.json"));  // nothing to remember
    arrange(w);
    CHECK(keeper.update(w) > 0);  // soon, not at once
    keeper.flush(w);
    CHECK(fs::exists(base.path + "/one.json"));
    w.open(document("two"));
    CHECK(keeper.update(w) == 0);
    CHECK(w.markers().all().empty());
    w.open(document("one"));
    CHECK(keeper.update(w) == 0);
    check_arranged(w);
    w.open(nullptr);
    CHECK(keeper.update(w) == 0);
  }
  // What a later load of the same file knows more is laid out the same way.
  SideCarKeeper keeper;
  keeper.use(SideCarFolder(base.path));
  BackgroundJobs jobs;
  Workspace w{jobs};
  auto partial = std::make_shared<Document>(std::move(const_cast<Document&>(*document("one"))));
  partial->is_partial = true;
  w.open(partial);
  CHECK(keeper.update(w) == 0);
  CHECK(w.markers().all().empty());
  w.refresh(document("one"));
  CHECK(keeper.update(w) == 0);
  check_arranged(w);
}

TEST_CASE("notes that others write while a window is open are taken over, and its own stay") {
  const TemporaryFolder base;
  const SideCarFolder folder(base.path);
  const DocumentPtr shown = document("one");
  BackgroundJobs jobs;
  Workspace first{jobs}, second{jobs};
  SideCarKeeper of_first, of_second;
  of_first.use(folder);
  of_second.use(folder);
  first.open(shown);
  of_first.update(first);
  second.open(shown);
  of_second.update(second);
  first.markers().add({1, 2}, "of the first");
  of_first.flush(first);
  // As `lacuna notes --add` does.
  const auto kept = parse_notes(folder.load("one"));
  REQUIRE(kept);
  std::vector<Note> notes = kept->notes;
  notes.push_back({{3, 4}, "of the command line"});
  REQUIRE(folder.save("one", with_notes(folder.load("one"), notes)));
  second.markers().add({5, 6}, "of the second");
  of_second.flush(second);
  first.markers().add({7, 8}, "of the first, later");
  of_first.flush(first);
  CHECK(first.markers().all().size() == 4);
  CHECK(second.markers().all().size() == 3);
  // What is removed in one is removed in the other, also where that has nothing to write.
  second.markers().remove(second.markers().all().front().number);
  of_second.flush(second);
  CHECK(second.markers().all().size() == 3);
  CHECK(parse_notes(folder.load("one"))->notes.size() == 3);
  Workspace third{jobs};
  SideCarKeeper of_third;
  of_third.use(folder);
  third.open(shown);
  of_third.update(third);
  CHECK(third.markers().all().size() == 3);
  second.markers().add({9, 10}, "once more");
  of_second.flush(second);
  const auto sees = [&] {
    of_third.update(third);
    return third.markers().all().size() == 4;
  };
  CHECK(comes_true(sees));
  CHECK(of_third.update(third) == 0);  // and is not written back
}

TEST_CASE("markers are in order, few and short enough") {
  Markers m;
  const std::uint32_t late = m.add({500, 600}, "late");
  const std::uint32_t early = m.add({100, 100});
  CHECK(m.all().front().number == early);
  CHECK(m.all().front().is_moment());
  CHECK(m.add({500, 600}) == late);  // it is there already
  CHECK(m.add({900, 800}) != 0);
  CHECK(m.find(m.all().back().number)->span == TimeSpan{900, 900});
  m.set_note(early, std::string(3999, 'x') + "\xC3\xA9");  // cut before the letter, not inside
  CHECK(m.find(early)->note.size() == 3999);
  m.choose(early);
  const std::uint64_t version = m.version();
  m.remove(early);
  CHECK(m.version() != version);
  CHECK(m.find(early) == nullptr);
  CHECK(m.chosen() == 0);
  m.remove(early);
  for (Nanos t = 0; t < 2000; ++t) m.add({t * 10, t * 10});
  CHECK(m.all().size() == Markers::kMost);
  CHECK(m.add({5, 5}) == 0);
}

}  // namespace
}  // namespace lacuna
