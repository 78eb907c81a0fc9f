#pragma once

#include <string_view>

#include "model/formats/format.h"

namespace lacuna {

/// The first bytes of an Arrow file, as which digests are written (model/job/digest_file.h).
inline constexpr std::string_view kArrowHead{"ARROW1\0\0", 8};

/// Opens as no trace: its reader says who reads it.
extern const Format kDigestFormat;

}  // namespace lacuna
