#include "model/torch/torch_tree.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/model/torch_support.h"

using namespace lacuna;

namespace {

/// A trace with its events and tree, which refer to each other.
struct Built {
  Trace trace;
  TorchEvents events;
  TorchTree tree;

  explicit Built(const TorchTrace& text) : trace(text.load()), events(trace), tree(events) {}

  std::uint32_t find(std::string_view name, std::uint32_t skip = 0) const {
    for (std::uint32_t i = 0; i < events.size(); ++i)
      if (events.names().text(events.name(i)) == name && skip-- == 0) return i;
    FAIL("no event ", std::string(name));
    return 0;
  }
  std::string parent(std::string_view name, std::uint32_t skip = 0) const {
    const std::uint32_t p = tree.parent(find(name, skip));
    return p == TorchTree::kNone ? "" : std::string(events.names().text(events.name(p)));
  }
  double self(std::string_view name) const { return tree.self_cpu(find(name)); }
};

}  // namespace

TEST_CASE("an event is a child when it lies inside, without tolerance") {
  const Built b(TorchTrace()
                    .op("outer", 0, 1000)
                    .op("starts with it", 0, 100)
                    .op("ends with it", 900, 1000)
                    .op("1 ns too long", 950, 1001));
  CHECK(b.parent("starts with it") == "outer");
  CHECK(b.parent("ends with it") == "outer");
  CHECK(b.parent("1 ns too long") == "");
  CHECK(b.self("outer") == doctest::Approx(0.8));
  CHECK(b.self("1 ns too long") == doctest::Approx(0.051));
}

TEST_CASE("an event that touches the end of another is beside it") {
  const Built b(TorchTrace().op("first", 0, 100).op("second", 100, 200).op("empty", 200, 200));
  CHECK(b.parent("second") == "");
  CHECK(b.parent("empty") == "");
}

TEST_CASE("partial overlap makes no relation, cuts nothing and closes what it leaves") {
  // outer  ##########
  // cross       ##########
  // late          ##          inside both, but outer was closed by cross
  // own        ##             inside outer alone
  const Built b(TorchTrace().op("outer", 0, 1000).op("own", 300, 400).op("cross", 500, 1500).op("late", 600, 700));
  CHECK(b.parent("cross") == "");
  CHECK(b.parent("own") == "outer");
  CHECK(b.parent("late") == "cross");
  CHECK(b.self("outer") == doctest::Approx(0.9));
  CHECK(b.self("cross") == doctest::Approx(0.9));
}

TEST_CASE("self time is never clamped") {
  // Two children that overlap each other take their time from the parent twice.
  const Built b(TorchTrace().op("parent", 0, 1000).op("a", 0, 800).op("b", 100, 900));
  CHECK(b.parent("a") == "parent");
  CHECK(b.parent("b") == "parent");
  CHECK(b.self("parent") == doctest::Approx(-0.6));
}

TEST_CASE("of two equal intervals the first in the file is the outer one") {
  const Built b(TorchTrace().op("second in name", 0, 100).op("a", 0, 100));
  CHECK(b.parent("a") == "second in name");
  CHECK(b.self("second in name") == 0);
}

TEST_CASE("threads do not mix, and neither do CPU and GPU") {
  const Built b(TorchTrace().op("one", 0, 1000, 0, 1).op("two", 100, 200, 0, 2).kernel("k", 100, 200));
  CHECK(b.parent("two") == "");
  CHECK(b.parent("k") == "");
  CHECK(b.self("one") == doctest::Approx(1.0));
  CHECK(b.self("k") == 0);
}

TEST_CASE("an only child of the same name is merged into its parent") {
  const Built b(TorchTrace().op("x", 0, 1000).op("x", 100, 900).op("x", 200, 800).op("y", 300, 500));
  const std::uint32_t top = b.find("x");
  CHECK_FALSE(b.tree.is_duplicate(top));
  CHECK(b.tree.is_duplicate(b.find("x", 1)));
  CHECK(b.tree.is_duplicate(b.find("x", 2)));
  CHECK(b.tree.merged_into(b.find("x", 2)) == top);
  CHECK(b.tree.self_cpu(top) == doctest::Approx(0.8));  // y is now its child
}

TEST_CASE("a child of the same name that is not the only one stays") {
  const Built b(TorchTrace().op("x", 0, 1000).op("x", 100, 400).op("x", 500, 900));
  CHECK_FALSE(b.tree.is_duplicate(b.find("x", 1)));
  CHECK_FALSE(b.tree.is_duplicate(b.find("x", 2)));
  const Built other(TorchTrace().op("x", 0, 1000).op("x", 100, 400).op("y", 500, 900));
  CHECK_FALSE(other.tree.is_duplicate(other.find("x", 1)));
}

TEST_CASE("names decide after demangling and ProfilerStep*") {
  const Built b(TorchTrace().annotation("ProfilerStep#1", 0, 1000).annotation("ProfilerStep#2", 0, 900));
  CHECK(b.tree.is_duplicate(b.find("ProfilerStep*", 1)));
}

TEST_CASE("kernels add up: own, then those of children; streams count twice") {
  const Built b(TorchTrace()
                    .op("outer", 0, 1000, 1)
                    .op("inner", 100, 500, 2)
                    .kernel("a", 200, 700, 2, 7)
                    .kernel("b", 300, 900, 2, 8)  // at the same time on another stream
                    .kernel("c", 1000, 1100, 1)
                    .kernel("nobody's", 2000, 2100));
  const std::uint32_t outer = b.find("outer"), inner = b.find("inner");
  CHECK(b.tree.device_total(inner) == doctest::Approx(1.1));
  CHECK(b.tree.self_device(inner) == doctest::Approx(1.1));
  CHECK(b.tree.device_total(outer) == doctest::Approx(1.2));
  CHECK(b.tree.self_device(outer) == doctest::Approx(0.1));
  CHECK(b.tree.device_total(b.find("a")) == doctest::Approx(0.5));
  CHECK(b.tree.self_device(b.find("a")) == doctest::Approx(0.5));
}

TEST_CASE("merging takes over the child's kernels and loses the parent's, as torch does") {
  const Built b(TorchTrace()
                    .op("x", 0, 1000, 1)
                    .op("x", 100, 900, 2)
                    .op("y", 200, 300, 3)
                    .kernel("of the parent", 2000, 2100, 1)
                    .kernel("of the child", 2100, 2300, 2)
                    .kernel("of y", 2300, 2600, 3));
  const std::uint32_t top = b.find("x");
  CHECK(b.tree.self_device(top) == doctest::Approx(0.2));
  CHECK(b.tree.device_total(top) == doctest::Approx(0.5));
  CHECK(b.tree.has_lost_kernels(top));
  CHECK_FALSE(b.tree.has_lost_kernels(b.find("x", 1)));
}

TEST_CASE("a trace without a GPU has no device times") {
  const Built b(TorchTrace().op("a", 0, 100));
  CHECK(b.events.device_name().empty());
  CHECK(b.tree.device_total(0) == 0);
  CHECK(b.tree.self_device(0) == 0);
}

TEST_CASE("deep and long: one pass") {
  TorchTrace text;
  for (int i = 0; i < 500; ++i) text.op("deep" + std::to_string(i), i, 2000 - i);
  const Built b(text);
  CHECK(b.parent("deep499") == "deep498");
  CHECK(b.self("deep0") == doctest::Approx(0.002));
}
