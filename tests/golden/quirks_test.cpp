// Every file of the shared folder's quirks/ loads, with the expectation written down for it.

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/trace/import_finding.h"
#include "tests/golden/check_reference.h"
#include "tests/golden/golden_support.h"
#include "tests/golden/quirk_expectations.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

std::string joined(std::vector<std::string> words) {
  std::ranges::sort(words);
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string phases_of(const Trace& trace) {
  std::vector<std::string> words;
  const auto& counts = trace.sources().front().phase_counts;
  for (std::size_t byte = 0; byte < counts.size(); ++byte)
    if (counts[byte] != 0) words.push_back(static_cast<char>(byte) + std::to_string(counts[byte]));
  return joined(words);
}

std::string findings_of(const Trace& trace) {
  std::vector<std::string> words;
  for (const ImportReport::Line& line : trace.report().lines())
    words.push_back(std::string(info(line.finding).key) + "=" + std::to_string(line.count));
  return joined(words);
}

/// The trace of one file of quirks/; empty when the shared folder is not there.
Trace quirk(const char* file) {
  return shared_traces().empty() ? Trace() : load_golden(shared_traces() / "quirks" / file);
}

/// "name[start,end]row" of every slice in ns, by row and start, flags "?" unfinished and "^" spilled.
std::string picture_of(const Trace& trace) {
  std::string text;
  for (const Lane& lane : trace.lanes()) {
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      text += std::string(trace.text(lane.name(i))) + "[" + std::to_string(lane.start(i)) + "," +
              std::to_string(lane.end(i)) + "]" + ((lane.flags(i) & kSliceUnfinished) != 0 ? "?" : "") +
              ((lane.flags(i) & kSliceSpilled) != 0 ? "^" : "") + " ";
    }
    text += "| ";
  }
  return text;
}

std::string arrows_of(const Trace& trace) {
  std::vector<std::string> arrows;
  for (const FlowArrow& arrow : trace.links().flows())
    arrows.push_back(std::string(trace.name(arrow.from)) + "->" + std::string(trace.name(arrow.to)));
  return joined(std::move(arrows));
}

}  // namespace

TEST_CASE("every quirk file loads and shows what is in it") {
  if (shared_traces().empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  for (const QuirkExpectation& expected : kQuirks) {
    CAPTURE(expected.file);
    const Trace trace = load_golden(shared_traces() / "quirks" / expected.file);
    if (trace.sources().empty()) continue;  // counted as a failure already
    CHECK(phases_of(trace) == expected.phases);
    CHECK(findings_of(trace) == expected.findings);
    std::uint64_t rows = 0;
    std::uint64_t instants = 0;
    std::uint64_t samples = 0;
    for (const Track& track : trace.tracks()) {
      rows += track.lane_count;
      instants += track.instants.size();
      samples += track.counter.times.size();
    }
    CHECK(trace.slice_count() == expected.slices);
    CHECK(rows == expected.rows);
    CHECK(instants == expected.instants);
    CHECK(samples == expected.samples);
    CHECK(trace.links().linked == expected.linked);
    CHECK(trace.links().flows().size() == expected.arrows);
    CHECK(trace.span().begin == expected.span.begin);
    CHECK(trace.span().end == expected.span.end);
  }
}

TEST_CASE("no quirk file is forgotten") {
  if (shared_traces().empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  for (const auto& path : files_ending_in(shared_traces() / "quirks", "")) {
    CAPTURE(path.string());
    CHECK(std::ranges::find(kQuirks, path.filename().string(), &QuirkExpectation::file) != kQuirks.end());
  }
}

TEST_CASE("small quirks of the project's own give exactly these slices") {
  const auto picture = [](std::string_view events) {
    const auto trace = import_json(events);
    REQUIRE(trace.has_value());
    return picture_of(*trace);
  };
  const auto event = [](char phase, std::string_view name, int ts, std::string_view more = "") {
    return fmt::format(R"({{"ph":"{}","name":"{}","pid":1,"tid":1,"ts":{}{}}})", phase, name, ts, more);
  };
  const auto list = [](std::initializer_list<std::string> events) {
    std::string text;
    for (const std::string& one : events) text.append(text.empty() ? "[" : ",").append(one);
    return text;
  };
  const std::string a = event('B', "A", 0), b = event('B', "B", 1), end_b = event('E', "B", 9),
                    end_a = event('E', "A", 10);
  const std::string both = "A[0,10000] | B[1000,9000] | ";
  CHECK(picture(list({a, b, end_b, end_a}) + "]") == both);
  CHECK(picture(list({a, b, end_b, end_a}) + ",]") == both);     // a comma too many
  CHECK(picture(list({a, b, end_b, end_a})) == both);            // cut before the end of the list
  CHECK(picture(list({a, b, end_b, end_a}) + ",\n  ") == both);  // and behind a comma
  CHECK(picture(list({end_a, end_b, b, a}) + "]") == both);      // any order in the file
  CHECK(picture(list({a, b}) + "]") == "A[0,1000]? B[1000,1000]? | ");
  CHECK(picture(list({a, event('E', "X", 10)}) + "]") == "A[0,10000] | ");       // an end that says another name
  CHECK(picture(list({event('E', "A", 3), a, end_a}) + "]") == "A[0,3000] | ");  // times decide, not places
  CHECK(picture(list({event('X', "A", 0, R"(,"dur":10)"), event('X', "B", 5, R"(,"dur":10)")}) + "]") ==
        "A[0,10000] | B[5000,15000]^ | ");  // they cross
  CHECK(picture(list({event('X', "A", 0, R"(,"dur":0)"), event('X', "B", 0, R"(,"dur":10)")}) + "]") ==
        "B[0,10000] | A[0,0] | ");
}

TEST_CASE("small quirk files give exactly these slices") {
  if (shared_traces().empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  const auto picture = [](const char* file) { return picture_of(quirk(file)); };
  CHECK(picture("speedscope__simple.json") ==
        "alpha[0,14000] | beta[1000,13000] | gamma[2000,7000] epsilon[7000,7000] | ");
  CHECK(picture("speedscope__simple-partial-trailing-comma.json") == picture("speedscope__simple.json"));
  CHECK(picture("speedscope__simple-partial-whitespace.json") == picture("speedscope__simple.json"));
  CHECK(picture("speedscope__simple-partial.json") == picture("speedscope__simple.json"));
  CHECK(picture("speedscope__only-begin-events.json") == "A[0,2000]? C[2000,2000]? | B[1000,2000]? | ");
  CHECK(picture("speedscope__end-non-top-of-stack.json") == "A[0,10000] Z[10000,11000] | B[1000,11000]?^ | ");
  CHECK(picture("speedscope__invalid-x-nesting.json") == "alpha[0,10000] | beta[5000,15000]^ | ");
  CHECK(picture("speedscope__mismatched-name.json") == "alpha[0,10000] | ");
  CHECK(picture("speedscope__out-of-order.json") == "A[0,10000] | B[1000,9000] | C[2000,8000] | ");
  CHECK(picture("speedscope__unbalanced-name.json") == "alpha[0,9000] | beta[1000,10000]^ | ");
  CHECK(picture("speedscope__unbalanced-args.json") == "A[0,10000] | A[1000,9000] | ");
  CHECK(picture("speedscope__zero-duration-events.json") == "A[0,2000] C[2000,10000] | B[1000,1000] D[3000,3000] | ");
  CHECK(picture("speedscope__matching-x.json") ==
        "alpha[0,10000] | beta[1000,2000] gamma[5000,6000] | gamma[1000,2000] beta[5000,6000] | ");
  CHECK(picture("catapult__nanoseconds.json") ==
        "us1[0,1100] us2[1100,1300] us3[1300,1600] us4[1700,2100] ns1[3000,3011] ns2[3011,3013] "
        "ns3[3013,3016] ns4[3017,3021] | ");
}

TEST_CASE("own flows bind to the enclosing or the next slice") {
  const auto event = [](char phase, std::string_view name, int tid, int ts, std::string_view more) {
    return fmt::format(R"({{"ph":"{}","name":"{}","pid":1,"tid":{},"ts":{},{}}})", phase, name, tid, ts, more);
  };
  std::string text = "[" + event('X', "Sender", 1, 0, R"("dur":10)") + "," + event('X', "Before", 2, 12, R"("dur":2)") +
                     "," + event('X', "Around", 2, 20, R"("dur":10)") + "," + event('X', "Inside", 2, 26, R"("dur":2)");
  struct Flow {
    int start, finish;
    const char* finish_binds;
  };
  int id = 0;
  for (const Flow& flow :
       {Flow{1, 22, R"(,"bp":"e")"}, Flow{2, 22, ""}, Flow{3, 15, ""}, Flow{4, 16, R"(,"bp":"e")"}}) {
    const std::string number = fmt::format(R"("cat":"c","id":{})", ++id);
    text += "," + event('s', "flow", 1, flow.start, number) + "," +
            event('f', "flow", 2, flow.finish, number + flow.finish_binds);
  }
  const auto trace = import_json(text + "]");
  REQUIRE(trace.has_value());
  // The last one ends where nothing is around it, and has no arrow.
  CHECK(arrows_of(*trace) == "Sender->Around Sender->Around Sender->Inside");
}

TEST_CASE("flows bind to the enclosing or the next slice") {
  if (shared_traces().empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  CHECK(arrows_of(quirk("catapult__flow_simple.json")) == "OtherSlice->SomeSlice SenderA->OtherSlice SenderB->Blergh");
}
