#pragma once

namespace lacuna {

struct Format;
struct SqliteKind;

/// A report of Nsight Systems itself (.nsys-rep, .qdrep): its reader says which command exports it.
extern const Format kNsysReportFormat;

/// What `nsys export --type sqlite` wrote, as Kineto would have written it: kernels, copies and sets on the streams of
/// their devices, API calls, NVTX ranges and the rest on their threads, launches tied by correlation.
///
/// Names are those of the file: kernels by shortName, with the demangled one in args; ranges of torch's emit_nvtx
/// ("aten::add, seq = 3, op_id = 7") become operators. Tables that cannot be read to their end are counted.
extern const SqliteKind kNsysTables;

}  // namespace lacuna
