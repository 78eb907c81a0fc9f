#include "model/causes/gap_cause.h"

namespace lacuna {
namespace {

struct CauseText {
  std::string_view name;
  std::string_view key;
  std::string_view definition;
};

constexpr std::array<CauseText, kGapCauseCount> kTexts = {{
    {"launch-bound", "launch_bound",
     "The CPU issued the next activity after the previous one had ended: it was busy elsewhere."},
    {"synchronisation", "synchronisation",
     "The CPU issued the next activity late because it had waited for the GPU before."},
    {"data loading", "data_loading", "The CPU issued the next activity late because it waited for its next batch."},
    {"blocking copy", "blocking_copy",
     "The CPU issued the next activity late because a copy call returned only when its copy had ended."},
    {"first use", "first_use",
     "The CPU issued the next activity late because code was loaded, compiled or tuned for its first use."},
    {"allocation", "allocation",
     "The CPU issued the next activity late because it allocated or freed memory through the driver."},
    {"full queue", "full_queue",
     "The CPU issued the next activity late because launches waited for a place: 1,024 were outstanding."},
    {"thread not scheduled", "thread_not_scheduled",
     "The CPU issued the next activity late because its thread did not run: preempted, or waiting for a lock or I/O."},
    {"host callback", "host_callback",
     "The next activity was issued in time, behind a function that its stream calls on the CPU."},
    {"dependency", "dependency",
     "The next activity was issued in time, and waited for work on another stream, or for room on "
     "the GPU beside it."},
    {"communication", "communication", "The GPU or the CPU waited for data that moves between GPUs or hosts."},
    {"late rank", "late_rank",
     "The GPU or the CPU waited for a collective that for half of the gap or more waited for a late rank."},
    {"inside a graph", "inside_graph",
     "Between two nodes of one graph launch: one waits for another inside the graph, or a node was not recorded."},
    {"profiler overhead", "profiler_overhead", "The profiler was at work; without it the gap would be shorter."},
    {"kernel spacing", "kernel_spacing",
     "The next activity was issued in time; this is the usual distance between queued activities."},
    {"not recorded", "not_recorded",
     "The file itself shows that it lacks the GPU work or the launches of this time, so the GPU may have been busy."},
    {"outside any step", "outside_steps", "Not inside any step, in a trace that has steps."},
    {"unknown", "unknown", "The trace does not tell."},
}};

static_assert(!kTexts.back().name.empty(), "a cause lacks its text");

const CauseText& text(GapCause cause) {
  return kTexts[static_cast<std::size_t>(cause)];
}

}  // namespace

std::string_view cause_name(GapCause cause) {
  return text(cause).name;
}
std::string_view cause_key(GapCause cause) {
  return text(cause).key;
}
std::string_view cause_definition(GapCause cause) {
  return text(cause).definition;
}

}  // namespace lacuna
