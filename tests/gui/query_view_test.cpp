#include "app/gui/models/query/query_view.h"

#include <fstream>

#include <doctest/doctest.h>

#include "app/gui/models/query/query_words.h"
#include "capture/remote/remote_questions.h"
#include "tests/query/query_support.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/variable.h"

namespace lacuna {
namespace {

DocumentPtr small_document() {
  auto trace = import_json(kSmallTrace);
  REQUIRE(trace.has_value());
  return make_document(std::move(*trace), {"small.json"});
}

DocumentPtr small_file(const TemporaryFolder& folder) {
  const std::string path = folder.write("small.json", std::string(kSmallTrace));
  auto trace = import_files({&path, 1});
  REQUIRE(trace.has_value());
  return make_document(std::move(*trace), {path});
}

/// From now on its events cannot be read any more.
void change(const DocumentPtr& of_file) {
  std::ofstream(of_file->paths.front(), std::ios::app) << "\n";
}

const QueryView::Answer& answer_of(QueryView& view, const DocumentPtr& document, std::string sql) {
  view.text = std::move(sql);
  view.run(document);
  view.settle();
  REQUIRE(view.answer() != nullptr);
  return *view.answer();
}

TEST_CASE("the SQL page: rows with an id or a ts lead to the timeline") {
  const DocumentPtr document = small_document();
  BackgroundJobs jobs;
  QueryView view{jobs};
  const auto& slices = answer_of(view, document, "SELECT name, id, ts FROM slice ORDER BY id");
  REQUIRE(slices.rows.size() == 6);
  const auto kernel = view.place_of(3);
  REQUIRE(kernel.has_value());
  REQUIRE(kernel->slice.valid());
  CHECK(document->trace.name(kernel->slice) == "gemm");
  CHECK(kernel->span == TimeSpan{130'000, 150'000});
  const auto mark = view.place_of(5);  // an instant is no slice of the timeline, and has its time
  REQUIRE(mark.has_value());
  CHECK(!mark->slice.valid());
  CHECK(mark->span == TimeSpan{170'000, 170'000});

  answer_of(view, document, "SELECT cause, ts, dur FROM gap");
  REQUIRE(view.place_of(0).has_value());
  CHECK(view.place_of(0)->span == TimeSpan{150'000, 160'000});
  CHECK(!view.place_of(0)->slice.valid());
  // An id of another table, whose ts is not that of the slice of this number.
  answer_of(view, document, "SELECT id, ts FROM counter");
  CHECK(!view.place_of(0)->slice.valid());
  answer_of(view, document, "SELECT name FROM slice");
  CHECK(!view.place_of(0).has_value());
  CHECK(!view.place_of(100).has_value());
}

TEST_CASE("the SQL page: the tables of a trace are made while the query is written") {
  const TemporaryFolder folder;
  const DocumentPtr document = small_file(folder);
  BackgroundJobs jobs;
  QueryView view{jobs};
  view.prepare(document);
  CHECK(!view.is_computing());  // nobody waits for it
  jobs.wait();
  // What the query needs is there: it does not miss the file, which is another one now.
  change(document);
  const auto& counted = answer_of(view, document, "SELECT COUNT(*) FROM slice");
  CHECK(counted.error == "");
  CHECK(counted.rows.cell(0, 0).integer == 6);
  view.reset();
  CHECK(answer_of(view, document, "SELECT COUNT(*) FROM slice").error.find("changed") != std::string::npos);
}

TEST_CASE("the SQL page: nothing is made ahead where it is much of the memory that is free") {
  const TemporaryFolder folder;
  const DocumentPtr document = small_file(folder);
  BackgroundJobs jobs;
  QueryView view{jobs};
  set_variable("LACUNA_MEMORY", "1000");
  view.prepare(document);
  jobs.wait();
  set_variable("LACUNA_MEMORY", nullptr);
  change(document);
  CHECK(answer_of(view, document, "SELECT COUNT(*) FROM slice").error.find("changed") != std::string::npos);
}

/// A picture of a trace on another machine, with that machine's answers.
DocumentPtr picture(std::vector<std::shared_ptr<const RemotePage>> pages) {
  auto trace = import_json(kSmallTrace);
  REQUIRE(trace.has_value());
  RemoteAnswers answers;
  answers.pages = std::move(pages);
  return make_thin_document(std::move(*trace), {"small.json"}, {}, std::move(answers));
}

TEST_CASE("the SQL page: a trace on another machine is asked there, once a run, and its answer stays") {
  BackgroundJobs jobs;
  QueryView view{jobs};
  const DocumentPtr before = picture({});
  CHECK(view.asked() == nullptr);
  view.text = "SELECT 1 AS one";
  view.run(before);
  REQUIRE(view.asked() != nullptr);
  const AskedPage first = *view.asked();
  CHECK(std::get<AskedSql>(first.what).text == view.text);
  CHECK(view.is_computing());
  view.take_remote(*before);
  CHECK(view.answer() == nullptr);
  auto page = std::make_shared<RemotePage>();
  page->asked = first;
  page->query.sql = "SELECT 1 AS one";
  const std::vector<std::string> names{"one"};
  page->query.rows.start(names);
  const Cell one = Cell::of(1);
  REQUIRE(page->query.rows.add({&one, 1}));
  page->query.count = 1;
  const DocumentPtr after = picture({page});
  view.keep_to(after);
  view.take_remote(*after);
  CHECK(!view.is_computing());
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->rows.size() == 1);
  CHECK(view.order().size() == 1);
  const std::uint64_t answers = view.answer_count();
  view.keep_to(picture({page}));
  view.take_remote(*after);
  CHECK(view.answer_count() == answers);  // each picture brings it again

  view.run(after);  // the same text is another question: a view may be another one now
  REQUIRE(view.asked() != nullptr);
  CHECK(*view.asked() != first);
  view.cancel();
  CHECK(view.asked() == nullptr);
  CHECK(!view.is_computing());
  view.text = std::string(kMostAskedSql + 1, ' ');
  view.run(after);
  CHECK(view.asked() == nullptr);
  CHECK(view.answer()->error.find("too long") != std::string::npos);
  view.keep_to(small_document());
  CHECK(view.answer() == nullptr);
}

TEST_CASE("the SQL page: errors have their place, and what a query made stays") {
  const DocumentPtr document = small_document();
  BackgroundJobs jobs;
  QueryView view{jobs};
  const auto& wrong = answer_of(view, document, "SELECT name\nFROM slice WHERE nme = 1");
  CHECK(wrong.error == "no such column: nme");
  REQUIRE(wrong.error_offset.has_value());
  CHECK(place_text(wrong.sql, static_cast<std::size_t>(*wrong.error_offset)) == "line 2, column 18");
  CHECK(line_at(wrong.sql, static_cast<std::size_t>(*wrong.error_offset)).text == "FROM slice WHERE nme = 1");
  // Of a long line, what is around the place; a mark below it stands at the same character.
  const std::string nested = std::string(5000, '(') + "\xC3\xA9\tx" + std::string(5000, ')');
  const QueryExcerpt around = line_around("SELECT\n" + nested, 7 + 5003);
  CHECK(around.text == "\xE2\x80\xA6" + std::string(97, '(') + "\xC3\xA9 x" + std::string(99, ')') + "\xE2\x80\xA6");
  CHECK(around.characters_before == 1 + 97 + 2);
  CHECK(line_around("a b", 2).text == "a b");
  CHECK(line_around("a b", 99).characters_before == 3);
  CHECK(line_around("", 0).text.empty());
  CHECK(answer_of(view, document, "CREATE PERFETTO VIEW mine AS SELECT 5 AS five").error.empty());
  CHECK(answer_of(view, document, "SELECT * FROM mine").rows.size() == 1);
  view.reset();
  CHECK(view.answer() == nullptr);
  CHECK(answer_of(view, small_document(), "SELECT * FROM mine").error == "no such table: mine");
}

TEST_CASE("the SQL page: rows beyond the limit are counted, order is that of a column, a run is cancelled") {
  const DocumentPtr document = small_document();
  BackgroundJobs jobs;
  QueryView view{jobs};
  constexpr const char* kNumbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100003) ";
  const auto& many = answer_of(view, document, std::string(kNumbers) + "SELECT i FROM n");
  CHECK(many.rows.size() == QueryView::kMostShown);
  CHECK(many.count == 100'003);
  view.sort(0, true);
  CHECK(view.order().front() == QueryView::kMostShown - 1);
  view.sort(-1, false);
  CHECK(view.order().front() == 0);
  view.text = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
  view.run(document);
  CHECK(view.is_computing());
  view.cancel();
  view.settle();
  CHECK(view.answer()->is_cancelled);
}

TEST_CASE("completion: columns of the statement's tables first, names of the trace in texts") {
  const DocumentPtr document = small_document();
  const auto first = [&](std::string_view sql, std::size_t cursor) {
    const Completion found = complete_query(sql, cursor, &document->trace);
    return found.words.empty() ? std::string() : found.words.front();
  };
  CHECK(first("SELECT * FROM sli", 17) == "slice");
  CHECK(first("SELECT cau FROM gap", 10) == "cause");
  CHECK(first("sel", 3) == "SELECT");
  CHECK(first("SELECT * FROM slice WHERE name = 'aten::m", 41) == "aten::mm");
  CHECK(first("SELECT * FROM slice WHERE name = 'ker", 37) == "kernel");
  CHECK(first("SELECT 1 ", 9).empty());
  CHECK(first("SELECT * FROM slice WHERE name = 'aten::mm'", 43).empty());
  CHECK(first("", 0).empty());
  const Completion found = complete_query("SELECT du FROM slice", 9, nullptr);
  REQUIRE(!found.words.empty());
  CHECK(found.words.front() == "dur");
  CHECK(found.begin == 7);
  CHECK(found.end == 9);
}

TEST_CASE("the SQL page: rows go to the timeline, stay there, and go again") {
  const DocumentPtr document = small_document();
  BackgroundJobs jobs;
  QueryView view{jobs};
  CHECK(view.show_as(ResultTrack::Kind::kMarks) == "there is no answer");
  answer_of(view, document, "-- kernels alone\nSELECT id, ts, dur, name FROM slice WHERE category = 'kernel'");
  CHECK(view.show_as(ResultTrack::Kind::kSlices).empty());
  CHECK(view.show_as(ResultTrack::Kind::kMarks).empty());
  answer_of(view, document, "SELECT 1 AS ts");
  CHECK(view.show_as(ResultTrack::Kind::kSlices) == "a track needs the columns ts and dur");
  REQUIRE(view.shown().size() == 2);
  const QueryView::Shown& shown = view.shown()[0];
  CHECK(shown.title == "kernels alone");
  CHECK(shown.track.items == 2);
  // Rows of an answer that is no longer the last one.
  const auto place = view.place_of(*shown.answer, shown.track.lanes[0][0].row);
  REQUIRE(place.has_value());
  CHECK(document->trace.name(place->slice) == "gemm");
  view.remove(shown.number);
  REQUIRE(view.shown().size() == 1);
  CHECK(view.shown()[0].track.kind == ResultTrack::Kind::kMarks);
  view.keep_to(document);
  CHECK(view.shown().size() == 1);
  view.keep_to(small_document());  // rows mean nothing there
  CHECK(view.shown().empty());
  CHECK(view.answer() == nullptr);
}

TEST_CASE("the SQL page: a bounded number of results is on the timeline") {
  const DocumentPtr document = small_document();
  BackgroundJobs jobs;
  QueryView view{jobs};
  answer_of(view, document, "SELECT ts, dur FROM slice");
  for (std::size_t i = 0; i < QueryView::kMostTracks; ++i) CHECK(view.show_as(ResultTrack::Kind::kSlices).empty());
  CHECK(view.show_as(ResultTrack::Kind::kSlices) == "12 results are on the timeline: remove one");
  view.remove_all();
  CHECK(view.shown().empty());
}

TEST_CASE("the SQL page: a plot begins with a column of numbers over the first one") {
  const DocumentPtr document = small_document();
  BackgroundJobs jobs;
  QueryView view{jobs};
  answer_of(view, document, "SELECT name, category, dur, ts FROM slice");
  CHECK(view.plot.x == 0);
  CHECK(view.plot.y == 2);
  view.plot.x = 3;
  answer_of(view, document, "SELECT name, category, dur, ts FROM slice WHERE dur > 0");  // the choice stays
  CHECK(view.plot.x == 3);
  answer_of(view, document,
            "SELECT name, COUNT(*) % 2 AS n, SUM(dur) AS total FROM slice GROUP BY name ORDER BY total");
  CHECK(view.plot.y == 2);  // what the rows are sorted by
  answer_of(view, document, "SELECT 1 AS a");
  CHECK(view.plot.x == 0);
  CHECK(view.plot.y == 0);
}

TEST_CASE("queries are called by their comment, else by themselves on one line") {
  CHECK(query_title("-- long gaps \nSELECT 1") == "long gaps");
  CHECK(query_title(" SELECT\n\t 1  ") == "SELECT 1");
  CHECK(query_title("--\nSELECT 1") == "-- SELECT 1");
  CHECK(query_title("-- only words") == "only words");
  CHECK(query_title("").empty());
}

}  // namespace
}  // namespace lacuna
