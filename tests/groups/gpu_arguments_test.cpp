#include "model/columns/gpu_arguments.h"

#include <array>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

GpuArguments parsed(std::string_view occupancy, std::string_view blocks, std::string_view block) {
  return parse_gpu_arguments(std::array<std::string_view, 5>{"", occupancy, blocks, "[4, 1, 1]", block});
}

TEST_CASE("occupancy: 0 is no estimate where a single block would be more") {
  CHECK(parsed("62", "3.5", "[128, 1, 1]").occupancy == 62);
  // 384 threads on each multiprocessor are 19 % of 2048: Kineto's calculator found no room for them.
  CHECK(parsed("0", "1.0", "[384, 1, 1]").occupancy == -1);
  CHECK(parsed("0", "55.459461", "[480, 1, 1]").occupancy == -1);
  // 20 threads on average are less than 1 %, 22 more.
  CHECK(parsed("0", "0.15625", "[128, 1, 1]").occupancy == 0);
  CHECK(parsed("0", "0.171875", "[128, 1, 1]").occupancy == -1);
  CHECK(parsed("0", "0.05", "[32, 4, 2]").occupancy == 0);
  // Without the grid nobody can tell.
  CHECK(parsed("0", "", "").occupancy == 0);
  CHECK(parsed("", "", "").occupancy == -1);
}

}  // namespace
}  // namespace lacuna
