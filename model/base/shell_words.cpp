#include "model/base/shell_words.h"

#include <algorithm>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr bool is_safe(char c) {
  return is_ascii_letter(c) || is_digit(c) || std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_in_word = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (is_space(c)) {
      if (is_in_word) words.push_back(std::exchange(word, {}));
      is_in_word = false;
      continue;
    }
    is_in_word = true;
    if (c == '\\') {
      if (++i == line.size()) return fail(ErrorCode::kInvalidArgument, "the command ends in a backslash");
      if (line[i] != '\n') word.push_back(line[i]);
    } else if (c == '\'') {
      const std::size_t end = line.find('\'', i + 1);
      if (end == std::string_view::npos) return fail(ErrorCode::kInvalidArgument, "a ' in the command is not closed");
      word.append(line.substr(i + 1, end - i - 1));
      i = end;
    } else if (c == '"') {
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] == '\\' && i + 1 < line.size() &&
            std::string_view("\\\"$`\n").find(line[i + 1]) != std::string_view::npos) {
          ++i;
          if (line[i] == '\n') continue;
        }
        word.push_back(line[i]);
      }
      if (i >= line.size()) return fail(ErrorCode::kInvalidArgument, "a \" in the command is not closed");
    } else {
      word.push_back(c);
    }
  }
  if (is_in_word) words.push_back(std::move(word));
  return words;
}

std::string join_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line.push_back(' ');
    if (!word.empty() && std::ranges::all_of(word, is_safe)) {
      line.append(word);
      continue;
    }
    line.push_back('\'');
    for (const char c : word) {
      if (c == '\'') {
        line.append("'\\''");
      } else {
        line.push_back(c);
      }
    }
    line.push_back('\'');
  }
  return line;
}

}  // namespace lacuna
