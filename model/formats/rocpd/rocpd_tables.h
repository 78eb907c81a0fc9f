#pragma once

namespace lacuna {

struct SqliteKind;

/// rocpd, the default output of rocprofv3 and rocprof-sys (schemas 3.0 to 3.0.5, 4.0 and 4.1): tables
/// "rocpd_region_UUID", one set per process. Kernels and copies are put on the streams of their GPUs, as Kineto
/// would have written them; on hardware queues if no stream was recorded. Launches are linked by the stack id that a
/// HIP call and its work share. Where processes share a GPU, further ones have stream numbers from 1000 on; further
/// nodes have GPU numbers from 1000 on and pids from 10,000,000 on.
extern const SqliteKind kRocpdTables;

/// RPD (rocmProfileData), schemas 2 and 3: rocpd_op, rocpd_api and rocpd_api_ops, which links the two. Queues
/// are streams; operators are those of its autograd table.
extern const SqliteKind kRpdTables;

}  // namespace lacuna
