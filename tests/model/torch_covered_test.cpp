// Time covered against counting nanoseconds one by one, on random traces.
#include "model/torch/torch_covered.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/torch/torch_format.h"
#include "tests/model/torch_support.h"

using namespace lacuna;

namespace {

constexpr Nanos kLength = 400;

/// One flag per nanosecond.
struct Painted {
  std::vector<bool> ns = std::vector<bool>(kLength + 200, false);
  void paint(Nanos start, Nanos end) {
    for (Nanos t = start; t < end; ++t) ns[static_cast<std::size_t>(t)] = true;
  }
  Nanos covered() const { return std::count(ns.begin(), ns.end(), true); }
};

struct Op {
  std::string name;
  Nanos start, end;
  int parent;  // index, -1 at the top
  int children = 0;
};

}  // namespace

TEST_CASE("random traces: covered times are those of brute force") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    TorchTrace text;
    std::vector<Op> ops;
    // Nested operators of few names, so that recursion is common. A second child keeps torch from
    // merging an only child of the same name, which torch_tree_test looks at.
    for (int tries = 0; tries < 40; ++tries) {
      const int parent = ops.empty() || below(4) == 0 ? -1 : below(static_cast<int>(ops.size()));
      const Nanos low = parent < 0 ? 0 : ops[static_cast<std::size_t>(parent)].start + 1;
      const Nanos high = parent < 0 ? kLength : ops[static_cast<std::size_t>(parent)].end - 1;
      if (high - low < 2) continue;
      const Nanos start = low + below(static_cast<int>(high - low - 1));
      const Nanos end = start + 1 + below(static_cast<int>(high - start));
      bool is_free = true;
      for (const Op& other : ops) is_free &= other.parent != parent || end <= other.start || start >= other.end;
      // It must not lie in, or around, what is there already.
      for (const Op& other : ops)
        if (other.parent == parent) is_free &= !(start <= other.start && end >= other.end);
      if (!is_free) continue;
      ops.push_back({std::string(1, static_cast<char>('a' + below(3))), start, end, parent});
      if (parent >= 0) ++ops[static_cast<std::size_t>(parent)].children;
    }
    bool has_duplicate = false;
    for (const Op& op : ops)
      has_duplicate |= op.parent >= 0 && ops[static_cast<std::size_t>(op.parent)].children == 1 &&
                       ops[static_cast<std::size_t>(op.parent)].name == op.name;
    if (has_duplicate) continue;

    std::map<std::string, Painted> cpu, self, total;
    Painted all;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      text.op(ops[i].name, ops[i].start, ops[i].end, static_cast<int>(i) + 1);
      cpu[ops[i].name].paint(ops[i].start, ops[i].end);
    }
    for (int k = 0; k < 60; ++k) {
      const int op = below(static_cast<int>(ops.size()));
      const Nanos start = below(kLength), end = start + below(60);
      text.kernel("kernel", start, end, op + 1, 7 + below(3));
      all.paint(start, end);
      self[ops[static_cast<std::size_t>(op)].name].paint(start, end);
      for (int e = op; e >= 0; e = ops[static_cast<std::size_t>(e)].parent)
        total[ops[static_cast<std::size_t>(e)].name].paint(start, end);
    }
    const TorchTable table = table_of(text.load(), {.covered = true});
    CHECK(table.device_covered == all.covered());
    CHECK(row_named(table, "kernel", true).device_covered == all.covered());
    for (const auto& [name, painted] : cpu) {
      const TorchRow& row = row_named(table, name);
      CHECK(row.cpu_covered == painted.covered());
      CHECK(row.self_device_covered == self[name].covered());
      CHECK(row.device_covered == total[name].covered());
      CHECK(row.cpu_total * 1000 >= doctest::Approx(static_cast<double>(row.cpu_covered)));
    }
  }
}

TEST_CASE("the overlap of what does not overlap is nothing, not minus nothing") {
  // 0.1 us added up ten times is a little less than 1 us.
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += 0.1;
  REQUIRE(sum < 1.0);
  CHECK(torch_time(torch_overlap(sum, 1000)) == "0.000us");
  CHECK(torch_overlap(3.5, 1000) == 2.5);
  CHECK(torch_overlap(0.5, 1000) == -0.5);  // a real difference stays
}
