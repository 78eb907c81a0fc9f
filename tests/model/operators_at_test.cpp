#include "model/trace/operators_at.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "model/trace/nearest_above.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

TEST_CASE("what runs at a moment is what a look at each lane finds, whatever overlaps") {
  std::mt19937 random(41);
  for (int round = 0; round < 60; ++round) {
    TraceMaker make;
    const Nanos longest = round % 2 == 0 ? 400 : 30;
    for (auto i = random() % 200; i-- > 0;) {
      const auto start = static_cast<Nanos>(random() % 500);
      make.thread("f", start, start + static_cast<Nanos>(random() % static_cast<unsigned>(longest)),
                  random() % 3 == 0 ? "cpu_op" : "python_function", random() % 2 == 0 ? "1" : "2");
    }
    const Trace trace = make.build();
    OperatorsAt operators(trace);
    for (const Track& track : trace.tracks()) {
      for (Nanos t = -1; t < 950; ++t) {
        SliceId slice = trace.innermost_at(track, t);
        REQUIRE(operators.innermost(track.id, t) == slice);
        while (slice.valid() && trace.category_class(slice) != CategoryClass::kCpuOperator) slice = trace.parent(slice);
        REQUIRE(operators.at(track.id, t) == slice);
      }
      CHECK(operators.innermost(track.id, kMaxNanos) == trace.innermost_at(track, kMaxNanos));
    }
  }
}

TEST_CASE("the nearest of what lies above is found again, from every depth") {
  TraceMaker make;
  for (Nanos depth = 0; depth < 300; ++depth)
    make.thread("f", depth, 1000 - depth, depth % 70 == 5 ? "cpu_op" : "python_function");
  const Trace trace = make.build();
  NearestAbove above(trace);
  const SliceId innermost = trace.innermost_at(trace.tracks()[0], 500);
  REQUIRE(innermost.valid());
  for (int again = 0; again < 2; ++again) {
    Nanos depth = 299;
    for (SliceId slice = innermost; slice.valid(); slice = trace.parent(slice), --depth) {
      const SliceId found = above.operator_of(slice);
      REQUIRE(found.valid() == (depth >= 5));
      if (found.valid()) CHECK(trace.span(found).begin == depth - (depth - 5) % 70);
    }
    CHECK(depth == -1);
  }
  CHECK_FALSE(above.operator_of({}).valid());
}
