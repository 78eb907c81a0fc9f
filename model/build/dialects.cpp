#include "model/build/dialects.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::optional<std::int64_t> number_at(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

/// The number behind `mark`, as text; empty without one.
std::string number_after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  const auto number = at == std::string_view::npos ? std::nullopt : number_at(text.substr(at + mark.size()));
  return number ? std::to_string(*number) : std::string{};
}

/// "5 GPU0" without the place in the order of processes that rocprof puts in front.
std::string_view without_order(std::string_view process) {
  const auto blank = process.find(' ');
  const bool is_order = blank != std::string_view::npos && blank > 0 &&
                        std::ranges::all_of(process.substr(0, blank), [](char c) { return c >= '0' && c <= '9'; });
  return is_order ? process.substr(blank + 1) : process;
}

/// XProf: "/device:GPU:0" with threads "Stream #13(Compute)", "XLA Ops", "Steps" …
DialectLane xprof_lane(std::string_view process, std::string_view thread) {
  const auto device = device_of_plane(process);
  if (!device || has(process, "stream:") || has(process, "Compute")) return {};
  constexpr std::array<std::string_view, 10> kBeside{
      "Steps",       "XLA Modules",    "Framework Ops", "XLA TraceMe", "Framework Name Scope", "TensorFlow Name Scope",
      "Source code", "TensorFlow Ops", "Async XLA Ops", "Launch Stats"};
  if (const auto stream = stream_of_line(thread))
    return {LaneRole::kStream, std::to_string(*device), std::to_string(*stream)};
  if (thread == "XLA Ops") return {LaneRole::kAllStreams, std::to_string(*device), {}};
  const bool is_beside = std::ranges::find(kBeside, thread) != kBeside.end();
  return {is_beside ? LaneRole::kBesideStream : LaneRole::kThread, std::to_string(*device), {}};
}

/// TensorFlow's timeline: "/device:GPU:0/stream:all Compute", "/gpu:0 (NAME)/context#0/stream#1:Kernel Compute",
/// "/gpu:0/context#0/stream#2:MemcpyHtoD Compute".
DialectLane timeline_lane(std::string_view process) {
  std::string device;
  for (const std::string_view mark : {"/device:GPU:", "/device:gpu:", "/gpu:"})
    if (device.empty()) device = number_after(process, mark);
  if (device.empty() || has(process, " Tensors") || has(process, " Memory")) return {};
  if (has(process, "stream:all")) return {LaneRole::kAllStreams, device, "all"};
  std::string stream = number_after(process, "stream#");
  if (stream.empty()) stream = number_after(process, "/stream:");
  const bool is_copies = has(to_lower(process), "memcpy");
  if (stream.empty() && is_copies) stream = "memcpy";
  if (stream.empty()) return {};
  return {is_copies ? LaneRole::kCopies : LaneRole::kStream, device, stream};
}

/// rocprof: "5 GPU0", "1 CPU HIP API", "0 COPY", "2 Markers and Ranges"; rpd2tracing: "GPU0".
DialectLane rocprof_lane(std::string_view process) {
  const std::string_view name = without_order(process);
  if (name.starts_with("GPU"))
    if (const auto device = number_at(name.substr(3)); device && name == "GPU" + std::to_string(*device))
      return {LaneRole::kStream, std::to_string(*device), {}};
  if (name == process) return {};  // what follows is rocprof's alone
  if (name == "CPU HIP API" || name == "CPU HSA API") return {LaneRole::kCalls, {}, {}};
  if (name == "COPY") return {LaneRole::kCopies, {}, "COPY"};
  return {name == "Markers and Ranges" ? LaneRole::kMarkers : LaneRole::kThread, {}, {}};
}

/// unitrace: "DEVICE<host>[0000:4d:00.0]", "HOST<host> rank 0".
DialectLane unitrace_lane(std::string_view process) {
  if (process.starts_with("DEVICE<") && has(process, ">[")) return {LaneRole::kStream, {}, {}};
  return {process.starts_with("HOST<") && has(process, ">") ? LaneRole::kCalls : LaneRole::kThread, {}, {}};
}

}  // namespace

DialectLane dialect_lane(std::string_view process, std::string_view thread) {
  if (process.empty()) return {};
  if (process.starts_with('/') || has(process, "/device:")) {
    DialectLane lane = xprof_lane(process, thread);
    if (lane.device.empty()) lane = timeline_lane(process);
    const bool is_host = has(process, "/host:") || has(process, "/device:CPU:");
    if (lane.role == LaneRole::kThread && is_host) lane.role = LaneRole::kHost;
    return lane;
  }
  DialectLane lane = unitrace_lane(process);
  return lane.role == LaneRole::kThread ? rocprof_lane(process) : lane;
}

std::optional<std::int64_t> device_of_plane(std::string_view name) {
  constexpr std::string_view kDevice = "/device:";
  const auto at = name.find(kDevice);
  if (at == std::string_view::npos) return {};
  const std::string_view kind = name.substr(at + kDevice.size());
  const auto colon = kind.find(':');
  if (colon == std::string_view::npos || kind.starts_with("CPU")) return {};
  return number_at(kind.substr(colon + 1));
}

std::optional<std::int64_t> stream_of_line(std::string_view name) {
  constexpr std::string_view kStream = "Stream #";
  return name.starts_with(kStream) ? number_at(name.substr(kStream.size())) : std::nullopt;
}

std::string_view activity_category(std::string_view name) {
  const std::string lower = to_lower(name.substr(0, 64));
  if (lower.starts_with("memcpy") || lower.starts_with("copy") || has(lower, "appendmemorycopy") ||
      has(lower, "usmmemcpy"))
    return "gpu_memcpy";
  if (lower.starts_with("memset") || lower.starts_with("fillbuffer") || has(lower, "appendmemoryfill") ||
      has(lower, "usmfill"))
    return "gpu_memset";
  return "kernel";
}

std::string_view call_category(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kCalls{{{"cuda", "cuda_runtime"},
                                                                                 {"cu", "cuda_driver"},
                                                                                 {"hip", "hip_runtime"},
                                                                                 {"ze", "xpu_driver"},
                                                                                 {"ur", "xpu_runtime"},
                                                                                 {"cl", "xpu_runtime"}}};
  for (const auto& [prefix, category] : kCalls)
    if (name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= 'A' &&
        name[prefix.size()] <= 'Z')
      return category;
  return {};
}

bool is_launch_arrow(std::string_view category) {
  return category == "DataFlow" || category == "api_op" || is_unitrace_arrow(category);
}

bool is_unitrace_arrow(std::string_view category) {
  return category.starts_with("Flow_H2D") || category.starts_with("CL_Flow_H2D");
}

}  // namespace lacuna
