#include "app/gui/models/search/fuzzy.h"

#include <string>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

int score(std::string_view typed, std::string_view text) {
  const auto match = fuzzy_match(typed, text);
  return match ? match->score : -1000;
}

TEST_CASE("letters in order, whatever their case") {
  CHECK(fuzzy_match("", "anything"));
  CHECK(fuzzy_match("zi", "Zoom in"));
  CHECK(fuzzy_match("ZOOM  IN", "zoom in"));
  CHECK(!fuzzy_match("iz", "Zoom in"));
  CHECK(!fuzzy_match("zoom inn", "Zoom in"));
  CHECK(!fuzzy_match("a", ""));
}

TEST_CASE("the positions are those of the typed letters") {
  const auto match = fuzzy_match("ngap", "Next gap");
  REQUIRE(match);
  CHECK(match->positions == std::vector<std::uint32_t>{0, 5, 6, 7});
  const auto run = fuzzy_match("gap", "Longest gap");
  REQUIRE(run);
  CHECK(run->positions == std::vector<std::uint32_t>{8, 9, 10});
}

TEST_CASE("words and runs count more than letters here and there") {
  CHECK(score("zi", "Zoom in") > score("zi", "Resizing"));
  CHECK(score("gap", "Next gap") > score("gap", "Gather a process"));
  CHECK(score("gap", "Next gap") > score("gap", "Gaps"));  // the whole word
  CHECK(score("gap", "Gaps") > score("gap", "Agape"));
  CHECK(score("open", "Open…") == score("open", "Open job…"));
  CHECK(score("cn", "copyName") > score("cn", "second"));
}

TEST_CASE("long texts and bytes of any kind") {
  CHECK(fuzzy_match(std::string(1000, 'a'), std::string(5000, 'a')));
  CHECK(!fuzzy_match("b", std::string(5000, 'a') + "b"));  // beyond what is looked at
  CHECK(fuzzy_match("\xC3\xA9", "caf\xC3\xA9"));
  CHECK(fuzzy_match("\xFF", "\xFE\xFF"));
}

}  // namespace
}  // namespace lacuna
