#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/query/query_source.h"
#include "model/query/query_table.h"

struct sqlite3;

namespace lacuna {

/// One argument, as a row of the table `args`.
struct ArgumentRow {
  enum class Type : std::uint8_t { kInteger, kText, kReal, kBool };
  std::string key;
  std::string flat_key;
  Type type = Type::kInteger;
  std::int64_t number = 0;
  double real = 0;
  std::string text;
};
std::string_view type_name_of(ArgumentRow::Type type);
/// Returns the value as text: args.display_value.
std::string display_of(const ArgumentRow& row);
/// Returns args.id of the argument at a place of its set.
std::int64_t argument_id(std::uint32_t set, std::size_t place);

/// Reads the args of a set from the file. An event that cannot be read back has none.
std::vector<ArgumentRow> read_argument_set(QuerySource& source, std::uint32_t set);

/// Registers the table `args`, whose rows are read from the file on demand (fastest by arg_set_id), and extract_arg().
/// `source` and `cancel` must outlive the connection.
Result<void> register_arguments(sqlite3* connection, QuerySource& source, const std::atomic<bool>* cancel);

/// The columns of `args` with their descriptions.
const QueryTable& arguments_schema();

}  // namespace lacuna
