#pragma once

namespace lacuna {

struct Format;

/// XProf's files from JAX, TensorFlow and PyTorch/XLA: HOST.xplane.pb, planes of devices and hosts with lines of
/// events. A device's lines "Stream #N" are its streams, or "XLA Ops" if there are none (TPUs); its other lines
/// ("Steps", "XLA Modules" …) become annotations. Lines of hosts are threads. Launches are linked by correlation_id.
/// Times in the file are in ps, rounded down to ns. Needs the memory of the largest plane.
extern const Format kXplaneFormat;

}  // namespace lacuna
