#pragma once

#include "model/formats/format.h"

namespace lacuna {

// What knows the collectives of a rank and not the rest of its work. Each becomes communication kernels with the args
// that PyTorch gives them, so that `lacuna job` matches those of several ranks as it does in any trace.

/// Lines of JSON of NCCL's inspector (ext-profiler/inspector): a collective of a communicator is that with its coll_sn.
/// Where it was not verbose, a collective ends when its line was written, at the latest.
extern const Format kNcclInspectorFormat;
/// Chakra's execution traces (.et, protobuf, or JSON): nodes and what they depend on. Where nodes have durations and no
/// starts, each begins when what it depends on, and the one before it on its lane, has ended.
extern const Format kChakraFormat;

}  // namespace lacuna
