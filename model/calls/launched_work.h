#pragma once
// Maps operators to the GPU work that they launched, and back: each activity belongs to the call that
// launched it (links.h) and to every slice around that call.

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/calls/graph_origins.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Activities of one (name, category), or launched inside the slices of one.
struct WorkRow {
  StringId name = kEmptyString;
  CategoryId category;
  std::uint64_t count = 0;  ///< activities
  Nanos time = 0;           ///< sum of their durations, clipped to the range
  SliceId first{};          ///< the first slice by start with that name
};

/// GPU work launched by some slices, directly or inside them.
struct LaunchedWork {
  std::vector<WorkRow> kernels;  ///< kernels, copies and sets by name; most time first
  std::uint64_t count = 0;
  Nanos time = 0;  ///< sum over `kernels`; concurrent work on two streams counts twice
  SliceId first;   ///< the activity that starts first; invalid when nothing was launched
};

/// Returns the work launched inside `places`; each activity counts once, even if places nest. Activities
/// outside of `range` do not count. O(places * rows below * log n + launches inside). Any
/// thread. After `cancel` the result is invalid.
LaunchedWork work_launched_by(const Trace& trace, std::span<const SliceId> places,
                              TimeSpan range = TimeSpan::everything(), const std::atomic<bool>* cancel = nullptr);

/// The totals of work_launched_by() for each slice alone, for all slices of CPU threads at once: rows may be many, and
/// each total includes all slices inside. Building: O(slices of threads that launch). Any thread may read.
class LaunchedTotals {
 public:
  /// `graphs`: captured work also counts for the captured call, where the graph was launched within `replays`.
  explicit LaunchedTotals(const Trace& trace, const GraphOrigins* graphs = nullptr,
                          TimeSpan replays = TimeSpan::everything());
  struct Total {
    std::uint64_t count = 0;
    Nanos time = 0;
    std::uint64_t replays = 0;  ///< how often graphs ran the work captured in the slice; 0: none was
  };
  Total of(SliceId slice) const;

 private:
  static constexpr std::size_t kNothing = ~std::size_t{0};
  std::vector<std::size_t> begins_;  // by lane: index of its first total
  std::vector<Total> totals_;
};

/// Returns the first activity by start that was launched inside `slice`, or an invalid id. O(rows below * log n +
/// launches inside).
SliceId first_work_of(const Trace& trace, SliceId slice);

/// The launch sites of some GPU work, by the innermost frames around the launches.
struct LaunchSites {
  std::vector<WorkRow> operators;  ///< innermost operator; without one, the launching call
  std::vector<WorkRow> modules;    ///< innermost "nn.Module: …" frame
  std::vector<WorkRow> frames;     ///< innermost Python frame that is neither C code nor a module
  std::uint64_t count = 0;         ///< activities
  std::uint64_t unlinked = 0;      ///< those whose launch is not in the file
  std::uint64_t unattributed = 0;  ///< those of CUDA graphs whose captured call is unknown
};

/// Returns the sites of the GPU activities among `places`; others are skipped. Tables are
/// sorted by time, most first. O(places + slices around them). Any thread. `graphs`: captured calls count as
/// launches.
LaunchSites launch_sites_of(const Trace& trace, std::span<const SliceId> places,
                            TimeSpan range = TimeSpan::everything(), const std::atomic<bool>* cancel = nullptr,
                            const GraphOrigins* graphs = nullptr);

/// Returns the call stack above a slice, innermost first: for GPU work its launch and all slices around that, for a CPU
/// slice all slices around it. Empty when there are none, or the launch is not in the file. With `graphs`, the captured
/// call and the slices around it come before the launch of the graph.
std::vector<SliceId> stack_above(const Trace& trace, SliceId slice, const GraphOrigins* graphs = nullptr);

/// Whether the name is that of a module's frame, as torch.profiler writes (with_modules=True): "nn.Module: Linear_0".
bool is_module_frame(std::string_view name);

}  // namespace lacuna
