// Random damage to real traces: never a crash, never a hang, never an intact event lost uncounted.
#include <cstdlib>
#include <random>

#include <fmt/format.h>

#include "import_support.h"
#include "tests/support/rounds.h"
#include "tests/support/skip.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

/// Changes a few bytes, cuts a piece out, doubles one, or puts odd text in.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  constexpr std::string_view kOdd[] = {"\"", "\\",   "{",    "}",   "[",   "]",    ",",   ":",
                                       "\n", "\x01", "\xFF", "NaN", "},{", "\"}]", "null"};
  const std::size_t changes = 1 + below(4);
  for (std::size_t i = 0; i < changes && text.size() > 64; ++i) {
    const std::size_t at = below(text.size() - 32);
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(30));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() - 32), 1 + below(30)));
        break;
      case 3:
        text.insert(at, kOdd[below(std::size(kOdd))]);
        break;
      default:
        text[at] = "\"\\{}[],:"[below(8)];
        break;
    }
  }
  return text;
}

/// Everything that says that text was mended or skipped, or that an event could not be shown as one.
/// None of it is in the sound traces.
std::uint64_t damage(const ImportReport& report) {
  std::uint64_t sum = 0;
  for (auto f = Finding::kTrailingComma; f < Finding::kCount; f = static_cast<Finding>(static_cast<int>(f) + 1))
    sum += report.count(f);
  return sum + report.count(Finding::kNotAnEvent);
}

}  // namespace

TEST_CASE("mutations of real traces") {
  const std::string folder = shared_traces();
  if (folder.empty()) {
    skip("the shared traces are not there");
    return;
  }
  // 1000 in all; more by hand: LACUNA_MUTATIONS=1000 test_import -tc="mutations*"
  const char* const wanted = std::getenv("LACUNA_MUTATIONS");
  const int mutations = wanted != nullptr ? std::atoi(wanted) : rounds(334);
  for (const char* name : {"/quirks/kineto__after_fix_trace.json", "/tracelens_mi300x_sglang_decode_hipgraph.json.gz",
                           "/quirks/speedscope__Trace-20230603T221323.json"}) {
    const std::string original = read_decompressed(folder + name);
    const ReadResult sound = read_text(original);
    const std::uint64_t events = sound.events();
    REQUIRE(events > 0);
    REQUIRE(damage(sound.report) == 0);
    for (int seed = 0; seed < mutations; ++seed) {
      CAPTURE(name);
      CAPTURE(seed);
      std::mt19937 random(static_cast<unsigned>(seed));
      const std::string text = mutated(original, random);
      const ReadResult read = read_text(text, cut_every(20'000));
      if (!read.result) continue;  // an error is an answer
      // An event that is not there any more was counted as something else.
      if (read.events() < events) REQUIRE(damage(read.report) > 0);
      // Where it is cut must not matter for damaged files either.
      ImportOptions whole;
      whole.threads = 1;
      CHECK((lines(read_text(text, whole)) == lines(read)));
    }
  }
}
