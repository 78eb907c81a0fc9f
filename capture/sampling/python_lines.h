#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lacuna {

/// The source position of an instruction of a Python function. Lines count from 1, columns are bytes from 0.
struct SourcePlace {
  std::uint32_t line = 0;  ///< 0 = not known
  std::uint32_t end_line = 0;
  std::int32_t column = -1;  ///< -1 = not known
  std::int32_t end_column = -1;
};

/// How a version of Python encodes the line of an instruction.
enum class LineTable : std::uint8_t {
  kLnotab,     ///< up to 3.9: co_lnotab
  kLines,      ///< 3.10: co_linetable
  kLocations,  ///< from 3.11: co_linetable with columns
};

/// Returns the position of the instruction at byte `offset` of a function whose first line is `first_line`. The table
/// comes from another process and may hold any bytes.
SourcePlace place_of_instruction(LineTable kind, std::string_view table, std::uint32_t first_line,
                                 std::uint32_t offset);

/// Returns what a call expression calls: "zlib.compress" for "x = zlib.compress(data, 6)" with the columns of the call.
/// Empty when the text is no call of something that has a name.
std::string_view called_name(std::string_view call);

/// Whether the source text is a call.
bool is_call(std::string_view source);

/// Returns what a whole line calls, for versions of Python without columns; empty when it may call several things.
std::string_view only_call(std::string_view line);

}  // namespace lacuna
