#include "model/columns/input_shapes.h"

#include <doctest/doctest.h>

using namespace lacuna;

using Shapes = std::vector<Shape>;
using Strings = std::vector<std::string_view>;

TEST_CASE("shapes: one for each argument; what is no tensor, or a list of them, is empty") {
  CHECK(parse_shapes("[[2, 3], [], [4]]") == Shapes{{2, 3}, {}, {4}});
  CHECK(parse_shapes("[[2, 3], [[4], [5, 6]], [7]]") == Shapes{{2, 3}, {}, {7}});
  CHECK(parse_shapes("[[8, [4], 9], [7]]") == Shapes{{}, {7}});  // no mixture of both
  CHECK(parse_shapes("[[[[4]]], [7]]") == Shapes{{}, {7}});
  CHECK(parse_shapes("[2, [3], 4]") == Shapes{{3}});
  CHECK(parse_shapes("[[-1, 0], [2.5]]") == Shapes{{-1, 0}, {2, 5}});
  CHECK(parse_shapes("[[19], [20]]") == Shapes{{19}, {20}});
  CHECK(parse_shapes("").empty());
  CHECK(parse_shapes("[]").empty());
  CHECK(parse_shapes("[[]").size() == 1);
  CHECK(parse_shapes("]][[5]]") == Shapes{});
}

TEST_CASE("strings of a list: escapes stay, what is cut off counts as far as it goes") {
  CHECK(parse_strings(R"(["a", "", "b c"])") == Strings{"a", "", "b c"});
  CHECK(parse_strings(R"(["a\"b", "c\\", "d"])") == Strings{R"(a\"b)", R"(c\\)", "d"});
  CHECK(parse_strings(R"(["a", "b)") == Strings{"a", "b"});
  CHECK(parse_strings(R"(["a\)") == Strings{R"(a\)"});
  CHECK(parse_strings("[]").empty());
  CHECK(parse_strings("").empty());
}
