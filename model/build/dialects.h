#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// In Chrome JSON of profilers other than Kineto, names of processes and threads, not categories, tell which
/// lanes are devices: XProf (JAX, TensorFlow), TensorFlow's timeline, rocprof and rpd2tracing, Intel's unitrace.
/// This is the meaning of one lane of such a file.
enum class LaneRole : std::uint8_t {
  kThread,        ///< a thread, or unknown: left as it is
  kStream,        ///< kernels, copies and sets of one stream of a device
  kAllStreams,    ///< work of all streams of a device: beside their lanes, or in place of them where there are none
  kBesideStream,  ///< lanes of a device above its streams: modules, steps …
  kCalls,         ///< API calls that start GPU work
  kHost,          ///< host work in a file that has devices: calls, and the framework's own work
  kCopies,        ///< copies, of a device if known
  kMarkers,       ///< ranges marked by the program
};

struct DialectLane {
  LaneRole role = LaneRole::kThread;
  std::string device;  ///< empty: the process is the device; devices are numbered in the order of the file
  std::string stream;  ///< empty: named by its tid
};

/// Returns the role of the lane with these names, as the file has them. No state, any thread.
DialectLane dialect_lane(std::string_view process, std::string_view thread);

/// Returns N of "/device:GPU:N" and the like, anywhere in the name; nothing for the CPU and names without a device.
std::optional<std::int64_t> device_of_plane(std::string_view name);
/// Returns N of "Stream #N(Compute)"; nothing for other names.
std::optional<std::int64_t> stream_of_line(std::string_view name);

/// Returns the category of device work by its name: "kernel", "gpu_memcpy" or "gpu_memset".
std::string_view activity_category(std::string_view name);
/// Returns the category of an API call by its name: "cuda_runtime", "hip_runtime", …; empty when it is none.
std::string_view call_category(std::string_view name);

/// Whether flows of this category link a call to the work that it launched, if the call is known to be one.
bool is_launch_arrow(std::string_view category);
/// Whether flows of this category are launch links of unitrace.
bool is_unitrace_arrow(std::string_view category);

}  // namespace lacuna
