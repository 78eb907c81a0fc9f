#include "model/query/sql_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

#include "model/base/demangled.h"
#include "model/search/regular_expression.h"

namespace lacuna {
namespace {

struct FunctionAux {
  QuerySource& source;
  QueryLimits& limits;
};

/// `Call` for SQLite, which exceptions must not cross.
template <void (*Call)(sqlite3_context*, int, sqlite3_value**)>
void guarded(sqlite3_context* context, int argc, sqlite3_value** argv) {
  try {
    Call(context, argc, argv);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

std::string_view text_of(sqlite3_value* value) {
  const auto* text = sqlite3_value_text(value);
  return text == nullptr ? std::string_view{}
                         : std::string_view(reinterpret_cast<const char*>(text),
                                            static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

void give_text(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// The tables, made now if they must be; null and an error otherwise.
const TraceTables* tables_of(sqlite3_context* context) {
  auto& aux = *static_cast<FunctionAux*>(sqlite3_user_data(context));
  if (auto made = aux.source.make_tables(&aux.limits.is_cancelled()); !made) {
    sqlite3_result_error(context, made.error().message().c_str(), -1);
    return nullptr;
  }
  return &aux.source.tables();
}

void trace_start(sqlite3_context* context, int, sqlite3_value**) {
  if (const TraceTables* tables = tables_of(context)) sqlite3_result_int64(context, tables->start);
}
void trace_end(sqlite3_context* context, int, sqlite3_value**) {
  if (const TraceTables* tables = tables_of(context)) sqlite3_result_int64(context, tables->end);
}
void trace_dur(sqlite3_context* context, int, sqlite3_value**) {
  if (const TraceTables* tables = tables_of(context)) sqlite3_result_int64(context, tables->end - tables->start);
}

void slice_is_ancestor(sqlite3_context* context, int, sqlite3_value** argv) {
  const TraceTables* tables = tables_of(context);
  if (tables == nullptr) return;
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL) return;
  const sqlite3_int64 a = sqlite3_value_int64(argv[0]), b = sqlite3_value_int64(argv[1]);
  const auto& s = tables->slices;
  if (a < 0 || b < 0 || a >= s.size() || b >= s.size()) return;
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  const bool is_around = s.track[x] == s.track[y] && s.depth[x] < s.depth[y] && s.ts[x] <= s.ts[y] &&
                         (s.dur[x] == -1 || s.ts[x] + s.dur[x] >= s.ts[y] + s.dur[y]);
  sqlite3_result_int(context, is_around ? 1 : 0);
}

void to_timecode(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  const sqlite3_int64 ns = sqlite3_value_int64(argv[0]);
  const auto part = [&](sqlite3_int64 unit, sqlite3_int64 modulus) { return std::abs(ns / unit % modulus); };
  give_text(context, fmt::format("{}{:02}:{:02}:{:02} {:03} {:03} {:03}", ns < 0 ? "-" : "",
                                 std::abs(ns / 3'600'000'000'000), part(60'000'000'000, 60), part(1'000'000'000, 60),
                                 part(1'000'000, 1000), part(1'000, 1000), part(1, 1000)));
}

// --- regular expressions

constexpr std::size_t kLongestMatched = std::size_t{1} << 20;
// Of one match: it is not looked at between its beginning and its end, which is below a second later.
constexpr std::uint64_t kMostMatchOperations = 150'000'000;
constexpr std::uint64_t kMatchOperationsPerStep = 32;  // its automaton mostly takes one per byte

/// The compiled pattern of argument `index`, kept as long as it stays the same; null and an error where it is none.
const RegularExpression* pattern_of(sqlite3_context* context, sqlite3_value** argv, int index) {
  if (const auto* kept = static_cast<RegularExpression*>(sqlite3_get_auxdata(context, index))) return kept;
  auto compiled = RegularExpression::compile(text_of(argv[index]));
  if (!compiled) {
    sqlite3_result_error(context, ("regular expression: " + compiled.error().cause).c_str(), -1);
    return nullptr;
  }
  auto* const made = new RegularExpression(std::move(*compiled));
  sqlite3_set_auxdata(context, index, made, [](void* p) { delete static_cast<RegularExpression*>(p); });
  // SQLite may have thrown it away at once, for want of memory.
  return static_cast<RegularExpression*>(sqlite3_get_auxdata(context, index));
}

/// Whether the query may go on with a match of `text`; an error otherwise.
bool may_match(sqlite3_context* context, const RegularExpression& pattern, std::string_view text) {
  const std::uint64_t operations = pattern.most_operations(text.size());
  if (operations > kMostMatchOperations) {
    sqlite3_result_error(context, "regular expression: it is too large for so long a text", -1);
    return false;
  }
  if (static_cast<FunctionAux*>(sqlite3_user_data(context))->limits.spend(1 + operations / kMatchOperationsPerStep))
    return true;
  sqlite3_result_error(context, "interrupted", -1);
  return false;
}

/// regexp(pattern, text), and so text REGEXP pattern.
void regexp(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL) return;
  const RegularExpression* pattern = pattern_of(context, argv, 0);
  if (pattern == nullptr) return;
  const std::string_view text = text_of(argv[1]).substr(0, kLongestMatched);
  if (may_match(context, *pattern, text)) sqlite3_result_int(context, pattern->matches(text) ? 1 : 0);
}

/// regexp_extract(text, pattern): what matched, or its first group.
void regexp_extract(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL) return;
  const RegularExpression* pattern = pattern_of(context, argv, 1);
  if (pattern == nullptr) return;
  const std::string_view text = text_of(argv[0]).substr(0, kLongestMatched);
  if (!may_match(context, *pattern, text)) return;
  if (const auto found = pattern->extract(text)) give_text(context, *found);
}

void demangle(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  const std::string name(text_of(argv[0]));
  if (!name.starts_with("_Z") || name.size() > 10'000) return;
  if (const auto plain = demangled(name)) give_text(context, *plain);
}

void concat(sqlite3_context* context, int argc, sqlite3_value** argv) {
  std::string all;
  for (int i = 0; i < argc; ++i) all.append(text_of(argv[i]));
  give_text(context, all);
}

void concat_with(sqlite3_context* context, int argc, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  const std::string separator(text_of(argv[0]));
  std::string all;
  bool is_first = true;
  for (int i = 1; i < argc; ++i) {
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) continue;
    if (!is_first) all += separator;
    is_first = false;
    all.append(text_of(argv[i]));
  }
  give_text(context, all);
}

void short_iif(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) != SQLITE_NULL && sqlite3_value_double(argv[0]) != 0)
    sqlite3_result_value(context, argv[1]);
}

/// str_split(text, delimiter, n): the n-th piece, from 0.
void str_split(sqlite3_context* context, int, sqlite3_value** argv) {
  std::string_view text = text_of(argv[0]);
  const std::string_view delimiter = text_of(argv[1]);
  sqlite3_int64 left = sqlite3_value_int64(argv[2]);
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL || delimiter.empty() || left < 0) return;
  while (true) {
    const auto end = text.find(delimiter);
    if (left == 0) return give_text(context, text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + delimiter.size());
    --left;
  }
}

template <sqlite3_int64 Unit, bool ToNanos>
void convert_time(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  const sqlite3_int64 value = sqlite3_value_int64(argv[0]);
  if (!ToNanos) return sqlite3_result_int64(context, value / Unit);
  sqlite3_int64 product = 0;
  if (__builtin_mul_overflow(value, Unit, &product)) return sqlite3_result_error(context, "the time is too large", -1);
  sqlite3_result_int64(context, product);
}

// --- aggregates

struct Collected {
  std::vector<double>* values;
  double percent;
};

void collect_value(sqlite3_context* context, int argc, sqlite3_value** argv) {
  auto* collected = static_cast<Collected*>(sqlite3_aggregate_context(context, sizeof(Collected)));
  if (collected == nullptr) return sqlite3_result_error_nomem(context);
  if (collected->values == nullptr) collected->values = new (std::nothrow) std::vector<double>();
  if (collected->values == nullptr) return sqlite3_result_error_nomem(context);
  collected->percent = argc > 1 ? sqlite3_value_double(argv[1]) : 50;
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  if (collected->values->size() >= (std::size_t{1} << 27))
    return sqlite3_result_error(context, "too many values for a percentile", -1);
  try {
    collected->values->push_back(sqlite3_value_double(argv[0]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

/// As SQLite's percentile(): between the two nearest values, by distance.
void give_percentile(sqlite3_context* context) {
  auto* collected = static_cast<Collected*>(sqlite3_aggregate_context(context, 0));
  if (collected == nullptr || collected->values == nullptr) return;
  const std::unique_ptr<std::vector<double>> values(collected->values);
  collected->values = nullptr;
  if (values->empty()) return;
  if (!(collected->percent >= 0 && collected->percent <= 100))
    return sqlite3_result_error(context, "percentile: 0 to 100 expected", -1);
  std::ranges::sort(*values);
  const double place = collected->percent / 100 * static_cast<double>(values->size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  const double low = (*values)[below];
  const double high = (*values)[std::min(below + 1, values->size() - 1)];
  sqlite3_result_double(context, low + (high - low) * share);
}

struct Moments {
  std::int64_t count;
  double mean;
  double squares;
};

void add_moment(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  auto* m = static_cast<Moments*>(sqlite3_aggregate_context(context, sizeof(Moments)));
  if (m == nullptr) return sqlite3_result_error_nomem(context);
  const double value = sqlite3_value_double(argv[0]);
  ++m->count;
  const double off = value - m->mean;
  m->mean += off / static_cast<double>(m->count);
  m->squares += off * (value - m->mean);
}

void give_deviation(sqlite3_context* context) {
  const auto* m = static_cast<Moments*>(sqlite3_aggregate_context(context, 0));
  if (m == nullptr || m->count < 2) return;
  sqlite3_result_double(context, std::sqrt(m->squares / static_cast<double>(m->count - 1)));
}

struct Joined {
  std::string* text;
};

void join_text(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  auto* joined = static_cast<Joined*>(sqlite3_aggregate_context(context, sizeof(Joined)));
  if (joined == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (joined->text == nullptr) {
      joined->text = new std::string();
    } else {
      joined->text->append(text_of(argv[1]));
    }
    joined->text->append(text_of(argv[0]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void give_joined(sqlite3_context* context) {
  auto* joined = static_cast<Joined*>(sqlite3_aggregate_context(context, 0));
  if (joined == nullptr || joined->text == nullptr) return;
  const std::unique_ptr<std::string> text(joined->text);
  joined->text = nullptr;
  give_text(context, *text);
}

}  // namespace

Result<void> register_functions(sqlite3* connection, QuerySource& source, QueryLimits& limits) {
  using Scalar = void (*)(sqlite3_context*, int, sqlite3_value**);
  struct Named {
    const char* name;
    int arguments;
    Scalar call;
    bool is_constant;
  };
  constexpr sqlite3_int64 kMicro = 1000, kMilli = 1'000'000, kSecond = 1'000'000'000, kMinute = 60 * kSecond,
                          kHour = 60 * kMinute, kDay = 24 * kHour;
  const std::array<Named, 28> functions{{{"trace_start", 0, guarded<trace_start>, true},
                                         {"trace_end", 0, guarded<trace_end>, true},
                                         {"trace_dur", 0, guarded<trace_dur>, true},
                                         {"slice_is_ancestor", 2, guarded<slice_is_ancestor>, true},
                                         {"to_timecode", 1, guarded<to_timecode>, true},
                                         {"regexp", 2, guarded<regexp>, true},
                                         {"regexp_extract", 2, guarded<regexp_extract>, true},
                                         {"demangle", 1, guarded<demangle>, true},
                                         {"concat", -1, guarded<concat>, true},
                                         {"concat_ws", -1, guarded<concat_with>, true},
                                         {"iif", 2, guarded<short_iif>, true},
                                         {"if", 2, guarded<short_iif>, true},
                                         {"str_split", 3, guarded<str_split>, true},
                                         {"time_to_ns", 1, guarded<convert_time<1, false>>, true},
                                         {"time_to_us", 1, guarded<convert_time<kMicro, false>>, true},
                                         {"time_to_ms", 1, guarded<convert_time<kMilli, false>>, true},
                                         {"time_to_s", 1, guarded<convert_time<kSecond, false>>, true},
                                         {"time_to_min", 1, guarded<convert_time<kMinute, false>>, true},
                                         {"time_to_hours", 1, guarded<convert_time<kHour, false>>, true},
                                         {"time_to_days", 1, guarded<convert_time<kDay, false>>, true},
                                         {"time_from_ns", 1, guarded<convert_time<1, true>>, true},
                                         {"time_from_us", 1, guarded<convert_time<kMicro, true>>, true},
                                         {"time_from_ms", 1, guarded<convert_time<kMilli, true>>, true},
                                         {"time_from_s", 1, guarded<convert_time<kSecond, true>>, true},
                                         {"time_from_min", 1, guarded<convert_time<kMinute, true>>, true},
                                         {"time_from_hours", 1, guarded<convert_time<kHour, true>>, true},
                                         {"time_from_days", 1, guarded<convert_time<kDay, true>>, true},
                                         {"timestamp_from_ns", 1, convert_time<1, true>, true}}};
  for (const Named& function : functions) {
    auto* aux = new FunctionAux{source, limits};
    const auto free_aux = [](void* a) { delete static_cast<FunctionAux*>(a); };
    if (sqlite3_create_function_v2(connection, function.name, function.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   aux, function.call, nullptr, nullptr, free_aux) != SQLITE_OK)
      return fail(ErrorCode::kLimit, std::string("the function ") + function.name + " cannot be made");
  }
  struct Aggregate {
    const char* name;
    int arguments;
    Scalar step;
    void (*final)(sqlite3_context*);
  };
  const std::array<Aggregate, 5> aggregates{{{"median", 1, collect_value, give_percentile},
                                             {"percentile", 2, collect_value, give_percentile},
                                             {"stddev", 1, add_moment, give_deviation},
                                             {"stdev", 1, add_moment, give_deviation},
                                             {"string_agg", 2, join_text, give_joined}}};
  for (const Aggregate& aggregate : aggregates) {
    if (sqlite3_create_function_v2(connection, aggregate.name, aggregate.arguments, SQLITE_UTF8, nullptr, nullptr,
                                   aggregate.step, aggregate.final, nullptr) != SQLITE_OK)
      return fail(ErrorCode::kLimit, std::string("the function ") + aggregate.name + " cannot be made");
  }
  return {};
}

}  // namespace lacuna
