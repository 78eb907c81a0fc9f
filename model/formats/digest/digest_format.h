#pragma once

#include <string_view>

#include "model/formats/format.h"

namespace lacuna {

/// First bytes of an Arrow file, the format of digests (model/job/digest_file.h).
inline constexpr std::string_view kArrowHead{"ARROW1\0\0", 8};

/// Does not open as a trace: its reader's error names the command that reads it.
extern const Format kDigestFormat;

}  // namespace lacuna
