#pragma once

namespace lacuna {

struct SqliteKind;

/// ascend_pytorch_profiler_RANK.db and msprof_*.db, what the profilers of Ascend NPUs write: tasks on the streams of
/// their devices, CANN's calls that handed them over (tied by connection id), PyTorch's operators (tied to tasks as
/// Kineto's are, by External id), mstx ranges, and collectives above the streams, a lane for each group.
extern const SqliteKind kAscendTables;

}  // namespace lacuna
