#include "model/search/query.h"

#include <iterator>
#include <random>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("words, phrases and keys") {
  const SearchQuery q = parse_query(R"(  GEMM "Two Words" cat:Kernel stream:7 gpu:0 track:"pt autograd")");
  CHECK(q.words == Strings{"gemm", "two words"});
  CHECK(q.categories == Strings{"kernel"});
  CHECK(q.streams == Strings{"7"});
  CHECK(q.devices == Strings{"0"});
  CHECK(q.tracks == Strings{"pt autograd"});
  CHECK(q.problems.empty());
  CHECK(!q.is_simple());
  CHECK(parse_query("gemm cat:kernel").is_simple());
}

TEST_CASE("names with colons are names") {
  CHECK(parse_query("aten::mm").words == Strings{"aten::mm"});
  CHECK(parse_query("c10:thing").words == Strings{"c10:thing"});
  CHECK(parse_query("\"cat:kernel\"").words == Strings{"cat:kernel"});
  CHECK(parse_query(":").words == Strings{":"});
}

TEST_CASE("durations") {
  CHECK(parse_query("dur:>20us").least == 20'000);
  CHECK(parse_query("dur:>=1.5ms").least == 1'500'000);
  CHECK(parse_query("dur:<2s dur:<3s").most == 2'000'000'000);
  CHECK(parse_query("dur:>1\xC2\xB5s").least == 1'000);
  for (const char* wrong : {"dur:20us", "dur:>", "dur:>5", "dur:>x", "dur:>5 parsecs", "dur:<-1us", "dur:>nanus"}) {
    CAPTURE(wrong);
    CHECK(parse_query(wrong).problems.size() == 1);
  }
}

TEST_CASE("args") {
  const SearchQuery q = parse_query(R"(arg:Stream arg:grid=[1, arg:"Input Dims=[[2, 3]]" ARG:a==b)");
  REQUIRE(q.arguments.size() == 4);
  CHECK(q.arguments[0] == SearchQuery::Argument{"Stream", ""});
  CHECK(q.arguments[1] == SearchQuery::Argument{"grid", "[1,"});
  CHECK(q.arguments[2] == SearchQuery::Argument{"Input Dims", "[[2, 3]]"});
  CHECK(q.arguments[3] == SearchQuery::Argument{"a", "=b"});
  CHECK(parse_query("arg:=7").problems.size() == 1);
}

TEST_CASE("bytes of any kind are no crash and keep their length in bounds") {
  std::mt19937 random(3);
  constexpr std::string_view kParts[] = {"\"", " ",     ":",  "cat",  "dur",    "arg", "=", ">",
                                         "<",  "1e999", "ms", "\xFF", "stream", "-",   "."};
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += kParts[random() % std::size(kParts)];
    const SearchQuery query = parse_query(text);
    CHECK(query.least >= 0);
    CHECK(query.most >= 0);
    std::size_t bytes = 0;
    for (const std::string& word : query.words) bytes += word.size();
    CHECK(bytes <= text.size());
  }
}

TEST_CASE("what is still being typed finds everything so far") {
  CHECK(parse_query("").empty());
  CHECK(parse_query("   ").empty());
  CHECK(parse_query("cat:").empty());
  CHECK(parse_query("\"").empty());
  CHECK(parse_query("gemm stream:") == parse_query("gemm"));
  CHECK(parse_query("\"two wo").words == Strings{"two wo"});
}

}  // namespace
}  // namespace lacuna
