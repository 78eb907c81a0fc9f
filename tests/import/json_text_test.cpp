#include "model/formats/chrome/json_text.h"

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

std::string unescaped(std::string_view content, std::uint32_t expected_bad = 0) {
  std::string out;
  CHECK(append_unescaped(content, out) == expected_bad);
  return out;
}

}  // namespace

TEST_CASE("escapes") {
  CHECK(unescaped("plain") == "plain");
  CHECK(unescaped(R"(a\"b\\c\/d\b\f\n\r\t)") == "a\"b\\c/d\b\f\n\r\t");
  CHECK(unescaped(R"(\u0041\u00e9\u20ac)") == "A\xC3\xA9\xE2\x82\xAC");
  CHECK(unescaped(R"(\ud83d\ude00)") == "\xF0\x9F\x98\x80");
  CHECK(unescaped(R"(\u0000)") == std::string(1, '\0'));
  CHECK(unescaped("") == "");
}

TEST_CASE("bad escapes stay as they stand") {
  CHECK(unescaped(R"(\x41)", 1) == R"(\x41)");
  CHECK(unescaped(R"(C:\dir\Name)", 2) == R"(C:\dir\Name)");
  CHECK(unescaped(R"(\u12)", 1) == R"(\u12)");
  CHECK(unescaped(R"(\ud83d)", 1) == R"(\ud83d)");
  CHECK(unescaped(R"(\ud83d\u0041)", 1) == R"(\ud83dA)");
  CHECK(unescaped(R"(\ude00)", 1) == R"(\ude00)");
  CHECK(unescaped("end\\", 1) == "end\\");
}

TEST_CASE("JSON numbers") {
  for (const char* number : {"0", "-0", "10", "1.5", "-1.5e10", "1E-7", "0.1"}) {
    CAPTURE(number);
    CHECK(is_json_number(number));
  }
  for (const char* other : {"", "-", "01", ".5", "5.", "+1", "1e", "0x1", "NaN", "1 ", "--1", "1.5.2"}) {
    CAPTURE(other);
    CHECK_FALSE(is_json_number(other));
  }
}

TEST_CASE("UTF-8") {
  CHECK(utf8_length("a") == 1);
  CHECK(utf8_length("\xC3\xA9") == 2);
  CHECK(utf8_length("\xE2\x82\xAC") == 3);
  CHECK(utf8_length("\xF0\x9F\x98\x80") == 4);
  for (const char* bad : {"\x80", "\xC0\x80", "\xC3", "\xC3(", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                          "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "\xFF"})
    CHECK(utf8_length(bad) == 0);
  CHECK(utf8_length("") == 0);
  CHECK(utf8_cut("a\xE2\x82\xAC", 4) == 4);
  CHECK(utf8_cut("a\xE2\x82\xAC", 3) == 1);
  CHECK(utf8_cut("abc", 2) == 2);
}
