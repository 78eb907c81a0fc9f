#include "model/base/stable_sort.h"

#include <algorithm>
#include <numeric>

namespace lacuna {

std::vector<std::uint32_t> stable_order(std::uint32_t count, const void* rows, RowsBefore before) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [=](std::uint32_t a, std::uint32_t b) { return before(rows, a, b); });
  return order;
}

}  // namespace lacuna
