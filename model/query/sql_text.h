#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// One token of SQL, comments and blanks left out.
struct SqlToken {
  enum class Kind : unsigned char { kWord, kNumber, kString, kQuotedName, kVariable, kSymbol };
  Kind kind = Kind::kSymbol;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// The tokens of any text, SQL or not: never fails. A string or comment that does not end runs to the end of the
/// text. O(size).
std::vector<SqlToken> sql_tokens(std::string_view text);

/// True for a word, ignoring case.
bool is_word(std::string_view text, const SqlToken& token, std::string_view word);

/// Statements of a text: pieces between semicolons that have a token; the semicolon belongs to none. Together they
/// hold every token that is no semicolon, in order.
struct SqlStatement {
  std::size_t begin = 0;  ///< of its first token
  std::size_t end = 0;    ///< behind its last token
};
std::vector<SqlStatement> split_statements(std::string_view text);

}  // namespace lacuna
