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
    {"dependency", "dependency",
     "The next activity was issued in time, and waited for work on another stream, or for room on "
     "the GPU beside it."},
    {"communication", "communication", "The GPU or the CPU waited for data that moves between GPUs or hosts."},
    {"profiler overhead", "profiler_overhead", "The profiler was at work; without it the gap would be shorter."},
    {"kernel spacing", "kernel_spacing",
     "The next activity was issued in time; this is the usual distance between queued activities."},
    {"outside any step", "outside_steps", "Not inside any ProfilerStep, in a trace that has such annotations."},
    {"unknown", "unknown", "The trace does not tell."},
}};

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
