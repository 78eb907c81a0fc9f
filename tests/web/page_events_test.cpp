#include "app/web/wire/page_events.h"

#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "app/web/wire/byte_writer.h"

using namespace lacuna;
using Kind = PageEvent::Kind;

namespace {

/// Every kind of event once, in the order of their numbers.
ByteWriter all_kinds() {
  ByteWriter out;
  const auto begin = [&](Kind kind) { out.number(static_cast<std::uint64_t>(kind), 1); };
  const auto text = [&](std::string_view bytes) {
    out.number(bytes.size(), 4);
    for (const char c : bytes) out.number(static_cast<unsigned char>(c), 1);
  };
  begin(Kind::kHello);
  out.number(kWebVersion, 4);
  text("abc");
  begin(Kind::kKey);
  out.number(87, 2);
  for (const int byte : {int{'w'}, 1, 2}) out.number(static_cast<std::uint64_t>(byte), 1);
  begin(Kind::kCharacter);
  out.number(0x1F600, 4);
  begin(Kind::kButton);
  for (const int byte : {1, 1, 4}) out.number(static_cast<std::uint64_t>(byte), 1);
  begin(Kind::kMove);
  out.real(12.5f);
  out.real(-3);
  begin(Kind::kWheel);
  out.real(0);
  out.real(-1);
  out.number(2, 1);
  begin(Kind::kEnter);
  out.number(1, 1);
  begin(Kind::kFocus);
  out.number(0, 1);
  begin(Kind::kResize);
  for (const float value : {1280.0f, 800.0f, 2.0f}) out.real(value);
  begin(Kind::kAnswer);
  out.number(70'000, 4);
  out.number(12, 2);
  begin(Kind::kClipboard);
  text("pasted");
  begin(Kind::kPing);
  return out;
}

}  // namespace

TEST_CASE("a message holds the events in their order") {
  const auto events = read_page_message(all_kinds().bytes());
  REQUIRE(events);
  REQUIRE(events->size() == 12);
  for (std::size_t i = 0; i < events->size(); ++i) CHECK(static_cast<std::size_t>((*events)[i].kind) == i + 1);
  CHECK((*events)[0].text == "abc");
  CHECK((*events)[1].key == 87);
  CHECK((*events)[1].character == 'w');
  CHECK((*events)[1].modifiers == 2);
  CHECK((*events)[2].codepoint == 0x1F600);
  CHECK((*events)[4].x == 12.5f);
  CHECK((*events)[5].y == -1);
  CHECK((*events)[8].scale == 2);
  CHECK((*events)[9].codepoint == 70'000);
  CHECK((*events)[9].x == 12);
  CHECK((*events)[10].text == "pasted");
}

TEST_CASE("a message that is cut off is none") {
  const std::string whole = all_kinds().bytes();
  std::size_t intact = 0;
  for (std::size_t length = 0; length < whole.size(); ++length)
    intact += read_page_message(std::string_view(whole).substr(0, length)).has_value();
  CHECK(intact == 12);  // between events alone: none, one … eleven of them
}

TEST_CASE("what makes no sense is refused") {
  const auto is_read = [](Kind kind, std::initializer_list<float> reals, std::initializer_list<int> bytes) {
    ByteWriter out;
    out.number(static_cast<std::uint64_t>(kind), 1);
    for (const float real : reals) out.real(real);
    for (const int byte : bytes) out.number(static_cast<std::uint64_t>(byte), 1);
    return read_page_message(out.bytes()).has_value();
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  CHECK(is_read(Kind::kMove, {1, 2}, {}));
  CHECK(!is_read(Kind::kMove, {nan, 2}, {}));
  CHECK(!is_read(Kind::kMove, {1, infinite}, {}));
  CHECK(!is_read(Kind::kMove, {1, 1e30f}, {}));
  CHECK(is_read(Kind::kResize, {1, 1, 1}, {}));
  CHECK(!is_read(Kind::kResize, {0, 800, 1}, {}));
  CHECK(!is_read(Kind::kResize, {1280, -5, 1}, {}));
  CHECK(!is_read(Kind::kResize, {1280, 800, 0}, {}));
  CHECK(!is_read(Kind::kResize, {1280, 800, 9}, {}));
  CHECK(!is_read(Kind::kResize, {99999, 800, 1}, {}));
  CHECK(is_read(Kind::kKey, {}, {92, 1, 0, 2, 63}));  // key 348
  CHECK(!is_read(Kind::kKey, {}, {93, 1, 0, 2, 0}));  // key 349
  CHECK(!is_read(Kind::kKey, {}, {65, 0, 127, 1, 0}));
  CHECK(!is_read(Kind::kKey, {}, {65, 0, 'a', 3, 0}));
  CHECK(!is_read(Kind::kKey, {}, {65, 0, 'a', 1, 64}));
  CHECK(!is_read(Kind::kButton, {}, {8, 1, 0}));
  CHECK(!is_read(Kind::kCharacter, {}, {0, 0, 0x11, 0}));  // beyond Unicode
  CHECK(!is_read(static_cast<Kind>(0), {}, {}));
  CHECK(!is_read(static_cast<Kind>(13), {}, {}));
  CHECK(read_page_message("").has_value());
  // Lengths that claim more than there is, or than may be.
  CHECK(
      !read_page_message(std::string("\x0b\xff\xff\xff\xff"
                                     "a",
                                     6)));
  ByteWriter hello;
  hello.number(1, 1);
  hello.number(1, 4);
  hello.number(65, 4);
  CHECK(!read_page_message(hello.bytes() + std::string(65, 'a')));
  CHECK(!read_page_message(std::string(kLongestPageMessage + 1, '\x0c')));
  CHECK(read_page_message(std::string(1000, '\x0c'))->size() == 1000);
}

TEST_CASE("any bytes are read or refused") {
  std::mt19937 chance(7);
  std::size_t read = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string bytes(chance() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(chance() % 4 == 0 ? chance() : chance() % 14);
    if (const auto events = read_page_message(bytes)) {
      ++read;
      for (const PageEvent& event : *events) CHECK(event.text.size() <= bytes.size());
    }
  }
  CHECK(read > 0);
  CHECK(read < 10'000);
}
