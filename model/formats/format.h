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

/// Receives batches on the thread that called the reader, in file order.
using BatchReceiver = std::function<void(EventBatch)>;

/// The input of a format's reader: one file. All members outlive the call.
struct FormatInput {
  const std::string& path;  ///< for readers of databases, which open it themselves
  ImportBytes& bytes;       ///< the file's bytes after its containers (gzip, zstd) are unpacked
  const ImportOptions& options;
  ImportProgress* progress;  ///< may be null
};

/// A file format: how it is recognised, its name, and its reader. Each format has its own folder
/// (model/formats/NAME/) and an entry in formats.cpp, which is used to open, find, list and describe files.
struct Format {
  static constexpr std::size_t kHeadBytes = 256;
  static constexpr std::size_t kMostEndings = 3;

  std::string_view title;  ///< as in TraceSource::format: "Chrome JSON"
  FormatUse use = FormatUse::kTrace;
  /// Endings of its files' names, lower case: ".json"; unused ones are empty.
  std::array<std::string_view, kMostEndings> endings;
  /// Whether its files may be in a container, whose ending then follows: ".json.gz".
  bool may_be_compressed = true;
  std::string_view name_begins = {};  ///< beginning of the names of files without an ending
  /// Whether a file with these first bytes, up to kHeadBytes, has this format. `is_plain`: a regular file, not packed.
  /// Null: files are not recognised by their bytes; callers that know the format read them directly.
  bool (*recognises)(std::string_view head, bool is_plain) = nullptr;
  /// The JSON from which args are read at the events' offsets: the file itself; the JSON that the reader generates and
  /// leaves in `facts.bytes`, each time anew; or none.
  enum class Text : std::uint8_t { kFile, kMade, kNone };
  Text text = Text::kNone;
  /// Passes the events to `sink`, and stores all else in `facts`: facts about the trace, findings, json_bytes, and
  /// its own title (format). Blocking. Errors: kNotATrace if the file turns out to have another format or nothing to
  /// show; kEmpty, kNotReadable, kLimit, kCancelled. Null: the format does not open as a trace.
  Result<void> (*read)(const FormatInput& input, TraceSource& facts, const BatchReceiver& sink) = nullptr;
};

}  // namespace lacuna
