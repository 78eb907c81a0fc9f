#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace lacuna {

/// Whether row `a` sorts before row `b`, given by index; `rows` is the caller's pointer.
using RowsBefore = bool (*)(const void* rows, std::uint32_t a, std::uint32_t b);

/// Returns the sorted order of `count` rows as indices. Equal rows keep their order.
std::vector<std::uint32_t> stable_order(std::uint32_t count, const void* rows, RowsBefore before);

/// std::ranges::stable_sort for tables shown to a user: hundreds of rows, not millions. It is compiled once,
/// while each use of the other costs 8 kB of code and a quarter of a second of build time.
/// `rows`: a vector or a span.
template <class Rows, class Less = std::ranges::less, class Key = std::identity>
void sort_stably(Rows&& rows, Less less = {}, Key key = {}) {
  auto* const at = std::data(rows);
  using Row = std::remove_reference_t<decltype(*at)>;
  struct Sorted {
    const Row* rows;
    Less& less;
    Key& key;
  };
  const Sorted sorted{at, less, key};
  std::vector<std::uint32_t> order = stable_order(
      static_cast<std::uint32_t>(std::size(rows)), &sorted, [](const void* given, std::uint32_t a, std::uint32_t b) {
        const auto& of = *static_cast<const Sorted*>(given);
        return static_cast<bool>(
            std::invoke(of.less, std::invoke(of.key, of.rows[a]), std::invoke(of.key, of.rows[b])));
      });
  for (std::uint32_t first = 0; first < order.size(); ++first) {
    if (order[first] == first) continue;
    Row moved = std::move(at[first]);
    std::uint32_t place = first;  // within the cycle that `first` is in
    while (order[place] != first) {
      const std::uint32_t from = std::exchange(order[place], place);
      at[place] = std::move(at[from]);
      place = from;
    }
    at[place] = std::move(moved);
    order[place] = place;
  }
}

}  // namespace lacuna
