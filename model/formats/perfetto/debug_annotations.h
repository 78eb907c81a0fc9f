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

/// The args of one event, by key and in order; a repeated key gets the later value.
class EventArguments {
 public:
  struct Value {
    enum class Kind : std::uint8_t { kInteger, kReal, kText, kJson, kIntegers };
    Value(std::int64_t number) : kind(Kind::kInteger), integer(number) {}
    Value(double number) : kind(Kind::kReal), real(number) {}
    Value(std::string given, Kind of = Kind::kText) : kind(of), text(std::move(given)) {}
    Value(std::vector<std::int64_t> numbers) : kind(Kind::kIntegers), integers(std::move(numbers)) {}

    /// Earlier JSON of the same key is merged with this value, which is JSON.
    void come_after(Value before);

    Kind kind;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<std::int64_t> integers;
    std::vector<std::string> earlier;  ///< of kJson: earlier values of the key, which `text` is merged with
  };

  void clear() { arguments_.clear(); }
  void set(std::string_view key, Value value);
  /// Where it is not there yet.
  void add(std::string_view key, Value value);
  const Value* find(std::string_view key) const { return const_cast<EventArguments*>(this)->find(key); }
  Value* find(std::string_view key);
  /// A whole number, or a text that is one.
  std::optional<std::int64_t> integer(std::string_view key) const;
  /// Dictionaries and lists that `earlier` has, too, get the entries of both.
  void join(const EventArguments& earlier);
  /// Whether one of these may be among them.
  bool has_json() const;
  /// Into the event that `sink` has begun.
  void write(TraceSink& sink) const;

 private:
  struct Argument {
    std::string key;
    Value value;
  };
  std::vector<Argument> arguments_;
};

/// Sets what a DebugAnnotation says. Dictionaries and lists become JSON; told again, as an end does of what its begin
/// told, they get the entries of both.
void read_annotation(std::string_view message, const InternedData& interned, InternedData::Generation generation,
                     EventArguments& arguments);

/// The JSON values of one repeated arg, merged as Perfetto does: objects get the members of all, lists the entries
/// of all one behind the other; of anything else the last one stays, and so it does of what comes before another kind.
/// All are whole values, at least one. O(bytes times their depth).
std::string joined_json(std::span<const std::string_view> values);

/// The annotation "correlation" among them, a whole number.
std::optional<std::int64_t> find_correlation(std::span<const std::string_view> annotations,
                                             const InternedData& interned, InternedData::Generation generation);

}  // namespace lacuna
