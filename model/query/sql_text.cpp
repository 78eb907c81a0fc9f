#include "model/query/sql_text.h"

#include <algorithm>

namespace lacuna {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool is_sql_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_word(char c) {
  return starts_word(c) || is_sql_digit(c) || c == '$';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

}  // namespace

std::vector<SqlToken> sql_tokens(std::string_view text) {
  using Kind = SqlToken::Kind;
  std::vector<SqlToken> tokens;
  std::size_t at = 0;
  const auto peek = [&](std::size_t ahead) { return at + ahead < text.size() ? text[at + ahead] : '\0'; };
  while (at < text.size()) {
    const char c = text[at];
    if (is_space(c)) {
      ++at;
      continue;
    }
    if (c == '-' && peek(1) == '-') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '/' && peek(1) == '*') {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
      continue;
    }
    SqlToken token{Kind::kSymbol, at, at + 1};
    if (c == '\'' || c == '"' || c == '`') {
      token.kind = c == '\'' ? Kind::kString : Kind::kQuotedName;
      std::size_t end = at + 1;
      while (end < text.size()) {
        if (text[end] == c) {
          if (end + 1 < text.size() && text[end + 1] == c) {
            end += 2;
            continue;
          }
          break;
        }
        ++end;
      }
      token.end = std::min(end + 1, text.size());
    } else if (c == '[') {
      token.kind = Kind::kQuotedName;
      const std::size_t end = text.find(']', at);
      token.end = end == std::string_view::npos ? text.size() : end + 1;
    } else if (starts_word(c)) {
      token.kind = Kind::kWord;
      while (token.end < text.size() && continues_word(text[token.end])) ++token.end;
    } else if (is_sql_digit(c) || (c == '.' && is_sql_digit(peek(1)))) {
      token.kind = Kind::kNumber;
      while (token.end < text.size() && (continues_word(text[token.end]) || text[token.end] == '.' ||
                                         ((text[token.end] == '+' || text[token.end] == '-') &&
                                          lower(text[token.end - 1]) == 'e' && lower(text[at + 1]) != 'x')))
        ++token.end;
    } else if ((c == '$' || c == ':' || c == '@') && starts_word(peek(1))) {
      token.kind = Kind::kVariable;
      while (token.end < text.size() && continues_word(text[token.end])) ++token.end;
    }
    tokens.push_back(token);
    at = token.end;
  }
  return tokens;
}

bool is_word(std::string_view text, const SqlToken& token, std::string_view word) {
  const std::string_view written = token.in(text);
  return token.kind == SqlToken::Kind::kWord &&
         std::ranges::equal(written, word, [](char a, char b) { return lower(a) == lower(b); });
}

std::vector<SqlStatement> split_statements(std::string_view text) {
  std::vector<SqlStatement> statements;
  bool is_open = false;
  for (const SqlToken& token : sql_tokens(text)) {
    if (token.in(text) == ";") {
      is_open = false;
    } else if (is_open) {
      statements.back().end = token.end;
    } else {
      statements.push_back({token.begin, token.end});
      is_open = true;
    }
  }
  return statements;
}

}  // namespace lacuna
