#include "app/cli/text_table.h"

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("a command line is one line that a shell splits into its words") {
  CHECK(printable_words({"lacuna", "info", "a.json", "a b"}) == "lacuna info a.json 'a b'");
  CHECK(printable_words({"a\nb", "\x1b'\\\xC3\xA9\xC2\x85", "\xC3\xA9"}) ==
        R"($'a\012b' $'\033\047\134\303\251\302\205' )"
        "'\xC3\xA9'");
}

TEST_CASE("printable shows control characters and leaves UTF-8 alone") {
  CHECK(printable("plain µs … 日本") == "plain µs … 日本");
  CHECK(printable("a\tb\nc\x7f") == "a\\tb\\nc\\x7f");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\x9b31m");  // CSI as a C1 control
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
  CHECK(printable("\xC2\xA0") == "\xC2\xA0");
  CHECK(printable("a\u202Eb\u2066c\u2069\u200F") == "a\\u202eb\\u2066c\\u2069\\u200f");  // they would reorder the line
  CHECK(printable("\u2027\u202F\u2065\u206A\u200D\xE2\x80") == "\u2027\u202F\u2065\u206A\u200D\xE2\x80");
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
