#pragma once

#include "capture/collector/process.h"

namespace lacuna::collector {

/// Makes the segment of this process and hands it to the viewer. False when there is none: no
/// LACUNA_SOCKET, nobody listens, another user listens, no memory. The caller holds the lock.
/// Waits 100 ms at most, and only where the viewer's queue of new processes is full.
bool attach(Process& process);

}  // namespace lacuna::collector
