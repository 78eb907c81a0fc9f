#pragma once

namespace lacuna::collector {

// Names that the target gives to its CUDA objects through NVTX, sent to the viewer. Handles are converted to
// CUPTI's ids at once, while they are valid: later a stream may be destroyed and its handle reused.
// Any thread; no lock is held over a call into CUPTI or the driver. Null names are ignored.

/// Names a device by its ordinal; needs no CUDA.
void name_device(int ordinal, const char* name);
/// Does nothing without GPU capture.
void name_context(void* context, const char* name);
/// `stream`: a handle of the driver or the runtime, the special ones (null, legacy, per thread) included.
void name_stream(void* stream, const char* name);
/// Counts the name of an object without a lane (an event). `type` is NVTX's resource type.
void name_other(unsigned type);

}  // namespace lacuna::collector
