#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/result.h"

namespace lacuna {

/// True for the first bytes of an SQLite file.
bool is_sqlite(std::string_view head);
/// True for a report of Nsight Systems itself (.nsys-rep, .qdrep), which only `nsys export` can read.
bool is_nsys_report(std::string_view head);
/// What to do with one: the command that exports it.
std::string nsys_export_advice(const std::string& path);

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
