#pragma once

#include <span>
#include <string>

#include "model/trace/trace.h"

namespace lacuna {

/// An identity of a trace that does not depend on its path: 32 hexadecimal digits of the sizes
/// and of the first and last 64 KiB of all files, in order. A file that is written anew is another
/// trace; one of requests beside a trace does not make it another. Empty when a file cannot be read. Blocking: some
/// milliseconds a file.
std::string trace_identity(std::span<const TraceSource> sources);

}  // namespace lacuna
