#pragma once

namespace lacuna {

struct SqliteKind;

/// rocpd, what rocprofv3 and rocprof-sys write by default (schemas 3.0 to 3.0.5, 4.0 and 4.1): tables
/// "rocpd_region_UUID", one set for each process. Kernels and copies stand on the streams of their GPUs, as Kineto
/// would have written them; on hardware queues where no stream was recorded. Launches are tied by the stack id that a
/// call of HIP and its work share. Further processes have stream numbers from 1000 on where they share a GPU, further
/// nodes have GPU numbers from 1000 on and pids from 10,000,000 on.
extern const SqliteKind kRocpdTables;

/// RPD (rocmProfileData), schemas 2 and 3: rocpd_op, rocpd_api and rocpd_api_ops, which tie one to the other. Queues
/// are streams; operators are those of its autograd table.
extern const SqliteKind kRpdTables;

}  // namespace lacuna
