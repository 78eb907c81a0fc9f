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

/// A regular expression that people write: of RE2, whose time is linear in the text, whatever the expression. So there
/// are no back-references and no look-around. `.`, classes and case are those of UTF-8; \d, \w, \s are ASCII's. Of
/// several matches the one that Perl would find counts. Safe to use by several threads at once.
class RegularExpression {
 public:
  /// The longest expression, in bytes.
  static constexpr std::size_t kLongest = 1000;

  /// Fails (kInvalidArgument) with what is wrong, and (kLimit) where it is too large: nested counts.
  static Result<RegularExpression> compile(std::string_view written, bool ignores_case = false);
  RegularExpression(RegularExpression&&) noexcept;
  RegularExpression& operator=(RegularExpression&&) noexcept;
  ~RegularExpression();

  /// Whether it matches anywhere in `text`.
  bool matches(std::string_view text) const;
  /// What its first group matched, or all of it where it has none; nothing where it does not match, or the group took
  /// no part. Points into `text`.
  std::optional<std::string_view> extract(std::string_view text) const;

  /// The most that a match against `bytes` of text costs, in operations of some ns.
  std::uint64_t most_operations(std::size_t bytes) const;

 private:
  explicit RegularExpression(std::unique_ptr<re2::RE2> compiled);

  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace lacuna
