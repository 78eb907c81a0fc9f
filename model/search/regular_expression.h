#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "model/base/result.h"

namespace re2 {
class RE2;
}

namespace lacuna {

/// A user's regular expression, for RE2, whose time is linear in the text whatever the expression. So there
/// are no back-references and no look-around. `.`, classes and case are UTF-8's; \d, \w, \s are ASCII's. Of
/// several matches it finds the one that Perl would. Thread-safe.
class RegularExpression {
 public:
  /// The longest expression, in bytes.
  static constexpr std::size_t kLongest = 1000;

  /// Errors: kInvalidArgument with the reason, kLimit if the compiled expression is too large: nested counts.
  static Result<RegularExpression> compile(std::string_view written, bool ignores_case = false);
  RegularExpression(RegularExpression&&) noexcept;
  RegularExpression& operator=(RegularExpression&&) noexcept;
  ~RegularExpression();

  /// Whether it matches anywhere in `text`.
  bool matches(std::string_view text) const;
  /// Returns the match of its first group, or the whole match if it has no group; nothing if there is no match, or the
  /// group did not take part. Points into `text`.
  std::optional<std::string_view> extract(std::string_view text) const;

  /// Upper bound of the cost of a match against `bytes` of text, in operations of a few ns.
  std::uint64_t most_operations(std::size_t bytes) const;

 private:
  explicit RegularExpression(std::unique_ptr<re2::RE2> compiled);

  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace lacuna
