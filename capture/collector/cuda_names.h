#pragma once

namespace lacuna::collector {

// Names that the target gives to its CUDA objects through NVTX, on their way to the viewer. Handles become
// CUPTI's ids at once, while they are valid: afterwards a stream may be destroyed and its handle be another's.
// Any thread; no lock is held over a call into CUPTI or the driver. Null names are ignored.

/// Device by its ordinal; needs no CUDA.
void name_device(int ordinal, const char* name);
/// Nothing without GPU capture: there is nothing to show then.
void name_context(void* context, const char* name);
/// `stream`: a handle of the driver or the runtime, the special ones (null, legacy, per thread) included.
void name_stream(void* stream, const char* name);
/// An object that has no lane (an event): counted by the viewer. `type` is NVTX's resource type.
void name_other(unsigned type);

}  // namespace lacuna::collector
