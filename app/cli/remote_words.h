#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// `--on HOST`, `--transport 'CMD'` and `--no-fetch`, taken out of a command line, in which they may stand anywhere
/// before a "--".
struct RemoteWords {
  std::vector<std::string> words;  ///< the rest, without the program's name
  std::string host;
  std::string transport;
  bool stays_there = false;  ///< --no-fetch
  std::string problem;       ///< in words; empty: none
  bool is_set() const { return !host.empty() || !transport.empty(); }
};
RemoteWords take_remote_words(int argc, const char* const* argv);

/// The words of `lacuna record` for those of `lacuna live`: without the options of what a window keeps.
std::vector<std::string> record_words_of_live(const std::vector<std::string>& words);

/// `words` without a flag.
std::vector<std::string> without_flag(std::vector<std::string> words, const std::string& flag);

}  // namespace lacuna
