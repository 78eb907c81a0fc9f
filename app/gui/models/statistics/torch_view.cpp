#include "app/gui/models/statistics/torch_view.h"

#include <utility>

#include "capture/remote/remote_questions.h"
#include "model/torch/torch_covered.h"
#include "model/torch/torch_format.h"
#include "model/torch/torch_names.h"

namespace lacuna {

void TorchView::reset() {
  job_.cancel();
  document_.reset();
  table_.reset();
  sorted_ = {};
  rows_.clear();
  events_ = 0;
  error_.clear();
}

void TorchView::ask(const DocumentPtr& document, TimeSpan range) {
  if (document == document_ && range == range_ && options == asked_) return;
  const bool goes_on = document && document->is_thinned && document_ && document_->is_thinned;
  if (document != document_ && !goes_on) reset();
  document_ = document;
  range_ = range;
  asked_ = options;
  if (!document_) return;
  if (document_->is_thinned) return take_remote();
  TorchTableOptions wanted;
  wanted.group_by_input_shape = options.by_shape;
  wanted.group_by_stack_n = options.stack_frames;
  wanted.include_python_functions = options.python_functions;
  wanted.covered = true;  // both time modes from one answer
  wanted.range = range;
  job_.start([document, wanted] {
    Answer answer;
    Result<TorchTable> table = compute_torch_table(document->trace, wanted);
    if (table) {
      answer.table = std::move(*table);
    } else {
      answer.error = table.error().message();
    }
    return answer;
  });
}

/// Each picture brings the table anew; until then that of the last one stays.
void TorchView::take_remote() {
  const AskedPage wanted{asked_, range_};
  if (const std::shared_ptr<const RemotePage> table = document_->answers->page(wanted)) {
    table_ = std::make_shared<const Answer>(Answer{table->torch, table->problem, table});
    error_ = table_->error;
    is_new_ = true;
  } else if (table_ && table_->remote->asked != wanted) {
    table_.reset();
    error_.clear();
  }
}

bool TorchView::lets_through(const TorchRow& row) const {
  if (top_level_only && row.is_inside) return false;
  if (side != StatisticsSide::kAll && row.is_on_gpu != (side == StatisticsSide::kGpu)) return false;
  return matches_words(filter, row.name, row.input_shapes);
}

bool TorchView::update() {
  bool is_new = std::exchange(is_new_, false);
  if (auto answer = job_.take()) {
    table_ = std::move(answer);
    error_ = table_->error;
    is_new = true;
  }
  if (!table_ || (!is_new && wanted() == shown_)) return is_new;
  if (is_new || sort != shown_.sort || covered != shown_.covered) {
    sorted_ = table_->table;
    sort_torch_rows(sorted_.rows, sort, covered);
    totals_ = rows_left_out() > 0 ? table_->remote->totals : torch_totals(sorted_);
  }
  shown_ = wanted();
  rows_.clear();
  events_ = 0;
  for (std::uint32_t i = 0; i < sorted_.rows.size(); ++i) {
    if (!lets_through(sorted_.rows[i])) continue;
    rows_.push_back(i);
    events_ += sorted_.rows[i].count;
  }
  return true;
}

void TorchView::settle() {
  job_.wait();
  update();
}

std::string TorchView::text() const {
  if (!table_) return {};
  TorchTextOptions how;
  how.row_limit = std::nullopt;
  how.covered = covered;
  how.top_level_events_only = top_level_only;
  if (filter.empty() && side == StatisticsSide::kAll) return torch_table_text(sorted_, how);
  TorchTable some = sorted_;
  some.rows.clear();
  for (const std::uint32_t i : rows_) some.rows.push_back(sorted_.rows[i]);
  return torch_table_text(some, how);
}

namespace {

double us(Nanos ns) {
  return static_cast<double>(ns) / 1000.0;
}

using Totals = TorchTotals;
using Row = TorchRow;

}  // namespace

std::vector<TorchColumn> torch_columns(const TorchTable& table, const TorchTotals& totals,
                                       const TorchView::Options& options, bool covered) {
  using Key = TorchSortKey;
  std::vector<TorchColumn> columns;
  const auto add = [&](std::string title, Key key, auto cell) {
    columns.push_back({std::move(title), key, false, cell});
  };
  const std::string& device = table.device_name;
  columns.push_back({"Name", Key::kName, true, [](const TorchTable&, const Totals&, const Row& r) { return r.name; }});
  add("Self CPU %", Key::kSelfCpu,
      [](const TorchTable&, const Totals& t, const Row& r) { return torch_share(r.self_cpu, t.self_cpu); });
  add("Self CPU", Key::kSelfCpu, [](const TorchTable&, const Totals&, const Row& r) { return torch_time(r.self_cpu); });
  if (covered) {
    add("CPU cover %", Key::kCpuTotal, [](const TorchTable& b, const Totals&, const Row& r) {
      return torch_share(us(r.cpu_covered), us(b.cpu_covered));
    });
    add("CPU covered", Key::kCpuTotal,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_time(us(r.cpu_covered)); });
    add("CPU overlap", Key::kNone, [](const TorchTable&, const Totals&, const Row& r) {
      return torch_time(torch_overlap(r.cpu_total, r.cpu_covered));
    });
  } else {
    add("CPU total %", Key::kCpuTotal, [](const TorchTable&, const Totals& t, const Row& r) {
      return r.is_async ? std::string("0") : torch_share(r.cpu_total, t.self_cpu);
    });
    add("CPU total", Key::kCpuTotal,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_time(r.cpu_total); });
    add("CPU time avg", Key::kCpuTime,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_time(r.cpu_average()); });
  }
  if (totals.has_device_time && covered) {
    add("Self " + device, Key::kSelfDevice,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_time(us(r.self_device_covered)); });
    add("Self " + device + " %", Key::kSelfDevice, [](const TorchTable& b, const Totals&, const Row& r) {
      return torch_share(us(r.self_device_covered), us(b.device_covered));
    });
    add("Self overlap", Key::kNone, [](const TorchTable&, const Totals&, const Row& r) {
      return torch_time(torch_overlap(r.self_device, r.self_device_covered));
    });
    add(device + " covered", Key::kDeviceTotal,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_time(us(r.device_covered)); });
    add(device + " overlap", Key::kNone, [](const TorchTable&, const Totals&, const Row& r) {
      return torch_time(torch_overlap(r.device_total, r.device_covered));
    });
  } else if (totals.has_device_time) {
    add("Self " + device, Key::kSelfDevice,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_time(r.self_device); });
    add("Self " + device + " %", Key::kSelfDevice,
        [](const TorchTable&, const Totals& t, const Row& r) { return torch_share(r.self_device, t.self_device); });
    add(device + " total", Key::kDeviceTotal,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_time(r.device_total); });
    add(device + " time avg", Key::kDeviceTime,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_time(r.device_average()); });
  }
  if (table.has_memory) {
    add("CPU Mem", Key::kCpuMemory,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_memory(r.cpu_memory); });
    add("Self CPU Mem", Key::kSelfCpuMemory,
        [](const TorchTable&, const Totals&, const Row& r) { return torch_memory(r.self_cpu_memory); });
    if (totals.has_device_memory) {
      add(device + " Mem", Key::kDeviceMemory,
          [](const TorchTable&, const Totals&, const Row& r) { return torch_memory(r.device_memory); });
      add("Self " + device + " Mem", Key::kSelfDeviceMemory,
          [](const TorchTable&, const Totals&, const Row& r) { return torch_memory(r.self_device_memory); });
    }
  }
  add("# of Calls", Key::kCount,
      [](const TorchTable&, const Totals&, const Row& r) { return std::to_string(r.count); });
  if (options.by_shape) {
    columns.push_back({"Input Shapes", Key::kNone, true,
                       [](const TorchTable&, const Totals&, const Row& r) { return r.input_shapes; }});
  }
  if (options.stack_frames > 0) {
    columns.push_back({"Source Location", Key::kNone, true, [](const TorchTable&, const Totals&, const Row& r) {
                         std::string text;
                         for (const std::string& frame : r.stack) text += (text.empty() ? "" : "\n") + frame;
                         return text;
                       }});
  }
  return columns;
}

std::vector<StringId> names_of_row(const Trace& trace, const TorchRow& row) {
  TorchNames names(trace.strings());
  const std::uint32_t wanted = names.intern(row.name);
  std::vector<StringId> found;
  for (std::uint32_t i = 0; i < trace.strings().size(); ++i)
    if (names.of(StringId{i}) == wanted) found.push_back(StringId{i});
  return found;
}

}  // namespace lacuna
