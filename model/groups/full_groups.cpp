#include "model/groups/full_groups.h"

#include <utility>

namespace lacuna {

FullGroups compute_full_groups(const Trace& trace, const GroupOptions& options) {
  FullGroups full;
  GroupOptions& all = full.options = options;
  all.columns = {.percentiles = true,
                 .launch_delay = true,
                 .gpu_time = true,
                 .gpu_arguments = true,
                 .flops = true,
                 .roofline = true};
  if (!all.roofline) {
    RooflineOptions whole;
    whole.with_calls = true;
    whole.cancel = options.cancel;
    if (Result<Roofline> roofline = compute_roofline(trace, whole))
      all.roofline = std::make_shared<const Roofline>(std::move(*roofline));
  }
  const auto is_cancelled = [&] { return options.cancel != nullptr && *options.cancel; };
  Result<GroupTable> table = compute_groups(trace, all);
  if (!table && !is_cancelled()) {
    all.columns.gpu_arguments = all.columns.flops = all.columns.roofline = false;
    table = compute_groups(trace, all);
  }
  full.is_cancelled = is_cancelled();
  if (table) {
    full.table = std::move(*table);
  } else if (!full.is_cancelled) {
    full.problem = table.error().message();
  }
  all.cancel = nullptr;
  return full;
}

}  // namespace lacuna
