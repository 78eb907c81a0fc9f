#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// One token of SQL; comments and blanks are skipped.
struct SqlToken {
  enum class Kind : unsigned char { kWord, kNumber, kString, kQuotedName, kVariable, kSymbol };
  Kind kind = Kind::kSymbol;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// Returns the tokens of any text, SQL or not: never fails. An unterminated string or comment extends to the end of the
/// text. O(size).
std::vector<SqlToken> sql_tokens(std::string_view text);

/// Whether the token is this word, ignoring case.
bool is_word(std::string_view text, const SqlToken& token, std::string_view word);

/// A statement of a text: a piece between semicolons that has a token, without the semicolons. Together the statements
/// contain every token but the semicolons, in order.
struct SqlStatement {
  std::size_t begin = 0;  ///< offset of its first token
  std::size_t end = 0;    ///< offset behind its last token
};
std::vector<SqlStatement> split_statements(std::string_view text);

}  // namespace lacuna
