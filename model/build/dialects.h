#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// Chrome JSON of profilers other than Kineto says by the names of processes and threads, not by categories, which of
/// its lanes are devices: XProf (JAX, TensorFlow), TensorFlow's timeline, rocprof and rpd2tracing, Intel's unitrace.
/// What a lane of a profiler's dialect stands for.
enum class LaneRole : std::uint8_t {
  kThread,        ///< as it stands: a thread, or nothing that is known
  kStream,        ///< kernels, copies and sets of a stream of a device
  kAllStreams,    ///< likewise of all streams at once: beside them, or in their place where there are none
  kBesideStream,  ///< of a device, above its streams: modules, steps …
  kCalls,         ///< calls of an API that start work
  kHost,          ///< what a host did, where the file has devices: calls, and the framework's own work
  kCopies,        ///< copies, of a device if that is known
  kMarkers,       ///< ranges that the program marked
};

struct DialectLane {
  LaneRole role = LaneRole::kThread;
  std::string device;  ///< empty: the process stands for a device; devices are numbered in the order of the file
  std::string stream;  ///< empty: by its tid
};

/// Of the lane with these names, as the file gives them. No state, any thread.
DialectLane dialect_lane(std::string_view process, std::string_view thread);

/// N of "/device:GPU:N" and the like, wherever in the name; nothing for what is no device, or the CPU.
std::optional<std::int64_t> device_of_plane(std::string_view name);
/// N of "Stream #N(Compute)"; nothing where it is no such name.
std::optional<std::int64_t> stream_of_line(std::string_view name);

/// The category that work on a device gets by its name: "kernel", "gpu_memcpy" or "gpu_memset".
std::string_view activity_category(std::string_view name);
/// That of an API's call by its name, "cuda_runtime", "hip_runtime", …; empty for what is none.
std::string_view call_category(std::string_view name);

/// Whether an arrow of this category leads from a call to the work that it started, where the call is known as one.
bool is_launch_arrow(std::string_view category);
/// Whether such an arrow is one of unitrace's.
bool is_unitrace_arrow(std::string_view category);

}  // namespace lacuna
