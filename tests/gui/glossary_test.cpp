#include "model/help/glossary.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

TEST_CASE("each word is explained in one or two sentences, in the order of the alphabet") {
  CHECK(std::ranges::is_sorted(glossary(), {}, &GlossaryEntry::word));
  for (const GlossaryEntry& entry : glossary()) {
    CAPTURE(entry.word);
    CHECK(entry.meaning.ends_with('.'));
    std::size_t sentences = 0;
    for (std::size_t i = 0; i < entry.meaning.size(); ++i)
      if (entry.meaning[i] == '.' && (i + 1 == entry.meaning.size() || entry.meaning.substr(i, 2) == ". ")) ++sentences;
    CHECK(sentences >= 1);
    CHECK(sentences <= 2);
  }
  // The words that a newcomer meets first.
  for (const char* word : {"self", "total", "Launch-bound", "queue", "slack", "occupancy", "confidence", "replay"}) {
    CAPTURE(word);
    CHECK(find_in_glossary(word) != nullptr);
  }
  CHECK(find_in_glossary("no such word") == nullptr);
}

}  // namespace
}  // namespace lacuna
