#include "model/formats/requests/otlp_spans.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "model/formats/json_cursor.h"

namespace lacuna {
namespace {

/// An attribute value: {"stringValue": …}, {"intValue": "5"}, {"doubleValue": 0.5}; others are left empty.
void read_attribute_value(JsonCursor& cursor, OtlpSpan::Attribute& attribute) {
  if (!cursor.begins('{')) return;
  std::string kind;
  while (cursor.next_member(kind)) {
    if (kind == "stringValue") {
      attribute.text = cursor.text();
    } else if (kind == "intValue" || kind == "doubleValue") {
      attribute.text = cursor.number_text();
      double value = 0;
      const char* end = attribute.text.data() + attribute.text.size();
      const auto read = std::from_chars(attribute.text.data(), end, value);
      if (read.ec == std::errc{} && read.ptr == end) attribute.number = value;
    } else {
      cursor.skip();
    }
  }
}

void read_attributes(JsonCursor& cursor, std::vector<OtlpSpan::Attribute>& attributes) {
  if (!cursor.begins('[')) return;
  while (cursor.next_entry()) {
    if (!cursor.begins('{')) continue;
    OtlpSpan::Attribute attribute;
    std::string key;
    while (cursor.next_member(key)) {
      if (key == "key")
        attribute.key = cursor.text();
      else if (key == "value")
        read_attribute_value(cursor, attribute);
      else
        cursor.skip();
    }
    attributes.push_back(std::move(attribute));
  }
}

OtlpSpan read_otlp_span(JsonCursor& cursor) {
  OtlpSpan span;
  std::string key;
  while (cursor.next_member(key)) {
    if (key == "traceId")
      span.id.trace = cursor.text();
    else if (key == "spanId")
      span.id.span = cursor.text();
    else if (key == "parentSpanId")
      span.parent = cursor.text();
    else if (key == "name")
      span.name = cursor.text();
    else if (key == "startTimeUnixNano")
      span.begin = cursor.integer();
    else if (key == "endTimeUnixNano")
      span.end = cursor.integer();
    else if (key == "attributes")
      read_attributes(cursor, span.attributes);
    else
      cursor.skip();
  }
  return span;
}

/// The spans below this key; lists of objects with further lists around them.
void read_span_lists(JsonCursor& cursor, std::string_view list, const std::function<void(OtlpSpan&&)>& take) {
  if (!cursor.begins('[')) return;
  const std::string_view inner = list == "resourceSpans" ? "scopeSpans" : "spans";
  std::string key;
  while (cursor.next_entry()) {
    if (!cursor.begins('{')) continue;
    if (list == "spans") {
      OtlpSpan span = read_otlp_span(cursor);
      if (!cursor.is_broken()) take(std::move(span));
      continue;
    }
    while (cursor.next_member(key)) {
      if (key == inner)
        read_span_lists(cursor, inner, take);
      else
        cursor.skip();
    }
  }
}

}  // namespace

const OtlpSpan::Attribute* OtlpSpan::find(std::string_view key) const {
  const auto found = std::ranges::find(attributes, key, &Attribute::key);
  return found == attributes.end() ? nullptr : &*found;
}

Result<void> read_otlp_spans(const ByteSource& bytes, const std::string& path,
                             const std::function<void(OtlpSpan&&)>& take) {
  JsonCursor cursor(bytes);
  bool has_spans = false;
  std::string key;
  while (cursor.kind() == '{') {
    while (cursor.next_member(key)) {
      if (key == "resourceSpans") {
        has_spans = true;
        read_span_lists(cursor, key, take);
      } else {
        cursor.skip();
      }
    }
  }
  if (cursor.is_broken() || cursor.offset() < bytes.size())
    return fail(ErrorCode::kNotATrace, "the JSON of OpenTelemetry breaks off here", path, cursor.offset());
  if (!has_spans)
    return fail(ErrorCode::kNotATrace, "it has no resourceSpans, so it is no JSON of OpenTelemetry", path,
                std::uint64_t{0});
  return {};
}

}  // namespace lacuna
