// Every number that a panel shows has a definition, in column_help().
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "app/gui/panels/widgets/table_parts.h"
#include "model/help/column_help.h"
#include "tests/support/paths.h"

namespace lacuna {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// What group 1 of `pattern` is at each place of `text`.
std::set<std::string> all_of(const std::string& text, const char* pattern) {
  std::set<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) found.insert((*at)[1]);
  return found;
}

/// As the compiler reads them.
std::string unescaped(std::string text) {
  const std::string minus = "\\xE2\\x88\\x92";
  for (std::size_t at; (at = text.find(minus)) != text.npos;) text.replace(at, minus.size(), "−");
  return text;
}

// Rows of the details that say a word or a place, not a number.
const std::set<std::string> kNoNumbers = {"",         "After",     "Before", "Category",    "Flows from",
                                          "Flows to", "Format",    "GPU ",   "Launched by", "Note",
                                          "Rank",     "Recording", "Stream", "Thread",      "Track"};

TEST_CASE("every number and column of the panels has a definition") {
  int rows = 0, columns = 0, named = 0;
  const std::filesystem::path folder = std::filesystem::path(source_folder()) / "app/gui";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = content_of(entry.path());
    CAPTURE(entry.path().string());
    for (const std::string& label : all_of(text, R"(fact_row\(\s*ui,\s*"([^"]*)\")")) {
      CAPTURE(label);
      if (kNoNumbers.contains(label)) continue;
      ++rows;
      CHECK_FALSE(column_definition("details", label).empty());
    }
    // A column's title has a definition in one of the tables that its file shows.
    std::set<std::string> tables = all_of(text, R"((?:table_headers|explained_number)\(\s*ui,\s*"([^"]*)\")");
    for (const std::string& escaped : all_of(text, R"(\.title = "([^"]*)\")")) {
      const std::string title = unescaped(escaped);
      CAPTURE(title);
      ++columns;
      bool is_defined = false;
      for (const std::string& table : tables) is_defined |= !column_definition(table, title).empty();
      CHECK(is_defined);
    }
    // What panels look up by name.
    const std::regex lookup(R"re(column_definition\(\s*"([^"]*)",\s*(?:is_gpu \? )?"([^"]*)")re");
    for (std::sregex_iterator at(text.begin(), text.end(), lookup), end; at != end; ++at) {
      CAPTURE((*at)[2].str());
      ++named;
      CHECK_FALSE(column_definition((*at)[1].str(), (*at)[2].str()).empty());
    }
  }
  CHECK(rows > 20);
  CHECK(columns > 30);
  CHECK(named > 10);
}

TEST_CASE("the comparison's columns have a definition for each thing compared") {
  for (const char* what : {"Total", "Self", "Count", "Avg"})
    for (const char* side : {" A", " B"}) CHECK_FALSE(column_definition("diff", std::string(what) + side).empty());
}

TEST_CASE("no definition is written twice, and every key finds its column") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const ColumnHelp& column : column_help()) {
    CAPTURE(column.table);
    CAPTURE(column.title);
    CHECK(seen.emplace(column.table, column.title).second);
    CHECK_FALSE(column.definition.empty());
    CHECK_FALSE(column.source.empty());
    std::string_view keys = column.keys;
    while (!keys.empty()) {
      const std::string_view key = keys.substr(0, keys.find(' '));
      CAPTURE(key);
      bool is_found = false;
      for (const ColumnHelp* found : explain_column(key)) is_found |= found == &column;
      CHECK(is_found);
      keys.remove_prefix(std::min(keys.size(), key.size() + 1));
    }
  }
}

}  // namespace
}  // namespace lacuna
