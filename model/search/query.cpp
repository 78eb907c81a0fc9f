#include "model/search/query.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

/// The next term, from which the quotes are taken; `is_quoted`: it began with one.
struct Term {
  std::string text;
  bool is_quoted = false;
};

std::optional<Term> next_term(std::string_view& rest) {
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest.empty()) return std::nullopt;
  Term term;
  term.is_quoted = rest.front() == '"';
  bool inside = false;
  while (!rest.empty() && (inside || rest.front() != ' ')) {
    if (rest.front() == '"') {
      inside = !inside;
    } else {
      term.text += rest.front();
    }
    rest.remove_prefix(1);
  }
  return term;
}

/// "1.5ms" in ns.
std::optional<Nanos> parse_time(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kUnits = {
      {{"ns", 1}, {"us", 1e3}, {"\xC2\xB5s", 1e3}, {"\xCE\xBCs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !(number >= 0)) return std::nullopt;
  const std::string_view unit(end);
  for (const auto& [name, factor] : kUnits) {
    if (unit != name) continue;
    const double ns = number * factor;
    return ns < 9e18 ? static_cast<Nanos>(std::llround(ns)) : kMaxNanos;
  }
  return std::nullopt;
}

void add_duration(const std::string& value, SearchQuery& query) {
  const bool is_least = value.starts_with('>');
  std::size_t skip = is_least || value.starts_with('<') ? 1 : 0;
  if (skip == 1 && value.size() > 1 && value[1] == '=') skip = 2;
  const std::optional<Nanos> time = parse_time(value.substr(skip));
  if (skip == 0 || !time) {
    query.problems.push_back("\"dur:" + value + "\": write dur:>20us or dur:<1.5ms.");
  } else if (is_least) {
    query.least = std::max(query.least, *time);
  } else {
    query.most = std::min(query.most, *time);
  }
}

void add_argument(const std::string& text, SearchQuery& query) {
  const std::size_t equals = text.find('=');
  SearchQuery::Argument argument;
  argument.key = text.substr(0, equals);
  if (equals != std::string::npos) argument.value = to_lower(std::string_view(text).substr(equals + 1));
  if (argument.key.empty()) {
    query.problems.push_back("\"arg:" + text + "\": write arg:key=value.");
  } else {
    query.arguments.push_back(std::move(argument));
  }
}

/// Whether it was a term with a known key.
bool add_keyed(const Term& term, SearchQuery& query) {
  const std::size_t colon = term.text.find(':');
  if (term.is_quoted || colon == std::string::npos) return false;
  const std::string key = to_lower(std::string_view(term.text).substr(0, colon));
  const std::string value = term.text.substr(colon + 1);
  const std::string lower = to_lower(value);
  std::vector<std::string>* list = nullptr;
  if (key == "cat") list = &query.categories;
  if (key == "stream") list = &query.streams;
  if (key == "gpu" || key == "device") list = &query.devices;
  if (key == "track" || key == "thread") list = &query.tracks;
  if (list == nullptr && key != "dur" && key != "arg") return false;
  if (value.empty()) return true;  // still being typed
  if (key == "dur") {
    add_duration(lower, query);
  } else if (key == "arg") {
    add_argument(value, query);
  } else {
    list->push_back(lower);
  }
  return true;
}

}  // namespace

bool SearchQuery::empty() const {
  return *this == SearchQuery{};
}

bool SearchQuery::is_simple() const {
  return streams.empty() && devices.empty() && tracks.empty() && arguments.empty() && least == 0 && most == kMaxNanos;
}

SearchQuery parse_query(std::string_view text) {
  SearchQuery query;
  while (const std::optional<Term> term = next_term(text)) {
    if (!add_keyed(*term, query) && !term->text.empty()) query.words.push_back(to_lower(term->text));
  }
  return query;
}

}  // namespace lacuna
