#pragma once

#include <memory>
#include <span>
#include <string>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/formats/format.h"
#include "model/input/bytes.h"

namespace lacuna {

/// Returns all formats, in the order in which they are tried on a file.
std::span<const Format* const> all_formats();

/// Returns the format of the file: Chrome JSON if no other recognises it. Waits for the file's first bytes.
const Format& recognise_format(const OpenedFile& file);

/// Reopens the JSON from which the args of a file are read (Format::Text). Null if it has none. Errors: those of
/// open_file() and of the format's reader.
Result<std::shared_ptr<const ByteSource>> open_text(const std::string& path, std::uint64_t max_json_bytes);

}  // namespace lacuna
