// Args read in one pass must be those that the walker over indexed tokens finds.
#include "model/import/quick_arguments.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/columns/gpu_arguments.h"
#include "model/formats/chrome/event_walker.h"
#include "model/formats/chrome/structurals.h"
#include "model/import/valid_arguments.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 3> kKeys{"Input Dims", "stream", "none"};
using Values = std::vector<std::string>;

/// The event that starts `text`, which is followed by the rest of a list.
std::optional<Values> quickly(std::string_view text) {
  const std::string padded = std::string(text) + std::string(64, '\0');
  std::array<std::string_view, kKeys.size()> values;
  if (!read_arguments_quickly(std::string_view(padded).substr(0, text.size()), kKeys, values)) return std::nullopt;
  return Values(values.begin(), values.end());
}

/// Given that it is well-formed.
std::optional<Values> as_valid(std::string_view text) {
  const std::string padded = std::string(text) + std::string(64, '\0');
  std::array<std::string_view, kKeys.size()> values;
  if (!read_valid_arguments(std::string_view(padded).substr(0, text.size()), kKeys, values)) return std::nullopt;
  return Values(values.begin(), values.end());
}

std::optional<Values> by_walking(std::string_view text) {
  const std::string padded = std::string(text) + std::string(Structurals::kPadding, '\0');
  Structurals tokens;
  EventWalker walker;
  EventFields fields;
  if (!tokens.index(padded.data(), text.size())) return std::nullopt;
  walker.start(padded.data(), tokens);
  if (walker.next(fields) != EventWalker::Step::kEvent) return std::nullopt;
  Values values(kKeys.size());
  walker.for_each_member(fields.args, [&](TokenIndex key, TokenIndex value) {
    const auto found = std::ranges::find(kKeys, token_content(walker.token(key)));
    if (found != kKeys.end()) values[static_cast<std::size_t>(found - kKeys.begin())] = walker.value_text(value);
  });
  return values;
}

TEST_CASE("args in one pass: what is read, and what is left to the careful way") {
  CHECK(quickly(R"({"args":{"stream":7}},)") == Values{"", "7", ""});
  CHECK(
      quickly(
          R"({ "name" : "a\"}{" , "args" : { "x":[1,{"stream":3}], "stream" : 7 , "Input Dims": [[2, 3], []] } } ])") ==
      Values{"[[2, 3], []]", "7", ""});
  CHECK(quickly(R"({"args":{"stream":"7\\"}}])") == Values{"", R"("7\\")", ""});
  CHECK(quickly(R"({"name":"args","ts":1.5},)") == Values{"", "", ""});
  CHECK(quickly(R"({"args":"text"},)") == Values{"", "", ""});
  CHECK(quickly(R"({"args":{"stream":1},"args":{}},)") == Values{"", "", ""});
  CHECK(quickly(R"({"args":{"stream":1,"stream":-2e5}},)") == Values{"", "-2e5", ""});
  CHECK(quickly("{},") == Values{"", "", ""});
  for (const char* text : {"", "[]", "{", R"({"args":{"stream":7}})", R"({"a":"x" y"},)", R"({"a":1 "b":2},)",
                           R"({"a":,"b":2},)", R"({a:1},)", "{\"a\":\"line\nbreak\"},", R"({"a":1,},)", R"({"a":+1},)",
                           R"({"a":1}x)", R"({"args":{"stream":7)", R"({"a":"\)"}) {
    CAPTURE(text);
    CHECK_FALSE(quickly(text).has_value());
  }
}

TEST_CASE("args in one pass agree with the walker, on damaged events as well") {
  const std::string event =
      R"x({"ph":"X","cat":"kernel","name":"void k<\"x\\\">(int, {a})","pid":0,"tid":7,"ts":1.25,"dur":-3e2,)x"
      R"("args":{"Input Dims":[[1, 2],["a,]"]], "o":{"stream":{}}, "stream":7,"t":true,"u":null}},{"ph":1}])";
  const auto whole = by_walking(event);
  REQUIRE(whole.has_value());
  REQUIRE(quickly(event) == whole);
  std::mt19937 random(5);
  constexpr std::string_view kBytes = "\"\\{}[]:,0a \n\x01";
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = event;
    for (std::uint32_t edits = 1 + random() % 2; edits > 0; --edits) {
      const std::size_t at = random() % damaged.size();
      const char byte = kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0:
          damaged[at] = byte;
          break;
        case 1:
          damaged.erase(at, 1);
          break;
        default:
          damaged.insert(at, 1, byte);
          break;
      }
    }
    const auto quick = quickly(damaged);
    if (!quick) continue;
    const auto slow = by_walking(damaged);
    if (!slow) continue;  // such an event was never imported from this offset by the strict reader
    ++accepted;
    CAPTURE(damaged);
    CHECK(*quick == *slow);
    if (const auto valid = as_valid(damaged)) CHECK(*valid == *slow);
  }
  CHECK(accepted > 1000);
}

TEST_CASE("args of well-formed events, 16 bytes at a time") {
#if defined(__SSE2__)
  CHECK(as_valid(R"({"name":"k<{lambda()#1}>","args":{"Input Dims": [[2, 3], []], "stream":7}},)") ==
        Values{"[[2, 3], []]", "7", ""});
  CHECK(as_valid(R"({"name":"args","cat":"a","args" : { } } ])") == Values{"", "", ""});
  CHECK(as_valid(R"({"args":{"a":["stream",":"],"b":"}","stream" : "7" }}])") == Values{"", R"("7")", ""});
  CHECK(as_valid(R"({"args":{"streams":1,"stream":2,"stream":[3]}},)") == Values{"", "[3]", ""});
#endif
  // What is asked of all GPU activity is found this way.
  const std::string kernel =
      R"({"ph":"X","args":{"blocks per SM":1.5,"grid":[110, 1, 1],"est. achieved occupancy %":31}},)" +
      std::string(64, '\0');
  std::vector<std::string_view> values(gpu_argument_keys().size());
  const std::string_view text = std::string_view(kernel).substr(0, kernel.size() - 64);
#if defined(__SSE2__)
  CHECK(read_valid_arguments(text, gpu_argument_keys(), values));
  CHECK(parse_gpu_arguments(values).occupancy == 31);
#endif
  // Left to the others: escapes, objects, what follows args, no args, an event cut off.
  for (const char* odd : {R"({"name":"a"","args":{"stream":7}},)", R"({"args":{"x":"\","stream":7}},)",
                          R"({"args":{"o":{"stream":1},"stream":7}},)", R"({"id2":{},"args":{"stream":7}},)",
                          R"({"args":{"stream":7},"args":{}},)", R"({"name":"a"},{"args":{"stream":7}},)",
                          R"({"args":{"stream":7)", R"({"args":{"stream":[7)", R"({"args":7},)", ""}) {
    CAPTURE(odd);
    CHECK_FALSE(as_valid(odd).has_value());
  }
}

TEST_CASE("args of well-formed events are those that the walker finds, whatever they hold") {
  std::mt19937 random(9);
  const auto one_of = [&](std::initializer_list<const char*> texts) {
    return std::string(texts.begin()[random() % texts.size()]);
  };
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto space = [&] { return one_of({"", " ", "\n      "}); };
    const auto value = [&] {
      return one_of({"7", "-1.5e3", R"("")", R"("stream")", R"("a{b}, c: [d]")", "[]", R"([[2, 3], ["x]"]])", "true",
                     "null", R"({"stream": 1})", R"("esc\\")", R"x("void f<g::{lambda(int)#1}>(h)")x"});
    };
    const auto members = [&](std::initializer_list<const char*> names, const std::string& last) {
      std::string text = "{";
      for (std::uint32_t n = static_cast<std::uint32_t>(random()) % 7; n > 0; --n)
        text += space() + "\"" + one_of(names) + "\"" + space() + ":" + space() + value() + ",";
      if (last.empty() && text.size() > 1) text.pop_back();
      return text + last + space() + "}";
    };
    const std::string args = members({"Input Dims", "stream", "Input Dimsx", "strea", "x", "args"}, "");
    const std::string event =
        members({"name", "cat", "a", "args2", "argument"}, "\"args\"" + space() + ":" + space() + args) +
        one_of({",", " ]", "}"});
    const auto valid = as_valid(event);
    const auto slow = by_walking(event);
    CAPTURE(event);
    REQUIRE(slow.has_value());
    if (!valid) continue;
    ++accepted;
    CHECK(*valid == *slow);
  }
#if defined(__SSE2__)
  CHECK(accepted > 3000);
#endif
}

}  // namespace
}  // namespace lacuna
