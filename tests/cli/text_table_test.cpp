#include "app/cli/text_table.h"

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

std::string print(TextTable& table, std::size_t width) {
  std::string text;
  Output out(text);
  table.print(out, width);
  return text;
}

}  // namespace

TEST_CASE("columns are aligned, texts left and numbers right, without blanks at the line's end") {
  TextTable table({{.title = "Name"}, {.title = "Count", .right_aligned = true}, {.title = "Note"}});
  table.add_row({"aten::mm", "7", "x"});
  table.add_row({"a", "12,345", ""});
  CHECK(print(table, 80) ==
        "Name       Count  Note\n"
        "aten::mm       7  x\n"
        "a         12,345\n");
}

TEST_CASE("a command line is one line that a shell splits into its words") {
  CHECK(printable_words({"lacuna", "info", "a.json", "a b"}) == "lacuna info a.json 'a b'");
  CHECK(printable_words({"a\nb", "\x1b'\\\xC3\xA9\xC2\x85", "\xC3\xA9"}) ==
        R"($'a\012b' $'\033\047\134\303\251\302\205' )"
        "'\xC3\xA9'");
}

TEST_CASE("flexible columns shrink first, then columns are dropped by their order") {
  TextTable table({{.title = "Name", .flexible = true},
                   {.title = "Count", .right_aligned = true},
                   {.title = "Min", .right_aligned = true, .drop_order = 2},
                   {.title = "Max", .right_aligned = true, .drop_order = 1}});
  table.add_row({std::string(100, 'k'), "12345", "11111111", "22222222"});
  CHECK(print(table, 200).find(std::string(100, 'k')) != std::string::npos);
  CHECK(table.hidden().empty());
  for (const std::size_t width : {100u, 60u, 51u}) {
    const std::string text = print(table, width);
    CHECK(text.substr(text.find('\n') + 1).size() >= width);  // bytes: the … has three
    CHECK(display_width(text.substr(text.find('\n') + 1)) == width + 1);
    CHECK(table.hidden().empty());
  }
  CHECK(display_width(print(table, 50)) > 0);
  CHECK(table.hidden() == std::vector<std::string>{"Min"});
  print(table, 40);
  CHECK(table.hidden() == std::vector<std::string>{"Min", "Max"});
  print(table, 10);  // no room at all: as narrow as it gets
  CHECK(table.hidden() == std::vector<std::string>{"Min", "Max"});
}

TEST_CASE("an indent counts towards the width") {
  TextTable table({{.title = "A"}, {.title = "B"}}, 4);
  table.add_row({"1", "2"});
  CHECK(print(table, 80) == "    A  B\n    1  2\n");
}

TEST_CASE("missing cells are empty; control characters cannot reach the terminal") {
  TextTable table({{.title = "A"}, {.title = "B"}});
  table.add_row({"x\x1b[31m\n"});
  CHECK(print(table, 80) == "A            B\nx\\x1b[31m\\n\n");
}

TEST_CASE("printable shows control characters and leaves UTF-8 alone") {
  CHECK(printable("plain µs … 日本") == "plain µs … 日本");
  CHECK(printable("a\tb\nc\x7f") == "a\\tb\\nc\\x7f");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\x9b31m");  // CSI as a C1 control
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
  CHECK(printable("\xC2\xA0") == "\xC2\xA0");
}

TEST_CASE("lines break at blanks, but not inside a place") {
  using Lines = std::vector<std::string>;
  CHECK(wrapped("idle for 3 ms [10.0 ms + 9.00 ms] and on", 20) ==
        Lines{"idle for 3 ms", "[10.0 ms + 9.00 ms]", "and on"});
  CHECK(wrapped("an [open bracket and more", 10) == Lines{"an [open", "bracket", "and more"});
  const std::string far = "[" + std::string(20, 'x') + " " + std::string(20, 'y') + "]";
  CHECK(wrapped(far, 10).size() == 2);
  CHECK(wrapped("", 10).empty());
}

TEST_CASE("shorten keeps start and end, counts code points and never cuts one") {
  CHECK(shorten("short", 10) == "short");
  CHECK(shorten("exactly10!", 10) == "exactly10!");
  CHECK(shorten("void kernel<float, 4>(int)", 13) == "void ker…int)");
  CHECK(shorten("abcdef", 1) == "…");
  CHECK(shorten("abcdef", 0) == "");
  CHECK(shorten("µµµµµµµµ", 4) == "µµ…µ");
  for (std::size_t width = 0; width < 12; ++width)
    CHECK(display_width(shorten("日本語日本語日本語日本語", width)) == width);
}
