#pragma once
// One list of a struct's fields, a function visit_fields(visit, value), both writes it (PutFields) and reads it
// (GetFields). What a trace numbers is sent as text: strings have other numbers in the trace at the other end.

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "capture/remote/fields.h"
#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The number of values of an enum that is sent.
template <class Enum>
inline constexpr std::uint64_t kValuesOf = 0;

template <class T>
concept NumberField = std::is_integral_v<T> || std::is_enum_v<T>;

/// Writes fields.
class PutFields {
 public:
  /// `trace`: of the names that are sent.
  PutFields(FieldWriter& out, const Trace& trace) : out_(out), trace_(trace) {}
  void operator()(const auto&... fields) { (put(fields), ...); }
  const Trace& trace() const { return trace_; }

 private:
  void put(const std::string& text) { out_.text(text); }
  void put(StringId name) { out_.text(trace_.text(name)); }
  void put(double value) { out_.number(std::bit_cast<std::uint64_t>(value)); }
  void put(NumberField auto value) { out_.number(static_cast<std::uint64_t>(value)); }
  void put(TimeSpan span) { (*this)(span.begin, span.end); }
  template <class Tag>
  void put(Id<Tag> id) {
    out_.number(id.value);
  }
  template <class Value, std::size_t n>
  void put(const std::array<Value, n>& values) {
    for (const Value& value : values) put(value);
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class Value>
  void put(const std::vector<Value>& values) {
    out_.number(values.size());
    for (const Value& value : values) put(value);
  }
  template <class... Kinds>
  void put(const std::variant<Kinds...>& value) {
    put(value.index());
    std::visit([this](const auto& kind) { (*this)(kind); }, value);
  }
  template <class Value>
  requires std::is_class_v<Value>
  void put(const Value& value) { visit_fields(*this, value); }

  FieldWriter& out_;
  const Trace& trace_;
};

/// Reads what PutFields wrote, which may be anything; is_sound() afterwards.
class GetFields {
 public:
  /// `trace`: names that it does not have are empty. `most`: elements of a list.
  GetFields(FieldReader& in, const Trace& trace, std::size_t most) : in_(in), trace_(trace), most_(most) {}
  void operator()(auto&... fields) { (get(fields), ...); }
  const Trace& trace() const { return trace_; }
  bool is_sound() const { return is_sound_ && in_.ok(); }
  void expect(bool is_sound) { is_sound_ = is_sound_ && is_sound; }

 private:
  void get(std::string& text) { text = in_.text(); }
  void get(StringId& name) {
    const StringId found = trace_.strings().find(in_.text());
    name = found.valid() ? found : kEmptyString;
  }
  void get(double& value) { value = std::bit_cast<double>(in_.number()); }
  template <NumberField Value>
  void get(Value& value) {
    const std::uint64_t number = in_.number();
    if constexpr (std::is_enum_v<Value>) expect(number < kValuesOf<Value>);
    if (is_sound_) value = static_cast<Value>(number);
  }
  void get(TimeSpan& span) { (*this)(span.begin, span.end); }
  void get(LaneId& lane) { get_id(lane, trace_.lanes().size()); }
  void get(CategoryId& category) { get_id(category, trace_.categories().size()); }
  void get(TrackId& track) { get_id(track, trace_.tracks().size()); }
  void get(SourceId& source) { get_id(source, trace_.sources().size()); }
  template <class Value, std::size_t n>
  void get(std::array<Value, n>& values) {
    for (Value& value : values) get(value);
  }
  template <class Value>
  void get(std::optional<Value>& value) {
    bool has = false;
    get(has);
    if (has) get(value.emplace());
  }
  template <class Value>
  void get(std::vector<Value>& values) {
    const std::uint64_t count = in_.number();
    expect(count <= most_);
    for (std::uint64_t i = 0; i < count && is_sound(); ++i) get(values.emplace_back());
  }
  template <class... Kinds>
  void get(std::variant<Kinds...>& value) {
    const std::uint64_t index = in_.number();
    expect(index < sizeof...(Kinds));
    std::uint64_t at = 0;
    ((at++ == index ? get(value.template emplace<Kinds>()) : void()), ...);
  }
  template <class Value>
  requires std::is_class_v<Value>
  void get(Value& value) { visit_fields(*this, value); }

  /// One of the trace, or none.
  template <class Tag>
  void get_id(Id<Tag>& id, std::size_t count) {
    const std::uint64_t number = in_.number();
    const auto value = static_cast<std::uint32_t>(number);
    expect(number < count || (number == value && !Id<Tag>{value}.valid()));
    if (is_sound_) id = Id<Tag>{value};
  }

  FieldReader& in_;
  const Trace& trace_;
  const std::size_t most_;
  bool is_sound_ = true;
};

}  // namespace lacuna
