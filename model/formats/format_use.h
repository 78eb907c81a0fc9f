#pragma once

#include <cstdint>

namespace lacuna {

/// The use of a format's files.
enum class FormatUse : std::uint8_t {
  kTrace,    ///< a trace: the files that a folder is searched for
  kMemory,   ///< opens as a trace of memory use: searched for in folders without traces
  kDigest,   ///< ranks of a job, reduced to digests: for `lacuna job`
  kHang,     ///< dumps of a flight recorder: for `lacuna hang`
  kRequests  ///< requests to a server: for beside a trace, or alone
};

}  // namespace lacuna
