#pragma once

#include <cstdint>

namespace lacuna {

/// What a file of a format is for.
enum class FormatUse : std::uint8_t {
  kTrace,    ///< a trace: what a folder is searched for
  kMemory,   ///< opens as a trace, and tells of memory: what a folder without traces is searched for
  kDigest,   ///< ranks of a job, reduced: for `lacuna job`
  kHang,     ///< dumps of a flight recorder: for `lacuna hang`
  kRequests  ///< requests to a server: for beside a trace, or alone
};

}  // namespace lacuna
