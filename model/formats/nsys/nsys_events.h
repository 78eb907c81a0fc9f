#pragma once

namespace lacuna {

struct Format;
struct SqliteKind;

/// A report of Nsight Systems (.nsys-rep, .qdrep): its reader's error gives the command that exports it.
extern const Format kNsysReportFormat;

/// Reads the output of `nsys export --type sqlite` as Kineto would have written it: kernels, copies and sets on the
/// streams of their devices, API calls, NVTX ranges and the rest on their threads, launches linked by correlation.
///
/// Names are the file's: kernels by shortName, with the demangled name in args; ranges of torch's emit_nvtx
/// ("aten::add, seq = 3, op_id = 7") become operators. Tables that cannot be read completely are counted.
extern const SqliteKind kNsysTables;

}  // namespace lacuna
