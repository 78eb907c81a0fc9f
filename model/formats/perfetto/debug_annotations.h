#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/formats/perfetto/interned_data.h"
#include "model/formats/trace_sink.h"

namespace lacuna {

/// The args of one event, by key, in order; a repeated key gets the later value.
class EventArguments {
 public:
  struct Value {
    enum class Kind : std::uint8_t { kInteger, kReal, kText, kJson, kIntegers };
    Value(std::int64_t number) : kind(Kind::kInteger), integer(number) {}
    Value(double number) : kind(Kind::kReal), real(number) {}
    Value(std::string given, Kind of = Kind::kText) : kind(of), text(std::move(given)) {}
    Value(std::vector<std::int64_t> numbers) : kind(Kind::kIntegers), integers(std::move(numbers)) {}

    /// Merges earlier JSON of the same key into this value, which is JSON.
    void come_after(Value before);

    Kind kind;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<std::int64_t> integers;
    std::vector<std::string> earlier;  ///< kJson: earlier values of the key, to be merged with `text`
  };

  void clear() { arguments_.clear(); }
  void set(std::string_view key, Value value);
  /// Sets the value unless the key exists.
  void add(std::string_view key, Value value);
  const Value* find(std::string_view key) const { return const_cast<EventArguments*>(this)->find(key); }
  Value* find(std::string_view key);
  /// Returns a whole number, also from a text that is one.
  std::optional<std::int64_t> integer(std::string_view key) const;
  /// Adds the args of `earlier`; dictionaries and lists in both get the entries of both.
  void join(const EventArguments& earlier);
  /// Whether a value may be JSON.
  bool has_json() const;
  /// Writes the args into the event that `sink` has begun.
  void write(TraceSink& sink) const;

 private:
  struct Argument {
    std::string key;
    Value value;
  };
  std::vector<Argument> arguments_;
};

/// Sets args from a DebugAnnotation. Dictionaries and lists become JSON; if repeated, as when an end repeats args of
/// its begin, they get the entries of both.
void read_annotation(std::string_view message, const InternedData& interned, InternedData::Generation generation,
                     EventArguments& arguments);

/// Merges the JSON values of one repeated arg as Perfetto does: objects get the members of all, lists the entries
/// of all in order; of other values, or when the kind changes, the last one wins.
/// Needs at least one value, each complete. O(bytes times their depth).
std::string joined_json(std::span<const std::string_view> values);

/// Returns the value of the annotation "correlation", if there is one that is a whole number.
std::optional<std::int64_t> find_correlation(std::span<const std::string_view> annotations,
                                             const InternedData& interned, InternedData::Generation generation);

}  // namespace lacuna
