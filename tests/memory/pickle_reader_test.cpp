#include "model/formats/pickle/pickle_reader.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/formats/snapshot/snapshot_reader.h"
#include "model/input/bytes.h"
#include "tests/memory/pickle_maker.h"

namespace lacuna {
namespace {

Result<PickleDocument> read_text(const std::string& text, MemoryRoom& room) {
  return read_pickle(*make_memory_bytes(text), room, nullptr);
}

/// The message of what must be refused.
std::string refusal(const std::string& text) {
  MemoryRoom room(pickle_memory_limit(text.size()));
  const auto document = read_text(text, room);
  CHECK_FALSE(document.has_value());
  return document ? std::string() : document.error().message();
}

const std::string kSmall =
    snapshot_opcodes(event_opcodes("alloc", 4096, 512, 1, frame_opcodes("f", 3) + frame_opcodes("g", 4)) +
                         event_opcodes("free_requested", 4096, 512, 2) + event_opcodes("free_completed", 4096, 512, 3) +
                         event_opcodes("oom", 100, 4096, 4),
                     block_opcodes(4096, 512, "inactive") + block_opcodes(4608, 3584, "active_allocated"));

TEST_CASE("numbers of every opcode") {
  MemoryRoom room(1 << 24);
  const std::string longs = "\x8a" + le(1, 1) + "\xff" + "\x8a" + le(0, 1) + "\x8a" + le(8, 1) + le(~0ull >> 1, 8) +
                            number_opcode(0xff00'0000'0000'0000) + "J" + le(0xffff'fffe, 4) + "M" + le(65535, 2);
  const auto document = read_text(
      pickle_of("(" + longs + "G" + std::string("\x40\x09\x21\xfb\x54\x44\x2d\x18") + "\x88" + "N" + "t"), room);
  REQUIRE(document);
  std::vector<PickleValue> values;
  document->for_each(document->root, [&](PickleValue value) { values.push_back(value); });
  REQUIRE(values.size() == 9);
  CHECK(document->integer(values[0]) == -1);
  CHECK(document->integer(values[1]) == 0);
  CHECK(document->integer(values[2]) == INT64_MAX);
  CHECK_FALSE(document->integer(values[3]).has_value());
  CHECK(document->address(values[3]) == 0xff00'0000'0000'0000);
  CHECK(document->integer(values[4]) == -2);
  CHECK(document->integer(values[5]) == 65535);
  CHECK(document->real(values[6]) == doctest::Approx(3.141592653589793));
  CHECK(document->integer(values[6]) == 3);
  CHECK(document->integer(values[7]) == 1);
  CHECK(values[8].is(PickleKind::kNone));
}

TEST_CASE("a value that is kept is shared, not copied") {
  MemoryRoom room(1 << 24);
  // Each list holds the one before it twice: expanded, 2^200 elements.
  std::string text = "]\x94";
  for (int i = 0; i < 200; ++i)
    text += "]\x94(h" + le(static_cast<std::uint64_t>(i), 1) + "h" + le(static_cast<std::uint64_t>(i), 1) + "e";
  const auto document = read_text(pickle_of("(" + text + "t"), room);
  REQUIRE(document);
  std::size_t size = 0;
  CHECK(document->for_each(document->root, [&](PickleValue) { ++size; }));
  CHECK(size == 201);
}

TEST_CASE("lists that end as the one before them did hold what was kept, also after some of it was replaced") {
  MemoryRoom room(1 << 26);
  std::mt19937 random(7);
  std::vector<std::uint64_t> kept;  // by number in the memo
  std::string text = "(";
  const auto keep = [&](std::uint64_t index, std::uint64_t value) {
    if (index == kept.size()) kept.push_back(value);
    kept[index] = value;
    text += "J" + le(value, 4) + "r" + le(index, 4);
  };
  for (std::uint64_t i = 0; i < 300; ++i) keep(i, 1000 + i);
  std::vector<std::uint64_t> stack(40), wanted;
  for (int round = 0; round < 4000; ++round) {
    // The inner part changes, the outer stays; its depth changes; sometimes a number is kept anew.
    if (random() % 10 == 0) stack.resize(3 + random() % 60, random() % 300);
    const std::size_t changed = random() % 8;
    for (std::size_t i = 0; i < std::min(changed, stack.size()); ++i) stack[i] = random() % 300;
    if (random() % 50 == 0) keep(stack[random() % stack.size()], random() % 100'000);
    text += "](";
    for (const std::uint64_t index : stack) {
      text += index < 256 && random() % 64 != 0 ? "h" + le(index, 1) : "j" + le(index, 4);
      wanted.push_back(kept[index]);
    }
    text += "e";
  }
  const auto document = read_text(pickle_of(text + "t"), room);
  REQUIRE(document);
  std::vector<std::uint64_t> got;
  document->for_each(document->root, [&](PickleValue list) {
    document->for_each(list, [&](PickleValue value) { got.push_back(*document->address(value)); });
  });
  CHECK(got == wanted);
}

TEST_CASE("opcodes that do more than build plain data are refused by name and offset") {
  CHECK(refusal("\x80\x02"
                "cos\nsystem\n.") == "byte 2: GLOBAL is refused: only plain data are read, nothing is executed");
  for (const auto& [opcode, name] : {std::pair<const char*, const char*>{"R", "REDUCE"},
                                     {"b", "BUILD"},
                                     {"\x81", "NEWOBJ"},
                                     {"i", "INST"},
                                     {"o", "OBJ"},
                                     {"P", "PERSID"},
                                     {"Q", "BINPERSID"},
                                     {"\x82", "EXT1"},
                                     {"\x93", "STACK_GLOBAL"},
                                     {"\x92", "NEWOBJ_EX"},
                                     {"0", "POP"},
                                     {"2", "DUP"}})
    CHECK(refusal("\x80\x02N" + std::string(opcode)).starts_with(std::string("byte 3: ") + name + " is refused"));
  CHECK(refusal("\x80\x06.").find("protocol 6") != std::string::npos);
  CHECK(refusal("\x80\x04\xff").find("opcode 0xff") != std::string::npos);
}

TEST_CASE("what does not fit together is refused") {
  for (const char* text :
       {"e.", "u.", "s.", "a.", "\x94.", "t", "\x85", "N\x86.", "h\x07.", "]Ne.", "NN.", "(N.", "}(Nu.", "N(NNu."})
    CHECK(refusal("\x80\x04" + std::string(text)).starts_with("byte "));
  CHECK(refusal("\x80\x04\x8a\x0a" + std::string(10, 'x') + ".").find("LONG1 of 10 bytes") != std::string::npos);
}

TEST_CASE("depth and memo bombs end at a bound") {
  CHECK(refusal("\x80\x04" + std::string(5000, '(')).find("1,000 levels") != std::string::npos);
  CHECK(refusal("\x80\x04]r\xff\xff\xff\xff.").find("LONG_BINPUT") != std::string::npos);
  // Each byte makes a list: more memory than a file of this size may take.
  const std::string lists = "\x80\x04(" + std::string(20'000'000, ']') + "t.";
  MemoryRoom room(pickle_memory_limit(lists.size()));
  const auto document = read_text(lists, room);
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().code == ErrorCode::kLimit);
  CHECK(room.used() <= room.limit());
}

TEST_CASE("every truncation of a small snapshot is an error with an offset") {
  REQUIRE(read_snapshot(*make_memory_bytes(kSmall), "whole").has_value());
  for (std::size_t size = 0; size < kSmall.size(); ++size) {
    const auto snapshot = read_snapshot(*make_memory_bytes(kSmall.substr(0, size)), "cut");
    REQUIRE_FALSE(snapshot.has_value());
    REQUIRE(snapshot.error().offset.has_value());
    REQUIRE(*snapshot.error().offset <= size);
  }
}

TEST_CASE("random mutations end with an answer or an error") {
  std::mt19937 random(7);
  std::size_t errors = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = kSmall;
    for (int i = 0; i < 1 + round % 4; ++i) text[random() % text.size()] = static_cast<char>(random());
    errors += !read_snapshot(*make_memory_bytes(text), "mutated").has_value();
  }
  CHECK(errors > 1000);
}

}  // namespace
}  // namespace lacuna
