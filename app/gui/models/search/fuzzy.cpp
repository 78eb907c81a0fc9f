#include "app/gui/models/search/fuzzy.h"

#include <algorithm>
#include <string>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostTyped = 64;
constexpr std::size_t kMostText = 512;
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";  // "Open…"
constexpr int kNever = -1'000'000;
constexpr int kLetter = 1;
constexpr int kWordStart = 7;
constexpr int kRun = 9;  // follows the letter before directly
constexpr int kTextStart = 3;
constexpr int kWholeWord = 25;
constexpr int kLongestSkip = 6;  // skipping more letters costs no more
constexpr int kLongestLead = 3;  // … before the first

bool is_letter(char c) {
  return is_ascii_letter(c) || is_digit(c) || (c & 0x80) != 0;
}

bool starts_word(std::string_view text, std::size_t i) {
  if (i == 0 || !is_letter(text[i])) return i == 0;
  return !is_letter(text[i - 1]) || (is_ascii_upper(text[i]) && !is_ascii_upper(text[i - 1]));
}

/// Whether each word of `typed` stands in `text` as a whole word.
bool has_whole_words(std::string_view typed, std::string_view text) {
  const std::string words = to_lower(typed), lower = to_lower(text);
  const auto is_edge = [&](std::size_t at) {
    return at >= lower.size() || !is_letter(lower[at]) || lower.compare(at, kEllipsis.size(), kEllipsis) == 0;
  };
  bool any = false;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string_view word = std::string_view(words).substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    bool is_there = false;
    for (std::size_t i = lower.find(word); i != std::string::npos && !is_there; i = lower.find(word, i + 1))
      is_there = (i == 0 || is_edge(i - 1)) && is_edge(i + word.size());
    if (!is_there) return false;
    any = true;
  }
  return any;
}

int worth(std::string_view text, std::size_t i) {
  return kLetter + (starts_word(text, i) ? kWordStart : 0) + (i == 0 ? kTextStart : 0);
}

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(std::string_view typed, std::string_view text) {
  std::string wanted;
  for (const char c : typed.substr(0, kMostTyped)) {
    if (c != ' ') wanted += to_lower(c);
  }
  if (wanted.empty()) return FuzzyMatch{};
  text = text.substr(0, kMostText);
  const std::size_t n = text.size();
  if (wanted.size() > n) return std::nullopt;

  // best[i * n + j]: the first i + 1 letters, the last of them at j; from: where the one before lies.
  std::vector<int> best(wanted.size() * n, kNever);
  std::vector<std::uint32_t> from(wanted.size() * n, 0);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    int reached = kNever;  // best[i - 1][k] for k < j, less what skipping to j costs
    std::uint32_t reached_at = 0;
    for (std::size_t j = i; j < n; ++j) {
      if (i > 0) {
        const int before = best[(i - 1) * n + j - 1];
        if (before > reached) {
          reached = before;
          reached_at = static_cast<std::uint32_t>(j - 1);
        }
      }
      if (to_lower(text[j]) == wanted[i]) {
        int& score = best[i * n + j];
        if (i == 0) {
          score = worth(text, j) - static_cast<int>(std::min<std::size_t>(j, kLongestLead));
        } else if (reached > kNever) {
          const int skipped = static_cast<int>(std::min<std::size_t>(j - 1 - reached_at, kLongestSkip));
          score = reached - skipped + worth(text, j) + (skipped == 0 ? kRun : 0);
          from[i * n + j] = reached_at;
          const int run = best[(i - 1) * n + j - 1];
          if (run > kNever && run + worth(text, j) + kRun > score) {
            score = run + worth(text, j) + kRun;
            from[i * n + j] = static_cast<std::uint32_t>(j - 1);
          }
        }
      }
    }
  }
  const auto last = best.end() - static_cast<std::ptrdiff_t>(n);
  const auto top = std::max_element(last, best.end());
  if (*top <= kNever) return std::nullopt;
  FuzzyMatch match;
  match.score = *top + (has_whole_words(typed.substr(0, kMostTyped), text) ? kWholeWord : 0);
  auto at = static_cast<std::size_t>(top - last);
  match.positions.resize(wanted.size());
  for (std::size_t i = wanted.size(); i-- > 0;) {
    match.positions[i] = static_cast<std::uint32_t>(at);
    at = from[i * n + at];
  }
  return match;
}

}  // namespace lacuna
