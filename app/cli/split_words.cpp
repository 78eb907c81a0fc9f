#include "app/cli/split_words.h"

#include <string_view>

namespace lacuna {

SplitWords split_words_of(int argc, const char* const* argv) {
  SplitWords words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool runs_command = !words.ours.empty() && (words.ours.front() == "record" || words.ours.front() == "live" ||
                                                      words.ours.front() == "web");
    if (runs_command && word == "--") {
      words.command.emplace(argv + i + 1, argv + argc);
      break;
    }
    words.ours.emplace_back(word);
  }
  return words;
}

}  // namespace lacuna
