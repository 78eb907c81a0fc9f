#pragma once

#include <string>

#include "model/gaps/gaps.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Returns process and track: "python · thread 1234".
std::string track_text(const Trace& trace, const Track& track);
/// Returns "GPU 0 · stream 7".
std::string stream_text(const Trace& trace, const StreamActivity& stream);

}  // namespace lacuna
