#include "model/query/query_rows.h"

#include <bit>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace lacuna {
namespace {

std::string_view cell_view(const Cell& cell) {
  return cell.kind == Cell::Kind::kOwnedText ? std::string_view(cell.owned) : cell.text;
}

int rank_of(Cell::Kind kind) {
  return kind == Cell::Kind::kNull ? 0 : kind == Cell::Kind::kInteger || kind == Cell::Kind::kReal ? 1 : 2;
}

}  // namespace

void QueryRows::start(std::span<const std::string> names) {
  names_.assign(names.begin(), names.end());
  columns_.assign(names_.size(), {});
  rows_ = 0;
  bytes_ = 0;
}

bool QueryRows::add(std::span<const Cell> row, std::uint64_t most_bytes) {
  std::uint64_t more = 9 * row.size();
  for (const Cell& cell : row)
    if (rank_of(cell.kind) == 2) more += cell_view(cell).size() + sizeof(std::uint32_t);
  if (bytes_ + more > most_bytes) return false;
  bytes_ += more;
  for (std::size_t i = 0; i < row.size() && i < columns_.size(); ++i) {
    const Cell& cell = row[i];
    Column& column = columns_[i];
    std::int64_t value = 0;
    Cell::Kind kind = cell.kind;
    switch (cell.kind) {
      case Cell::Kind::kNull:
        break;
      case Cell::Kind::kInteger:
        value = cell.integer;
        column.has_integers = true;
        break;
      case Cell::Kind::kReal:
        value = std::bit_cast<std::int64_t>(cell.real);
        column.has_reals = true;
        break;
      case Cell::Kind::kText:
      case Cell::Kind::kOwnedText: {
        kind = Cell::Kind::kText;
        value = static_cast<std::int64_t>(column.texts.size());
        const std::string_view text = cell_view(cell);
        const auto size = static_cast<std::uint32_t>(text.size());
        column.texts.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
        column.has_texts = true;
        break;
      }
    }
    column.values.push_back(value);
    column.kinds.push_back(kind);
  }
  ++rows_;
  return true;
}

Cell QueryRows::cell(std::size_t row, std::size_t column) const {
  const Column& from = columns_[column];
  const std::int64_t value = from.values[row];
  switch (from.kinds[row]) {
    case Cell::Kind::kInteger:
      return Cell::of(value);
    case Cell::Kind::kReal:
      return Cell::of_real(std::bit_cast<double>(value));
    case Cell::Kind::kText:
    case Cell::Kind::kOwnedText: {
      std::uint32_t size = 0;
      const char* at = from.texts.data() + value;
      std::memcpy(&size, at, sizeof size);
      return Cell::of_text({at + sizeof size, size});
    }
    case Cell::Kind::kNull:
      break;
  }
  return Cell::null();
}

Cell::Kind QueryRows::kind(std::size_t column) const {
  const Column& of = columns_[column];
  if (of.has_texts) return Cell::Kind::kText;
  if (of.has_reals) return Cell::Kind::kReal;
  return of.has_integers ? Cell::Kind::kInteger : Cell::Kind::kNull;
}

bool QueryRows::is_before(std::size_t a, std::size_t b, std::size_t column) const {
  const Cell x = cell(a, column), y = cell(b, column);
  const int rank = rank_of(x.kind);
  if (rank != rank_of(y.kind)) return rank < rank_of(y.kind);
  if (rank == 0) return false;
  if (rank == 2) return x.text < y.text;
  if (x.kind == Cell::Kind::kInteger && y.kind == Cell::Kind::kInteger) return x.integer < y.integer;
  const auto number = [](const Cell& c) {
    return c.kind == Cell::Kind::kReal ? c.real : static_cast<double>(c.integer);
  };
  return number(x) < number(y);
}

std::string cell_text(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kNull:
      return "";
    case Cell::Kind::kInteger:
      return std::to_string(cell.integer);
    case Cell::Kind::kReal:
      return fmt::format("{}", cell.real);
    case Cell::Kind::kText:
      return std::string(cell.text);
    case Cell::Kind::kOwnedText:
      return cell.owned;
  }
  return {};
}

}  // namespace lacuna
