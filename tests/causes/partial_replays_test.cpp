#include "model/causes/partial_replays.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

constexpr std::string_view kTenNodes = "abcdefghij";

/// Launches, each with what it started: a letter a node.
struct MadeReplays {
  TraceMaker make;
  std::uint64_t launched = 0;

  MadeReplays& replay(std::string_view nodes, std::string_view call = "cudaGraphLaunch", bool from_the_last = false) {
    const Nanos begin = static_cast<Nanos>(++launched) * 100'000;
    make.launch(call, begin, begin + 10, launched);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Nanos start = begin + 100 * static_cast<Nanos>(from_the_last ? nodes.size() - n : n + 1);
      make.kernel(nodes.substr(from_the_last ? nodes.size() - 1 - n : n, 1), start, start + 50, launched);
    }
    return *this;
  }
  MadeReplays& replays(std::string_view nodes, int count) {
    for (int n = 0; n < count; ++n) replay(nodes);
    return *this;
  }
  /// "LAUNCH: MISSING of NODES", of each that was found; launches count from 1.
  std::vector<std::string> found() {
    const Trace trace = make.build();
    std::vector<std::string> all;
    for (const PartialReplay& replay : find_partial_replays(trace))
      all.push_back(std::to_string(trace.span(replay.launch).begin / 100'000) + ": " + std::to_string(replay.missing) +
                    " of " + std::to_string(replay.nodes));
    return all;
  }
};

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE("partial replays: three that look the same show what the graph has") {
  CHECK(MadeReplays().replays(kTenNodes, 3).replay("abcdefghi").found() == Found{"4: 1 of 10"});
  CHECK(MadeReplays().replays(kTenNodes, 2).replay("abcdefghi").found().empty());
  CHECK(MadeReplays().replays(kTenNodes, 4).found().empty());
}

TEST_CASE("partial replays: graphs of eight nodes on") {
  CHECK(MadeReplays().replays("abcdefgh", 3).replay("abcdefg").found() == Found{"4: 1 of 8"});
  CHECK(MadeReplays().replays("abcdefg", 3).replay("abcdef").found().empty());
}

TEST_CASE("partial replays: half of the nodes are there, wherever the others lack") {
  CHECK(MadeReplays().replays(kTenNodes, 3).replay("acegi").found() == Found{"4: 5 of 10"});
  CHECK(MadeReplays().replays(kTenNodes, 3).replay("fghij").found() == Found{"4: 5 of 10"});
  CHECK(MadeReplays().replays(kTenNodes, 3).replay("aceg").found().empty());
  CHECK(MadeReplays().replays("abcdefgh", 3).replay("aceg").found() == Found{"4: 4 of 8"});
  CHECK(MadeReplays().replays("abcdefgh", 3).replay("ace").found().empty());
}

TEST_CASE("partial replays: what is in another order, or has another node, is of another graph") {
  CHECK(MadeReplays().replays(kTenNodes, 3).replay("abcdefgih").found().empty());
  CHECK(MadeReplays().replays(kTenNodes, 3).replay("abcdefghx").found().empty());
  CHECK(MadeReplays().replays(kTenNodes, 3).replay("abcdefghijk").found().empty());
}

TEST_CASE("partial replays: what came twice is a graph of its own") {
  CHECK(MadeReplays().replays(kTenNodes, 3).replays("abcdefghi", 2).found().empty());
}

TEST_CASE("partial replays: of several graphs the smallest, in the order of the launches") {
  CHECK(MadeReplays().replays("abcdefghijkl", 3).replays(kTenNodes, 3).replay("abcdefghi").found() ==
        Found{"7: 1 of 10"});
  CHECK(MadeReplays().replays(kTenNodes, 3).replays("abcdefghijkl", 3).replay("abcdefghi").found() ==
        Found{"7: 1 of 10"});
  CHECK(MadeReplays().replay("bcdefghij").replays(kTenNodes, 3).replay("abcdefghi").found() ==
        Found{"1: 1 of 10", "5: 1 of 10"});
}

TEST_CASE("partial replays: nodes count in the order of their starts") {
  CHECK(MadeReplays().replays(kTenNodes, 3).replay("abcdefghi", "cudaGraphLaunch", true).found() ==
        Found{"4: 1 of 10"});
}

TEST_CASE("partial replays: Ascend's calls are no graphs") {
  MadeReplays made;
  for (int n = 0; n < 3; ++n) made.replay(kTenNodes, "AscendCL@aclnnMm");
  CHECK(made.replay("abcdefghi", "AscendCL@aclnnMm").found().empty());
}

TEST_CASE("partial replays: each file by itself") {
  MadeReplays made;
  made.replays(kTenNodes, 3).make.next_file();
  made.launched = 0;
  CHECK(made.replay("abcdefghi").found().empty());
}
