#pragma once
// From an operator to the GPU work that it launched, and back: each activity belongs to the call that
// launched it (links.h) and to every slice around that call.

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/calls/graph_origins.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The activities of one (name, category), or those launched inside the slices of one.
struct WorkRow {
  StringId name = kEmptyString;
  CategoryId category;
  std::uint64_t count = 0;  ///< activities
  Nanos time = 0;           ///< their durations added up, clipped to the range
  SliceId first{};          ///< of the slices with that name the one that starts first
};

/// GPU work that some slices launched, themselves or anything inside them.
struct LaunchedWork {
  std::vector<WorkRow> kernels;  ///< kernels, copies and sets by name; most time first
  std::uint64_t count = 0;
  Nanos time = 0;  ///< sum over `kernels`; what runs side by side on two streams counts twice
  SliceId first;   ///< the activity that starts first; invalid when nothing was launched
};

/// The work launched inside `places`; each activity counts once, however the places nest. Activities
/// that do not overlap `range` do not count. O(places * rows below * log n + launches inside). Any
/// thread. `cancel`: what is left is then no answer.
LaunchedWork work_launched_by(const Trace& trace, std::span<const SliceId> places,
                              TimeSpan range = TimeSpan::everything(), const std::atomic<bool>* cancel = nullptr);

/// How much work_launched_by() finds of each slice alone, for all slices of CPU threads at once: rows may be many, and
/// each has all that is inside of it. Building: O(slices of threads that launch). Any thread may read.
class LaunchedTotals {
 public:
  /// `graphs`: what was captured counts as launched there as well, where the graph was launched within `replays`.
  explicit LaunchedTotals(const Trace& trace, const GraphOrigins* graphs = nullptr,
                          TimeSpan replays = TimeSpan::everything());
  struct Total {
    std::uint64_t count = 0;
    Nanos time = 0;
    std::uint64_t replays = 0;  ///< how often graphs ran what was captured in it; 0: nothing was
  };
  Total of(SliceId slice) const;

 private:
  static constexpr std::size_t kNothing = ~std::size_t{0};
  std::vector<std::size_t> begins_;  // by lane: where its totals begin
  std::vector<Total> totals_;
};

/// The activity launched inside `slice` that starts first, or an invalid id. O(rows below * log n +
/// launches inside).
SliceId first_work_of(const Trace& trace, SliceId slice);

/// Who launched some GPU work, by what is innermost around the launches.
struct LaunchSites {
  std::vector<WorkRow> operators;  ///< innermost operator; without one, the launching call
  std::vector<WorkRow> modules;    ///< innermost "nn.Module: …" frame
  std::vector<WorkRow> frames;     ///< innermost Python frame that is neither C code nor a module
  std::uint64_t count = 0;         ///< activities
  std::uint64_t unlinked = 0;      ///< … whose launch is not in the file
  std::uint64_t unattributed = 0;  ///< … of CUDA graphs, where nothing tells what was captured
};

/// The sites of the GPU activities among `places`; the rest of `places` is passed over. Tables are
/// sorted by time, most first. O(places + slices around them). Any thread. `graphs`: what was captured counts as the
/// launch.
LaunchSites launch_sites_of(const Trace& trace, std::span<const SliceId> places,
                            TimeSpan range = TimeSpan::everything(), const std::atomic<bool>* cancel = nullptr,
                            const GraphOrigins* graphs = nullptr);

/// What lies above a slice: of GPU work its launch and everything around that, of a CPU slice everything
/// around it; innermost first. Empty when there is nothing, or the launch is not in the file. `graphs`: before the
/// launch of a graph comes what the work was captured in.
std::vector<SliceId> stack_above(const Trace& trace, SliceId slice, const GraphOrigins* graphs = nullptr);

/// "nn.Module: Linear_0", the frame that torch.profiler writes with with_modules=True.
bool is_module_frame(std::string_view name);

}  // namespace lacuna
