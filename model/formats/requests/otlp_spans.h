#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// A span of OpenTelemetry, as OTLP/JSON has it. Times in ns since 1970.
struct OtlpSpan {
  struct Attribute {
    std::string key;
    std::string text;              ///< stringValue, and numbers written as text
    std::optional<double> number;  ///< intValue and doubleValue
  };
  /// Tells spans apart, within one file.
  struct Id {
    std::string trace, span;
    auto operator<=>(const Id&) const = default;
  };
  Id id;
  std::string parent;  ///< Id::span of the one around it, in the same trace; empty: none
  std::string name;
  std::optional<Nanos> begin, end;  ///< none: missing, or no time
  std::vector<Attribute> attributes;

  const Attribute* find(std::string_view key) const;
};

/// Reads what exporters and the file exporter of the collector write: an object with resourceSpans, or several one
/// after another, one a line. kNotATrace, with the byte, where the text is no JSON or has no resourceSpans. `take` gets
/// each span, in the order of the file, and may move from it. One thread.
Result<void> read_otlp_spans(const ByteSource& bytes, const std::string& path,
                             const std::function<void(OtlpSpan&&)>& take);

}  // namespace lacuna
