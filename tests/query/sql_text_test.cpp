#include "model/query/sql_text.h"

#include <string>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> out;
  for (const SqlStatement& s : split_statements(text)) out.emplace_back(text.substr(s.begin, s.end - s.begin));
  return out;
}

TEST_CASE("semicolons in strings, names and comments part nothing") {
  using Strings = std::vector<std::string>;
  CHECK(pieces("SELECT ';', \"a;b\", [c;d], `e;f` -- ;\n; /* ; */ SELECT 2 ;;") ==
        Strings{"SELECT ';', \"a;b\", [c;d], `e;f`", "SELECT 2"});
  CHECK(pieces("SELECT 'it''s; fine'") == Strings{"SELECT 'it''s; fine'"});
  CHECK(pieces("SELECT 'open ; for ever") == Strings{"SELECT 'open ; for ever"});
  CHECK(pieces("/* open ; ").empty());
  CHECK(pieces("").empty());
}

TEST_CASE("tokens") {
  const std::string_view text = "a.b1>=$x+1.5e-3||'s' m!(2)";
  std::vector<std::string> words;
  for (const SqlToken& token : sql_tokens(text)) words.emplace_back(token.in(text));
  CHECK(words == std::vector<std::string>{"a", ".", "b1", ">", "=", "$x", "+", "1.5e-3", "|", "|", "'s'", "m", "!", "(",
                                          "2", ")"});
}

}  // namespace
}  // namespace lacuna
