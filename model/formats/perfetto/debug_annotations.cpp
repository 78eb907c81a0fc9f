#include "model/formats/perfetto/debug_annotations.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "model/formats/json_value.h"
#include "model/formats/wire_message.h"

namespace lacuna {
namespace {

constexpr int kDeepestAnnotation = 32;
// Of an event with more args, those told again stand there twice, and the later one counts as well.
constexpr std::size_t kMostCompared = 256;

/// An annotation, or a value of the kind before (NestedValue), which has the same parts under other numbers.
struct Annotation {
  enum class Kind : std::uint8_t { kNone, kBool, kInteger, kUnsigned, kReal, kText, kPointer, kJson, kDict, kList };
  std::string_view name;
  Kind kind = Kind::kNone;
  std::uint64_t bits = 0;
  std::string_view text;
  std::vector<std::string_view> keys;    // of an old dictionary
  std::vector<std::string_view> values;  // of a dictionary or a list
  bool is_old = false;
};

Annotation annotation_of(std::string_view message, const InternedData& interned, InternedData::Generation generation) {
  using K = Annotation::Kind;
  Annotation a;
  WireMessage fields(message);
  for (WireField field; fields.next(field);) {
    const auto scalar = [&](K kind) {
      a.kind = kind;
      a.bits = field.value;
    };
    const auto text = [&](std::string_view value, K kind = K::kText) {
      a.kind = kind;
      a.text = value;
    };
    switch (field.number) {
      case 1:
        a.name = interned.find(generation, kInternedAnnotationName, field.value);
        break;
      case 10:
        a.name = field.bytes;
        break;
      case 2:
        scalar(K::kBool);
        break;
      case 3:
        scalar(K::kUnsigned);
        break;
      case 4:
        scalar(K::kInteger);
        break;
      case 5:
        scalar(K::kReal);
        break;
      case 6:
        text(field.bytes);
        break;
      case 7:
        scalar(K::kPointer);
        break;
      case 8:
        text(field.bytes);
        a.kind = K::kNone;
        a.is_old = true;
        break;
      case 9:
        text(field.bytes, K::kJson);
        break;
      case 17:
        text(interned.find(generation, kInternedAnnotationText, field.value));
        break;
      case 11:
      case 12:
        a.kind = field.number == 11 ? K::kDict : K::kList;
        a.values.push_back(field.bytes);
        break;
      default:
        break;
    }
  }
  return a;
}

Annotation nested_value_of(std::string_view message) {
  using K = Annotation::Kind;
  Annotation a;
  a.is_old = true;
  std::uint64_t type = 0;
  WireMessage fields(message);
  for (WireField field; fields.next(field);) {
    a.bits = field.value;
    switch (field.number) {
      case 1:
        type = field.value;
        break;
      case 2:
        a.keys.push_back(field.bytes);
        break;
      case 3:
      case 4:
        a.values.push_back(field.bytes);
        break;
      case 5:
        a.kind = K::kInteger;
        break;
      case 6:
        a.kind = K::kReal;
        break;
      case 7:
        a.kind = K::kBool;
        break;
      case 8:
        a.kind = K::kText;
        a.text = field.bytes;
        break;
      default:
        break;
    }
    if (type == 0 && a.kind != K::kNone) break;
  }
  if (type == 1) a.kind = K::kDict;
  if (type == 2) a.kind = K::kList;
  return a;
}

class JsonMaker {
 public:
  JsonMaker(const InternedData& interned, InternedData::Generation generation)
      : interned_(interned), generation_(generation) {}

  void append(const Annotation& a, int depth) {
    using K = Annotation::Kind;
    if (depth > kDeepestAnnotation) return null();
    switch (a.kind) {
      case K::kBool:
        text_ += a.bits != 0 ? "true" : "false";
        return;
      case K::kInteger:
        fmt::format_to(std::back_inserter(text_), "{}", static_cast<std::int64_t>(a.bits));
        return;
      case K::kUnsigned:
        fmt::format_to(std::back_inserter(text_), "{}", a.bits);
        return;
      case K::kReal: {
        const double value = std::bit_cast<double>(a.bits);
        if (!std::isfinite(value)) return append_json_string(fmt::format("{}", value), text_);
        fmt::format_to(std::back_inserter(text_), "{}", value);
        return;
      }
      case K::kPointer:
        fmt::format_to(std::back_inserter(text_), "\"{:#x}\"", a.bits);
        return;
      case K::kText:
        return append_json_string(a.text, text_);
      case K::kJson:
        if (is_json_value(a.text)) {
          text_ += a.text;
        } else {
          append_json_string(a.text, text_);
        }
        return;
      case K::kDict:
      case K::kList:
        return append_values(a, depth);
      case K::kNone:
        break;
    }
    if (a.is_old && !a.text.empty()) return append(nested_value_of(a.text), depth + 1);
    null();
  }

  std::string take() { return std::move(text_); }

 private:
  void null() { text_ += "null"; }

  /// The entries of a dictionary, those of one name as one: protobuf joins messages by putting one behind the other.
  std::vector<std::string> joined_entries(const Annotation& a) const {
    std::vector<std::string_view> names;
    std::vector<std::string> entries;
    for (const std::string_view entry : a.values) {
      const std::string_view name = annotation_of(entry, interned_, generation_).name;
      const auto known = names.size() > kMostCompared ? names.end() : std::ranges::find(names, name);
      if (known == names.end()) {
        names.push_back(name);
        entries.emplace_back(entry);
      } else {
        entries[static_cast<std::size_t>(known - names.begin())] += entry;
      }
    }
    return entries;
  }

  void append_values(const Annotation& a, int depth) {
    const bool is_dict = a.kind == Annotation::Kind::kDict;
    if (is_dict && !a.is_old) {
      text_ += '{';
      const std::vector<std::string> entries = joined_entries(a);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const Annotation value = annotation_of(entries[i], interned_, generation_);
        if (i > 0) text_ += ',';
        append_json_string(value.name, text_);
        text_ += ':';
        append(value, depth + 1);
      }
      text_ += '}';
      return;
    }
    text_ += is_dict ? '{' : '[';
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      if (is_dict && a.is_old && i >= a.keys.size()) break;
      if (i > 0) text_ += ',';
      const Annotation value =
          a.is_old ? nested_value_of(a.values[i]) : annotation_of(a.values[i], interned_, generation_);
      if (is_dict) {
        append_json_string(a.keys[i], text_);
        text_ += ':';
      }
      append(value, depth + 1);
    }
    text_ += is_dict ? '}' : ']';
  }

  const InternedData& interned_;
  const InternedData::Generation generation_;
  std::string text_;
};

}  // namespace

void EventArguments::set(std::string_view key, Value value) {
  const auto known =
      arguments_.size() > kMostCompared ? arguments_.end() : std::ranges::find(arguments_, key, &Argument::key);
  if (known != arguments_.end()) {
    known->value = std::move(value);
  } else {
    arguments_.push_back({std::string(key), std::move(value)});
  }
}

void EventArguments::add(std::string_view key, Value value) {
  if (find(key) == nullptr) arguments_.push_back({std::string(key), std::move(value)});
}

EventArguments::Value* EventArguments::find(std::string_view key) {
  if (arguments_.size() > kMostCompared) return nullptr;
  const auto known = std::ranges::find(arguments_, key, &Argument::key);
  return known == arguments_.end() ? nullptr : &known->value;
}

void EventArguments::Value::come_after(Value before) {
  if (before.kind != Kind::kJson) return;
  before.earlier.push_back(std::move(before.text));
  before.earlier.insert(before.earlier.end(), std::make_move_iterator(earlier.begin()),
                        std::make_move_iterator(earlier.end()));
  earlier = std::move(before.earlier);
}

void EventArguments::join(const EventArguments& earlier) {
  for (const auto& [key, value] : earlier.arguments_)
    if (Value* again = find(key); again != nullptr && again->kind == Value::Kind::kJson) again->come_after(value);
}

bool EventArguments::has_json() const {
  return std::ranges::any_of(arguments_, [](const Argument& each) { return each.value.kind == Value::Kind::kJson; });
}

std::optional<std::int64_t> EventArguments::integer(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Value::Kind::kInteger) return value->integer;
  if (value->kind != Value::Kind::kText || value->text.empty()) return std::nullopt;
  const std::string& text = value->text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

void EventArguments::write(TraceSink& sink) const {
  for (const auto& [key, value] : arguments_) {
    switch (value.kind) {
      case Value::Kind::kInteger:
        sink.argument(key, value.integer);
        break;
      case Value::Kind::kReal:
        sink.argument(key, value.real);
        break;
      case Value::Kind::kText:
        sink.argument(key, std::string_view(value.text));
        break;
      case Value::Kind::kJson:
        if (value.earlier.empty()) {
          sink.json_argument(key, value.text);
        } else {
          std::vector<std::string_view> texts(value.earlier.begin(), value.earlier.end());
          texts.push_back(value.text);
          sink.json_argument(key, joined_json(texts));
        }
        break;
      case Value::Kind::kIntegers:
        sink.argument(key, std::span(value.integers));
        break;
    }
  }
}

void read_annotation(std::string_view message, const InternedData& interned, InternedData::Generation generation,
                     EventArguments& arguments) {
  using K = Annotation::Kind;
  const Annotation a = annotation_of(message, interned, generation);
  if (a.name.empty()) return;
  switch (a.kind) {
    case K::kInteger:
      return arguments.set(a.name, static_cast<std::int64_t>(a.bits));
    case K::kUnsigned:
      if (a.bits > static_cast<std::uint64_t>(INT64_MAX)) break;
      return arguments.set(a.name, static_cast<std::int64_t>(a.bits));
    case K::kReal:
      return arguments.set(a.name, std::bit_cast<double>(a.bits));
    case K::kText:
      return arguments.set(a.name, std::string(a.text));
    default:
      break;
  }
  JsonMaker maker(interned, generation);
  maker.append(a, 0);
  using Value = EventArguments::Value;
  Value value(maker.take(), Value::Kind::kJson);
  if (Value* earlier = arguments.find(a.name)) value.come_after(std::move(*earlier));
  arguments.set(a.name, std::move(value));
}

std::optional<std::int64_t> find_correlation(std::span<const std::string_view> annotations,
                                             const InternedData& interned, InternedData::Generation generation) {
  for (const std::string_view message : annotations) {
    const Annotation a = annotation_of(message, interned, generation);
    if (a.name == "correlation" && (a.kind == Annotation::Kind::kInteger || a.kind == Annotation::Kind::kUnsigned))
      return static_cast<std::int64_t>(a.bits);
  }
  return std::nullopt;
}

}  // namespace lacuna
