#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lacuna {

/// The words of a command line that runs a command (`lacuna record`, `lacuna live`): CLI11 would take the "--" behind
/// an option whose value may be missing (--live) for a part of that option.
struct SplitWords {
  std::vector<std::string> ours;                    ///< up to the first "--"; the program's name is not in it
  std::optional<std::vector<std::string>> command;  ///< behind it; nothing: there is no "--"
};
SplitWords split_words_of(int argc, const char* const* argv);

}  // namespace lacuna
