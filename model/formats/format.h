#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "model/base/result.h"
#include "model/build/event_batch.h"
#include "model/formats/format_use.h"
#include "model/input/bytes.h"
#include "model/input/import_options.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Receives batches on the thread that called the reader; those of one file in its order.
using BatchReceiver = std::function<void(EventBatch)>;

/// One file, for its reader. All members outlive the call.
struct FormatInput {
  const std::string& path;  ///< for readers of databases, which open it themselves
  ImportBytes& bytes;       ///< what came out of the file's containers (gzip, zstd)
  const ImportOptions& options;
  ImportProgress* progress;  ///< may be null
};

/// One kind of file: how it is recognised, what it is called, and what reads it. Each stands in a folder of its own
/// (model/formats/NAME/) and in the list of formats.cpp; what opens, searches, lists and describes files asks there.
struct Format {
  static constexpr std::size_t kHeadBytes = 256;
  static constexpr std::size_t kMostEndings = 3;

  std::string_view title;  ///< as in TraceSource::format: "Chrome JSON"
  FormatUse use = FormatUse::kTrace;
  /// Of the names of its files, lower case: ".json"; the rest is empty.
  std::array<std::string_view, kMostEndings> endings;
  /// Its files may lie in a container, whose ending then follows: ".json.gz".
  bool may_be_compressed = true;
  std::string_view name_begins = {};  ///< of files without an ending
  /// Whether a file with these first bytes, up to kHeadBytes, is one. `is_plain`: a regular file, without container.
  /// Null: files are not recognised by their bytes; callers that know the kind read them directly.
  bool (*recognises)(std::string_view head, bool is_plain) = nullptr;
  /// The JSON from which args are read, at the offsets of the events: the file's own; or what the reader makes and
  /// leaves in `facts.bytes`, anew each time; or none.
  enum class Text : std::uint8_t { kFile, kMade, kNone };
  Text text = Text::kNone;
  /// Hands the events to `sink`, and tells all else in `facts`: what is known of the trace, findings, json_bytes, and
  /// a title of its own (format). Blocking. Errors: kNotATrace for what is another file after all, or nothing to
  /// show; kEmpty, kNotReadable, kLimit, kCancelled. Null: no trace is made of it.
  Result<void> (*read)(const FormatInput& input, TraceSource& facts, const BatchReceiver& sink) = nullptr;
};

}  // namespace lacuna
