#include "app/cli/remote_words.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lacuna {
namespace {

/// Takes the value of `option` at words[i], which may be its own word or stand behind "=". False: it is another word.
bool take_value(const std::vector<std::string>& words, std::size_t& i, std::string_view option, std::string& value,
                std::string& problem) {
  const std::string_view word = words[i];
  const bool was_given = !value.empty();
  if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
    value = word.substr(option.size() + 1);
  } else if (word == option && i + 1 < words.size()) {
    value = words[++i];
  } else if (word == option) {
    problem = std::string(option) + " needs a value";
    return true;
  } else {
    return false;
  }
  if (value.empty()) problem = std::string(option) + " needs a value";
  if (was_given) problem = std::string(option) + " is given twice";
  return true;
}

}  // namespace

RemoteWords take_remote_words(int argc, const char* const* argv) {
  RemoteWords taken;
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      taken.words.insert(taken.words.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (take_value(words, i, "--on", taken.host, taken.problem)) continue;
    if (take_value(words, i, "--transport", taken.transport, taken.problem)) continue;
    if (words[i] == "--no-fetch") {
      taken.stays_there = true;
    } else {
      taken.words.push_back(words[i]);
    }
  }
  if (taken.problem.empty() && taken.stays_there && !taken.is_set())
    taken.problem = "--no-fetch is for traces of another machine: lacuna --on HOST --no-fetch TRACE";
  return taken;
}

std::vector<std::string> record_words_of_live(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 2> kKept = {"--keep-seconds", "--keep-gb"};
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == 0 && words[i] == "live") continue;
    if (words[i] == "--") {
      result.insert(result.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    std::string value;
    std::string problem;
    const bool is_kept = std::ranges::any_of(
        kKept, [&](std::string_view option) { return take_value(words, i, option, value, problem); });
    if (!is_kept) result.push_back(words[i]);
  }
  return result;
}

std::vector<std::string> without_flag(std::vector<std::string> words, const std::string& flag) {
  const auto end = std::ranges::find(words, "--");
  const auto kept = std::remove(words.begin(), end, flag);
  words.erase(kept, end);
  return words;
}

}  // namespace lacuna
