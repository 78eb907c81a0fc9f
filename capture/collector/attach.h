#pragma once

#include "capture/collector/process.h"

namespace lacuna::collector {

/// Creates the segment of this process and passes it to the viewer. Returns false if that fails: no
/// LACUNA_SOCKET, no listener, a listener of another user, no memory. The caller holds the lock.
/// Waits at most 100 ms, and only if the viewer's queue of new processes is full.
bool attach(Process& process);

/// Attaches to the peer at the other end of `descriptor`, with the capture options it requests
/// (wire::kCaptureVariable). The process is asleep; the descriptor stays the caller's.
bool attach_to(Process& process, int descriptor, const char* capture, unsigned long ring_kib);
/// Frees the memory of a segment without a reader. Threads may still be writing a record.
void leave_segment(const Process& process);
/// Makes each child forked from now on attach by itself.
void watch_forks();

}  // namespace lacuna::collector
