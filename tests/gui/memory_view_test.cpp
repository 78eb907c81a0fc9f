#include "app/gui/models/memory/memory_view.h"

#include <doctest/doctest.h>

#include "capture/remote/remote_questions.h"
#include "model/import/importer.h"
#include "tests/memory/pickle_maker.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

DocumentPtr snapshot_document() {
  const std::string events =
      event_opcodes("segment_alloc", 4096, 4096, 1) + event_opcodes("alloc", 4096, 1024, 2, frame_opcodes("f", 1)) +
      event_opcodes("alloc", 5120, 512, 3, frame_opcodes("g", 2)) + event_opcodes("free_requested", 4096, 1024, 4) +
      event_opcodes("free_completed", 4096, 1024, 6) + event_opcodes("oom", 10, 1 << 20, 7);
  static const PickleFile file(
      "view.pickle",
      snapshot_opcodes(events, block_opcodes(4096, 1024, "inactive") + block_opcodes(5120, 512, "active_allocated")));
  const std::vector<std::string> paths{file.path()};
  Result<Trace> trace = import_files(paths);
  REQUIRE(trace.has_value());
  return make_document(std::move(*trace), paths);
}

TEST_CASE("memory page: the peak of the range, what was live there, sorted; a moment that stays") {
  BackgroundJobs jobs;
  MemoryView view{jobs};
  const DocumentPtr document = snapshot_document();
  view.ask(document);
  view.settle();
  REQUIRE(view.device() != nullptr);
  REQUIRE(view.areas() != nullptr);
  view.look_at(TimeSpan::everything());
  view.settle();
  CHECK(view.moment() == 3);
  REQUIRE(view.at_moment() != nullptr);
  CHECK(view.at_moment()->bytes == 1536);
  REQUIRE(view.rows().size() == 2);
  const MemoryTable& table = view.device()->table;
  CHECK(table.pieces[view.rows()[0]].bytes == 1024);
  view.descending = false;
  CHECK(table.pieces[view.rows()[0]].bytes == 512);
  // A range behind the free has only the other.
  view.look_at({6500, 7000});
  view.settle();
  CHECK(view.at_moment()->live.size() == 1);
  // It was freed before the range: what is left lasts into it, and is told of where the range begins.
  CHECK(view.moment_lies() == MemoryView::Lies::kBefore);
  CHECK(table.time_of(view.moment()) < 6500);
  CHECK(view.time_of_moment() == 6500);
  // Nothing is known before the first change.
  view.look_at({table.time_of(0) - 20, table.time_of(0) - 10});
  CHECK(view.moment_lies() == MemoryView::Lies::kAfter);
  CHECK(view.time_of_moment() == table.time_of(0));
  view.look_at({table.time_of(0), table.time_of(1)});
  CHECK(view.moment_lies() == MemoryView::Lies::kInside);
  view.choose_moment(2);
  view.look_at({6500, 7000});
  CHECK(view.moment() == 2);
  view.step_moment(1);
  view.look_at({6500, 7000});
  CHECK(view.moment() == 3);
}

TEST_CASE("memory page: the allocator's blocks at any moment, both ways, and why memory ran out") {
  BackgroundJobs jobs;
  MemoryView view{jobs};
  const DocumentPtr document = snapshot_document();
  view.ask(document);
  view.settle();
  view.shows = MemoryShows::kAllocator;
  const auto blocks_at = [&](std::uint32_t moment) {
    view.choose_moment(moment);
    view.look_at(TimeSpan::everything());
    view.settle();
    std::size_t blocks = 0;
    for (const SegmentPicture& segment : view.at_moment()->segments) blocks += segment.blocks.size();
    return std::pair(view.at_moment()->segments.size(), blocks);
  };
  CHECK(blocks_at(5) == std::pair<std::size_t, std::size_t>(1, 1));
  CHECK(blocks_at(3) == std::pair<std::size_t, std::size_t>(1, 2));
  CHECK(blocks_at(0) == std::pair<std::size_t, std::size_t>(0, 0));
  CHECK(blocks_at(4) == std::pair<std::size_t, std::size_t>(1, 2));
  CHECK(view.at_moment()->segments[0].blocks[0].waits);
  view.shows = MemoryShows::kFindings;
  view.look_at(TimeSpan::everything());
  view.settle();
  REQUIRE(view.findings() != nullptr);
  REQUIRE(view.findings()->out_of_memory.size() == 1);
  CHECK(view.findings()->out_of_memory[0].requested == 1 << 20);
  view.shows = MemoryShows::kFlames;
  view.choose_moment(3);
  view.look_at(TimeSpan::everything());
  view.settle();
  CHECK(view.at_moment()->tree.nodes.front().bytes == 1536);
}

TEST_CASE("memory page: two snapshots by who allocated; a trace without memory has none") {
  BackgroundJobs jobs;
  MemoryView here{jobs}, there{jobs};
  here.ask(snapshot_document());
  there.ask(snapshot_document());
  here.settle();
  there.settle();
  here.look_at(TimeSpan::everything());
  there.choose_moment(5);
  there.look_at(TimeSpan::everything());
  here.settle();
  there.settle();
  const auto changes = MemoryView::compare(here, there);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].name == "f  /a/b.py:1");
  CHECK(changes[0].change() == -1024);
  CHECK(changes[1].change() == 0);
  TraceMaker make;
  make.thread("aten::mm", 0, 100);
  here.ask(make_document(make.build(), {"b"}));
  here.settle();
  REQUIRE(here.histories() != nullptr);
  CHECK(here.device() == nullptr);
  CHECK(here.rows().empty());
}

DocumentPtr document_from(std::string_view json, const char* name) {
  Result<Trace> trace = import_json(json, name);
  REQUIRE(trace.has_value());
  return make_document(std::move(*trace), {name});
}

TEST_CASE("memory page: a memory timeline has its categories and no allocations, and is compared by them") {
  const DocumentPtr first =
      document_from("[[1, 2], [[0, 100, 0, 0, 0, 40, 0, 0, 0], [0, 100, 0, 0, 0, 0, 0, 0, 0]]]", "a");
  const DocumentPtr second =
      document_from("[[1, 2], [[0, 90, 0, 0, 0, 70, 0, 0, 0], [0, 90, 0, 0, 0, 0, 0, 0, 0]]]", "b");
  BackgroundJobs jobs;
  MemoryView here{jobs}, there{jobs};
  here.ask(first);
  there.ask(second);
  for (MemoryView* view : {&here, &there}) {
    view->settle();
    view->look_at(TimeSpan::everything());
    view->settle();
  }
  REQUIRE(here.device() != nullptr);
  CHECK_FALSE(here.device()->has_pieces());
  CHECK(here.marks(first) == nullptr);
  CHECK(here.rows().empty());
  CHECK(here.device()->table.active[here.moment()] == 140);
  const auto changes = MemoryView::compare(here, there);
  REQUIRE(changes.size() == 8);
  CHECK(changes[0].name == "activation");
  CHECK(changes[0].change() == 30);
  CHECK(changes[1].name == "parameter");
  CHECK(changes[1].change() == -10);
}

TEST_CASE("memory page: an allocation of the timeline is looked at when it was made") {
  const DocumentPtr document = document_from(
      R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"aten::mm","ts":0,"dur":100},)"
      R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":10,"args":{"Bytes":64,"Device Type":0,"Addr":1}},)"
      R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":20,"args":{"Bytes":32,"Device Type":1,"Device Id":0,"Addr":2}},)"
      R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":30,"args":{"Bytes":16,"Device Type":0,"Addr":3}}]})",
      "marks");
  BackgroundJobs jobs;
  MemoryView view{jobs};
  CHECK(view.marks(document) == nullptr);
  view.ask(document);
  view.settle();
  const auto marks = view.marks(document);
  REQUIRE(marks != nullptr);
  CHECK(view.marks(snapshot_document()) == nullptr);
  REQUIRE(marks->size() == 3);
  CHECK(view.device()->name == "GPU 0");
  view.choose((*marks)[2]);
  CHECK(view.device()->name == "CPU");
  view.look_at(TimeSpan::everything());
  view.settle();
  CHECK(view.moment() == 2);
  REQUIRE(view.chosen_piece.has_value());
  CHECK(view.device()->table.pieces[*view.chosen_piece].bytes == 16);
  CHECK(view.at_moment()->bytes == 80);
}

/// A picture of a trace on another machine, with that machine's answers.
DocumentPtr memory_picture(std::vector<std::shared_ptr<const RemotePage>> pages) {
  RemoteAnswers answers;
  answers.pages = std::move(pages);
  return make_thin_document(TraceMaker().thread("aten::mm", 0, 100).build(), {"there"}, {}, std::move(answers));
}

TEST_CASE("memory page: that of a trace on another machine is told by it, and shown like that of a file") {
  BackgroundJobs jobs;
  MemoryView view{jobs};
  view.ask(memory_picture({}));
  CHECK(view.histories() == nullptr);
  const auto histories = read_memory_histories(snapshot_document()->trace);
  REQUIRE(histories);
  auto page = std::make_shared<RemotePage>();
  page->asked = {AskedMemory{}};
  page->memory.push_back(excerpt_memory(*histories->front(), kMemoryLimits));
  const DocumentPtr there = memory_picture({page});
  view.ask(there);
  REQUIRE(view.device() != nullptr);
  CHECK(view.snapshot() == nullptr);  // of the allocator nothing is told
  CHECK(view.marks(there) == nullptr);
  view.look_at(TimeSpan::everything());
  view.settle();
  CHECK(view.moment() == 3);
  REQUIRE(view.at_moment() != nullptr);
  CHECK(view.at_moment()->bytes == 1536);
  CHECK(view.areas()->areas.size() == make_holder_areas(*histories->front(), HolderGroup::kCategory).areas.size());
  view.choose_moment(2);
  view.ask(memory_picture({}));  // the next picture may be without it
  CHECK(view.has_chosen_moment());
  CHECK(view.device() != nullptr);
  view.ask(snapshot_document());
  CHECK(view.device() == nullptr);
}

TEST_CASE("memory page: allocations of a trace on another machine are drawn below the slices that the picture has") {
  BackgroundJobs jobs;
  MemoryView view{jobs};
  auto page = std::make_shared<RemotePage>();
  page->asked = {AskedMemory{}};
  const auto histories = read_memory_histories(snapshot_document()->trace);
  REQUIRE(histories);
  MemoryExcerpt& device = page->memory.emplace_back(excerpt_memory(*histories->front(), kMemoryLimits));
  // The first allocation is in the only slice that the picture has, the others are after it.
  for (std::size_t t = 0; t < device.times.size(); ++t)
    device.times[t] = t < device.pieces.front().piece.begin ? 50 : 5'000;
  for (MemoryExcerpt::Piece& piece : device.pieces)
    piece.allocated_by = {{0, 100}, {LaneId{0}, ReportPlace::kUnnumbered}};
  REQUIRE(is_sound(device));
  const std::size_t pieces = device.pieces.size();
  const DocumentPtr first = memory_picture({page}), second = memory_picture({});
  view.ask(first);
  REQUIRE(view.marks(first) != nullptr);
  CHECK(view.marks(first)->size() < pieces);
  CHECK((*view.marks(first))[0].span.begin == 50);
  view.ask(second);  // the next picture has slices of its own
  REQUIRE(view.marks(second) != nullptr);
  CHECK(view.marks(second)->size() < pieces);
  CHECK(view.marks(first) == nullptr);
}

}  // namespace
}  // namespace lacuna
