#include "model/search/regular_expression.h"

#include <array>
#include <utility>

#include <re2/re2.h>

namespace lacuna {
namespace {

// Of the automaton: RE2 refuses an expression whose program takes more than a share of it (some 10,000 instructions),
// and begins anew when the states of its automaton fill the rest.
constexpr std::int64_t kMostExpressionBytes = 1 << 20;

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

RegularExpression::RegularExpression(std::unique_ptr<re2::RE2> compiled) : compiled_(std::move(compiled)) {}
RegularExpression::RegularExpression(RegularExpression&&) noexcept = default;
RegularExpression& RegularExpression::operator=(RegularExpression&&) noexcept = default;
RegularExpression::~RegularExpression() = default;

Result<RegularExpression> RegularExpression::compile(std::string_view written, bool ignores_case) {
  if (written.size() > kLongest) return fail(ErrorCode::kLimit, "it is too long");
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!ignores_case);
  options.set_max_mem(kMostExpressionBytes);
  auto compiled = std::make_unique<re2::RE2>(piece(written), options);
  if (compiled->ok()) return RegularExpression(std::move(compiled));
  const bool is_too_large = compiled->error_code() == re2::RE2::ErrorPatternTooLarge;
  return fail(is_too_large ? ErrorCode::kLimit : ErrorCode::kInvalidArgument, compiled->error());
}

bool RegularExpression::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(piece(text), *compiled_);
}

std::optional<std::string_view> RegularExpression::extract(std::string_view text) const {
  std::array<re2::StringPiece, 2> found;
  const int groups = compiled_->NumberOfCapturingGroups() > 0 ? 1 : 0;
  if (!compiled_->Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, found.data(), groups + 1)) return {};
  const re2::StringPiece& part = found[static_cast<std::size_t>(groups)];
  if (part.data() == nullptr) return {};
  return std::string_view(part.data(), part.size());
}

std::uint64_t RegularExpression::most_operations(std::size_t bytes) const {
  // Where its automaton has too many states, each byte meets every instruction.
  return (std::uint64_t{bytes} + 1) * static_cast<std::uint64_t>(compiled_->ProgramSize());
}

}  // namespace lacuna
