#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/result.h"
#include "model/formats/format.h"

namespace lacuna {

/// A report of Nsight Systems itself (.nsys-rep, .qdrep): its reader says which command exports it.
extern const Format kNsysReportFormat;
/// What that command writes: read_nsys_export().
extern const Format kNsysFormat;

/// What `nsys export --type sqlite` wrote, as the Chrome-trace JSON that Kineto would have written: kernels, copies and
/// sets on the streams of their devices, API calls, NVTX ranges and the rest on their threads, launches tied by
/// correlation. It is then read like any trace, so that every view and its args work.
///
/// Names are those of the file: kernels by shortName, with the demangled one in args; ranges of torch's emit_nvtx
/// ("aten::add, seq = 3, op_id = 7") become operators. `most_bytes`: of the JSON; kLimit beyond.
/// Errors: kNotATrace for an SQLite file that is no such export, kNotReadable, kLimit, kCancelled.
struct NsysExport {
  std::string json;
  std::string version;               ///< of Nsight Systems
  std::uint64_t damaged_tables = 0;  ///< not read to their end
  std::string damage;
};
Result<NsysExport> read_nsys_export(const std::string& path, std::uint64_t most_bytes, const std::atomic<bool>* cancel);

}  // namespace lacuna
