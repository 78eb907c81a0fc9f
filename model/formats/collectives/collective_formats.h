#pragma once

#include "model/formats/format.h"

namespace lacuna {

// Formats that contain a rank's collectives but not its other work. Each collective becomes a communication kernel with
// PyTorch's args, so that `lacuna job` matches those of several ranks as in any trace.

/// JSON lines of NCCL's inspector (ext-profiler/inspector): a collective is identified by communicator and coll_sn.
/// Without verbose output, a collective ends when its line was written, at the latest.
extern const Format kNcclInspectorFormat;
/// Chakra's execution traces (.et, protobuf or JSON): nodes and their dependencies. If nodes have durations but no
/// starts, each begins when its dependencies, and the previous node of its lane, have ended.
extern const Format kChakraFormat;

}  // namespace lacuna
