// Call trees of random nests, against adding up slice by slice along the way to the outermost one.

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/calls/call_excerpt.h"
#include "model/calls/call_tree.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

struct PlainNode {
  Nanos total = 0, self = 0, longest = 0;
  std::uint64_t count = 0;
};
using PlainTree = std::map<std::string, PlainNode>;

Trace random_nests(std::mt19937& random) {
  TraceMaker make;
  for (int i = 0; i < 30; ++i) {
    const auto begin = static_cast<Nanos>(random() % 80);
    make.thread("f" + std::to_string(random() % 4), begin, begin + static_cast<Nanos>(random() % 50), "cpu_op",
                random() % 3 == 0 ? "2" : "1");
  }
  return make.build();
}

/// Names from the outermost slice to this one.
std::vector<std::string> stack_of(const Trace& trace, SliceId slice) {
  std::vector<std::string> stack;
  for (; slice.valid(); slice = trace.parent(slice)) stack.insert(stack.begin(), std::string(trace.name(slice)));
  return stack;
}

template <class Visit>
void each_slice(const Trace& trace, Visit visit) {
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i) visit(SliceId{LaneId{l}, i});
}

Nanos self_in(const Trace& trace, SliceId slice, TimeSpan range) {
  const auto inside = [&](SliceId s) { return std::max<Nanos>(0, trace.span(s).intersect(range).duration()); };
  Nanos self = inside(slice);
  each_slice(trace, [&](SliceId other) {
    if (trace.parent(other) == slice) self -= inside(other);
  });
  return self;
}

/// Whether a slice counts in a range: it overlaps it, or has no length and lies in it.
bool is_in(TimeSpan span, TimeSpan range) {
  return span.empty() ? range.contains(span.begin) : span.begin < range.end && span.end > range.begin;
}

PlainTree plain_tree(const Trace& trace, TimeSpan range, bool bottom_up) {
  PlainTree tree;
  each_slice(trace, [&](SliceId slice) {
    if (!is_in(trace.span(slice), range)) return;
    std::vector<std::string> stack = stack_of(trace, slice);
    if (bottom_up) std::ranges::reverse(stack);
    const Nanos self = self_in(trace, slice, range);
    std::string path;
    tree[path].total += self;
    for (std::size_t d = 0; d < stack.size(); ++d) {
      path += "/" + stack[d];
      tree[path].total += self;
      if (d + 1 == stack.size()) tree[path].self += self;
      // Of the slices of the frame itself; bottom-up of the innermost one.
      if (!bottom_up && d + 1 < stack.size()) continue;
      ++tree[path].count;
      tree[path].longest = std::max(tree[path].longest, trace.span(slice).duration());
    }
  });
  return tree;
}

TEST_CASE("call trees of random nests are what their slices add up to, in both directions") {
  std::mt19937 random(15);
  for (int round = 0; round < 120; ++round) {
    const Trace trace = random_nests(random);
    for (const bool bottom_up : {false, true}) {
      CallTreeOptions options;
      options.bottom_up = bottom_up;
      options.threads = 1 + static_cast<unsigned>(round % 2);
      if (round % 3 == 1) options.range = {25, 70};
      const CallTree tree = build_call_tree(trace, options);
      const PlainTree plain = plain_tree(trace, options.range, bottom_up);
      CAPTURE(round);
      CAPTURE(bottom_up);
      // Paths without time may be left out bottom-up.
      PlainTree left = plain;
      for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
        std::string path;
        for (const CallKey& key : tree.path_to(n)) path += "/" + call_label(trace, key);
        CAPTURE(path);
        REQUIRE(left.contains(path));
        const CallNode& node = tree.nodes[n];
        const PlainNode& expected = plain.at(path);
        CHECK(node.total == expected.total);
        CHECK(node.self == expected.self);
        if (n > 0) CHECK(node.count == expected.count);
        if (n > 0) CHECK((node.longest.valid() ? trace.span(node.longest).duration() : 0) == expected.longest);
        left.erase(path);
        for (const CallNode& child : tree.children(node)) CHECK(child.parent == n);
      }
      for (const auto& rest : left) CHECK(rest.second.total == 0);
    }
  }
}

TEST_CASE("an excerpt of a call tree holds together, however few frames it has, and is of the most time") {
  std::mt19937 random(17);
  for (int round = 0; round < 60; ++round) {
    const Trace trace = random_nests(random);
    for (const bool bottom_up : {false, true}) {
      CallTreeOptions options;
      options.bottom_up = bottom_up;
      const CallTree tree = build_call_tree(trace, options);
      std::map<std::vector<std::string>, Nanos> totals;
      for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
        std::vector<std::string> path;
        for (const CallKey& key : tree.path_to(n)) path.push_back(call_label(trace, key));
        totals[path] = tree.nodes[n].total;
      }
      for (std::size_t most = 1; most <= tree.nodes.size(); ++most) {
        const CallExcerpt excerpt = excerpt_calls(trace, tree, most);
        CAPTURE(round);
        CAPTURE(most);
        REQUIRE(is_sound(excerpt));
        CHECK(excerpt.frame_count == tree.nodes.size());
        CHECK(excerpt.tree.nodes.size() <= most);
        if (most == tree.nodes.size()) CHECK(excerpt.tree.nodes.size() == most);
        for (std::uint32_t n = 0; n < excerpt.tree.nodes.size(); ++n) {
          std::vector<std::string> path;
          for (const CallKey& key : excerpt.tree.path_to(n)) path.push_back(excerpt.names[key.name.value]);
          REQUIRE(totals.contains(path));
          CHECK(totals[path] == excerpt.tree.nodes[n].total);
        }
      }
    }
  }
}

TEST_CASE("the slices of a frame are those whose way out is its path") {
  std::mt19937 random(16);
  for (int round = 0; round < 60; ++round) {
    const Trace trace = random_nests(random);
    for (const bool bottom_up : {false, true}) {
      CallTreeOptions options;
      options.bottom_up = bottom_up;
      const CallTree tree = build_call_tree(trace, options);
      for (std::uint32_t n = 1; n < tree.nodes.size(); ++n) {
        std::vector<std::string> path;
        for (const CallKey& key : tree.path_to(n)) path.push_back(call_label(trace, key));
        std::vector<SliceId> expected;
        each_slice(trace, [&](SliceId slice) {
          std::vector<std::string> stack = stack_of(trace, slice);
          if (bottom_up) std::ranges::reverse(stack);
          const bool fits = stack.size() >= path.size() && std::equal(path.begin(), path.end(), stack.begin());
          if (fits && (bottom_up || stack.size() == path.size())) expected.push_back(slice);
        });
        CHECK(find_call_places(trace, options, tree, n) == expected);
      }
    }
  }
}

}  // namespace
}  // namespace lacuna
