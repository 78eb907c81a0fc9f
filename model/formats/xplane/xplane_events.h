#pragma once

namespace lacuna {

struct Format;

/// What XProf writes for JAX, TensorFlow and PyTorch/XLA: HOST.xplane.pb, planes of devices and hosts with lines of
/// events. Lines "Stream #N" of a device are its streams, or "XLA Ops" where there are none (TPUs); its other lines
/// ("Steps", "XLA Modules" …) are annotations of it. Lines of hosts are threads. Launches are tied by correlation_id.
/// Times are ps in the file, rounded down to ns. Needs the memory of the largest plane.
extern const Format kXplaneFormat;

}  // namespace lacuna
