#pragma once

#include "capture/collector/process.h"

namespace lacuna::collector {

/// Makes the segment of this process and hands it to the viewer. False when there is none: no
/// LACUNA_SOCKET, no listener, a listener of another user, no memory. The caller holds the lock.
/// Waits 100 ms at most, and only where the viewer's queue of new processes is full.
bool attach(Process& process);

/// The same for who is at the other end of `descriptor` already, with what it asks for (wire::kCaptureVariable). The
/// process sleeps; the descriptor stays the caller's.
bool attach_to(Process& process, int descriptor, const char* capture, unsigned long ring_kib);
/// Gives back the memory of a segment without a reader. Threads may still be in the middle of a record.
void leave_segment(const Process& process);
/// Makes each child forked from now on start afresh.
void watch_forks();

}  // namespace lacuna::collector
