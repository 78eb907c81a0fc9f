#pragma once

namespace lacuna {

struct SqliteKind;

/// ascend_pytorch_profiler_RANK.db and msprof_*.db from the profilers of Ascend NPUs: tasks on the streams of
/// their devices, the CANN calls that issued them (linked by connection id), PyTorch's operators (linked to tasks like
/// Kineto's, by External id), mstx ranges, and collectives above the streams, a lane for each group.
extern const SqliteKind kAscendTables;

}  // namespace lacuna
