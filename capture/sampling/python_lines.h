#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lacuna {

/// Where an instruction of a Python function stands in its source. Lines from 1, columns are bytes from 0.
struct SourcePlace {
  std::uint32_t line = 0;  ///< 0 = not known
  std::uint32_t end_line = 0;
  std::int32_t column = -1;  ///< -1 = not known
  std::int32_t end_column = -1;
};

/// How a version of Python writes which line an instruction belongs to.
enum class LineTable : std::uint8_t {
  kLnotab,     ///< up to 3.9: co_lnotab
  kLines,      ///< 3.10: co_linetable
  kLocations,  ///< from 3.11: co_linetable with columns
};

/// The place of the instruction at byte `offset` of a function whose first line is `first_line`. The table comes
/// from another process and may be anything.
SourcePlace place_of_instruction(LineTable kind, std::string_view table, std::uint32_t first_line,
                                 std::uint32_t offset);

/// What is called by the source between two places: of "x = zlib.compress(data, 6)" with the columns of the call it is
/// "zlib.compress". Empty where that is no call of something that has a name.
std::string_view called_name(std::string_view call);

/// Is the source between two places a call of anything?
bool is_call(std::string_view source);

/// What a whole line calls, for versions of Python that say no columns: empty where that may be one of several things.
std::string_view only_call(std::string_view line);

}  // namespace lacuna
