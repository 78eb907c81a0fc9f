#pragma once

#include <memory>
#include <span>
#include <string>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/formats/format.h"
#include "model/input/bytes.h"

namespace lacuna {

/// All formats, in the order in which they are asked whether a file is theirs.
std::span<const Format* const> all_formats();

/// Whose file this is: that of Chrome JSON where no other recognises it. Waits for its first bytes.
const Format& recognise_format(const OpenedFile& file);

/// The JSON from which the args of a file are read (Format::Text), once more. Null where it has none. Errors: those of
/// open_file() and of the format's reader.
Result<std::shared_ptr<const ByteSource>> open_text(const std::string& path, std::uint64_t max_json_bytes);

}  // namespace lacuna
