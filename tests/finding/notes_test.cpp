#include "app/finding/notes.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/finding/markers.h"

using namespace lacuna;

TEST_CASE("what somebody else changed is done here, and what was changed here stays") {
  const std::vector<Note> before = {
      {{1, 2}, "kept"},           {{3, 4}, "theirs to change"}, {{5, 6}, "theirs to remove"},
      {{7, 8}, "ours to remove"}, {{9, 10}, "both change"},     {{11, 12}, "we change, they remove"}};
  Markers ours;
  ours.take_over(before);
  const auto at = [&](Nanos begin) {
    for (const Marker& m : ours.all())
      if (m.span.begin == begin) return m;
    return Marker{};
  };
  ours.remove(at(7).number);
  ours.set_note(at(9).number, "ours");
  ours.set_note(at(11).number, "ours, too");
  ours.add({13, 14}, "new here");
  ours.add({15, 16}, "new on both sides, here");
  const std::vector<Note> after = {{{1, 2}, "kept"},    {{3, 4}, "changed"},     {{7, 8}, "ours to remove"},
                                   {{9, 10}, "theirs"}, {{15, 16}, "new there"}, {{17, 18}, "new there, too"}};
  ours.take_changes(before, after);
  const std::vector<Note> expected = {{{1, 2}, "kept"},
                                      {{3, 4}, "changed"},
                                      {{9, 10}, "ours\ntheirs"},
                                      {{11, 12}, "ours, too"},
                                      {{13, 14}, "new here"},
                                      {{15, 16}, "new on both sides, here\nnew there"},
                                      {{17, 18}, "new there, too"}};
  CHECK(ours.notes() == expected);
  const std::uint64_t version = ours.version();
  ours.take_changes(after, after);
  CHECK(ours.version() == version);
}

TEST_CASE("notes come back as they were written") {
  const std::vector<Note> notes{{{5, 5}, "a moment"},
                                {{10, 20}, "say \"hello\"\n\xC3\xA9", NoteOn::kSlice, "aten::mm"},
                                {{-30, 40}, "idle", NoteOn::kGap}};
  const auto parsed = parse_notes(format_notes(notes));
  REQUIRE(parsed);
  CHECK(parsed->notes == notes);
  CHECK(parsed->passed_over == 0);
}

TEST_CASE("what is no file of notes is refused with words, and an entry that is none is counted") {
  for (const char* text : {"", "no JSON", "[]", "{}", R"({"markers": 3, "version": 1})", R"({"markers": []})",
                           R"({"markers": [], "version": "1"})"}) {
    INFO(text);
    const auto parsed = parse_notes(text);
    REQUIRE(!parsed);
    CHECK(parsed.error().cause.find("holds no notes") == 0);
  }
  CHECK(parse_notes(R"({"markers": [], "version": 2})").error().code == ErrorCode::kUnsupported);
  const auto some = parse_notes(
      R"({"version":1,"markers":[7,{},{"beginNs":9,"endNs":3},{"beginNs":1.5,"endNs":3},{"beginNs":1,"endNs":3,"note":4}]})");
  REQUIRE(some);
  CHECK(some->passed_over == 4);
  CHECK(some->notes == std::vector<Note>{{{1, 3}, ""}});
}

TEST_CASE("of more notes than there may be, the first are taken") {
  std::vector<Note> many(kMostNotes + 5, Note{{1, 2}, "x"});
  const auto parsed = parse_notes(format_notes(many));
  REQUIRE(parsed);
  CHECK(parsed->notes.size() == kMostNotes);
  CHECK(parsed->passed_over == 5);
}

TEST_CASE("a side-car keeps what else it says when notes take the place of its own") {
  const std::string text = with_notes(R"({"version":1,"tracks":{"grouping":2},"markers":[]})", {{{{1, 2}, "x"}}});
  CHECK(text.find("grouping") != std::string::npos);
  CHECK(parse_notes(text)->notes.size() == 1);
}

TEST_CASE("notes of somebody else are added, and change nothing when they come again") {
  Markers markers;
  markers.add({1, 2}, "mine");
  const std::vector<Note> theirs{{{1, 2}, "theirs"}, {{3, 4}, "new", NoteOn::kSlice, "mm"}};
  CHECK(markers.take_over(theirs) == 2);
  REQUIRE(markers.all().size() == 2);
  CHECK(markers.all()[0].note == "mine\ntheirs");
  CHECK(markers.all()[1].on == NoteOn::kSlice);
  CHECK(markers.all()[1].name == "mm");
  CHECK(markers.take_over(theirs) == 0);
  CHECK(markers.notes()[1] == theirs[1]);
  CHECK(markers.take_over({{{1, 2}, "their"}}) == 1);  // part of another note, and none that is there
  CHECK(markers.all()[0].note == "mine\ntheirs\ntheir");
}
