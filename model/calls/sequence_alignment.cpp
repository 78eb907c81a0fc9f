#include "model/calls/sequence_alignment.h"

#include <algorithm>

namespace lacuna {
namespace {

enum class AlignStep : std::uint8_t { kNone, kBoth, kFrom, kTo };

/// The cells of the table that lie around its diagonal.
class AlignBand {
 public:
  AlignBand(std::size_t rows, std::size_t columns, std::size_t window)
      : rows_(rows), columns_(columns), window_(window + columns / std::max<std::size_t>(rows, 1)) {}

  /// Of row `i`, the columns from first() to last(), both included.
  std::size_t first(std::size_t i) const {
    const std::size_t middle = i * columns_ / rows_;
    return middle > window_ ? middle - window_ : 0;
  }
  std::size_t last(std::size_t i) const { return std::min(columns_, i * columns_ / rows_ + window_); }
  std::size_t width() const { return std::min(columns_ + 1, 2 * window_ + 1); }

 private:
  std::size_t rows_, columns_, window_;
};

}  // namespace

std::vector<std::uint32_t> align_sequences(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to,
                                           std::size_t window) {
  std::vector<std::uint32_t> aligned(to.size(), kUnaligned);
  const std::size_t shorter = std::min(from.size(), to.size());
  std::size_t begin = 0, end = 0;  // what both begin and end with
  for (; begin < shorter && from[begin] == to[begin]; ++begin) aligned[begin] = static_cast<std::uint32_t>(begin);
  for (; end < shorter - begin && from[from.size() - 1 - end] == to[to.size() - 1 - end]; ++end)
    aligned[to.size() - 1 - end] = static_cast<std::uint32_t>(from.size() - 1 - end);
  const std::size_t rows = from.size() - begin - end, columns = to.size() - begin - end;
  if (rows == 0 || columns == 0) return aligned;

  constexpr std::size_t kMostBytes = std::size_t{64} << 20, kLeastWindow = 64;
  const AlignBand band(rows, columns, std::min(window, std::max(kLeastWindow, kMostBytes / rows / 2)));
  std::vector<AlignStep> steps((rows + 1) * band.width(), AlignStep::kNone);
  std::vector<std::uint32_t> above(columns + 1, 0), row(columns + 1, 0);
  for (std::size_t i = 1; i <= rows; ++i) {
    const std::size_t first = band.first(i), last = band.last(i);
    // Left of the band nothing is known; what is there is of an older row, and no more than what is known above.
    row[first] = above[first];
    steps[i * band.width()] = AlignStep::kFrom;
    for (std::size_t j = std::max<std::size_t>(first, 1); j <= last; ++j) {
      AlignStep& step = steps[i * band.width() + (j - first)];
      const std::uint32_t left = j > first ? row[j - 1] : 0;
      if (from[begin + i - 1] == to[begin + j - 1]) {
        row[j] = above[j - 1] + 1;
        step = AlignStep::kBoth;
      } else if (above[j] >= left) {
        row[j] = above[j];
        step = AlignStep::kFrom;
      } else {
        row[j] = left;
        step = AlignStep::kTo;
      }
    }
    // The next row reaches further to the right.
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(last) + 1, row.end(), row[last]);
    std::swap(above, row);
  }
  for (std::size_t i = rows, j = columns; i > 0 && j > 0;) {
    const std::size_t first = band.first(i);
    if (j < first || j > band.last(i)) {  // beyond the band: back to it
      j < first ? --i : --j;
      continue;
    }
    switch (steps[i * band.width() + (j - first)]) {
      case AlignStep::kBoth:
        aligned[begin + --j] = static_cast<std::uint32_t>(begin + --i);
        break;
      case AlignStep::kTo:
        --j;
        break;
      case AlignStep::kFrom:
      case AlignStep::kNone:
        --i;
        break;
    }
  }
  return aligned;
}

}  // namespace lacuna
