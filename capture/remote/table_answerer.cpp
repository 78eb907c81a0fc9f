#include "capture/remote/table_answerer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/base/guarded.h"
#include "model/base/start_thread.h"
#include "model/groups/full_groups.h"

namespace lacuna {
namespace {

/// Keeps the kMostTableRows rows of the largest `time`, in their order. Returns how many it drops.
template <class Row, class Time>
std::uint64_t keep_most(std::vector<Row>& rows, Time time) {
  if (rows.size() <= kMostTableRows) return 0;
  std::vector<std::uint32_t> order(rows.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t i) { return time(rows[i]); });
  order.resize(kMostTableRows);
  std::ranges::sort(order);
  std::vector<Row> kept;
  for (const std::uint32_t i : order) kept.push_back(std::move(rows[i]));
  const std::uint64_t dropped = rows.size() - kept.size();
  rows = std::move(kept);
  return dropped;
}

void compute_groups_for(RemoteTable& table, const Trace& trace, std::shared_ptr<const Roofline>& roofline,
                        const std::atomic<bool>& cancel) {
  GroupOptions options;
  options.by = std::get<GroupBy>(table.asked.what);
  options.range = table.asked.range;
  options.tracks = table.asked.tracks;
  std::erase_if(options.tracks, [&](TrackId track) { return track.value >= trace.tracks().size(); });
  options.roofline = roofline;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.cancel = &cancel;
  FullGroups full = compute_full_groups(trace, options);
  roofline = full.options.roofline;
  table.problem = full.problem;
  table.groups = std::move(full.table);
  table.rows_left_out = keep_most(table.groups.rows, [](const GroupRow& row) { return row.self; });
  for (GroupRow& row : table.groups.rows) {
    row.label = shortened(row.label, kMostTableText);
    LongestSlice& longest = table.longest.emplace_back();
    if (!row.longest.valid()) continue;
    longest = {row.longest.lane, trace.span(row.longest), shortened(trace.name(row.longest), kMostTableText)};
  }
}

void compute_torch_for(RemoteTable& table, const Trace& trace) {
  const AskedTorch& asked = std::get<AskedTorch>(table.asked.what);
  TorchTableOptions options;
  options.group_by_input_shape = asked.by_shape;
  options.group_by_stack_n = asked.stack_frames;
  options.include_python_functions = asked.python_functions;
  options.covered = true;
  options.range = table.asked.range;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  Result<TorchTable> torch = compute_torch_table(trace, options);
  if (!torch) {
    table.problem = torch.error().message();
    return;
  }
  table.torch = std::move(*torch);
  table.totals = torch_totals(table.torch);
  table.rows_left_out = keep_most(table.torch.rows, [](const TorchRow& row) { return row.self_cpu + row.self_device; });
  for (TorchRow& row : table.torch.rows) {
    row.name = shortened(row.name, kMostTableText);
    row.input_shapes = shortened(row.input_shapes, kMostTableText);
    for (std::string& frame : row.stack) frame = shortened(frame, kMostTableText);
  }
}

}  // namespace

std::shared_ptr<const RemoteTable> TableAnswerer::find(const AskedTable& asked) {
  if (is_done_) {
    thread_ = {};
    if (!cancel_) latest_ = next_;
    next_.reset();
    is_done_ = false;
  }
  if (latest_ && latest_->asked == asked) return latest_;
  if (next_) {
    if (next_->asked != asked) cancel_ = true;
    return nullptr;
  }
  next_ = std::make_shared<RemoteTable>();
  next_->asked = asked;
  cancel_ = false;
  thread_ = start_thread([this, table = next_.get()] {
    if (!run_guarded([&] { compute(*table); }, [&](std::string_view) {})) {
      AskedTable unanswered = std::move(table->asked);
      *table = {};
      table->asked = std::move(unanswered);
      table->problem.assign("no memory");  // 15 characters need none
    }
    is_done_ = true;
  });
  if (thread_.joinable()) return nullptr;
  next_->problem = kNoMoreThreads;
  return std::exchange(next_, nullptr);
}

void TableAnswerer::compute(RemoteTable& table) {
  if (std::holds_alternative<GroupBy>(table.asked.what)) {
    compute_groups_for(table, trace_, roofline_, cancel_);
  } else {
    compute_torch_for(table, trace_);
  }
}

}  // namespace lacuna
