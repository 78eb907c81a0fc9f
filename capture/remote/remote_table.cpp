#include "capture/remote/remote_table.h"

#include <bit>
#include <cmath>

#include "capture/remote/fields.h"
#include "capture/remote/verbs.h"

namespace lacuna {
namespace {

/// Visits the fields of what is sent; `visit` writes them or reads them back.
template <class Visit, class Row>
void visit_row(Visit& visit, Row& row) {
  visit(row.label, row.category.value, row.count, row.total, row.self, row.min, row.max, row.p50, row.p99, row.counted,
        row.launch_delay, row.launch_delays, row.gpu_time, row.occupancy, row.grids_differ, row.bytes, row.flops,
        row.flop_calls, row.flop_time, row.flop_type, row.peak_tflops);
  for (auto& size : row.grid) visit(size);
  for (auto& size : row.block) visit(size);
  auto& roofline = row.roofline;
  visit(roofline.flop, roofline.bytes, roofline.timed_bytes, roofline.time, roofline.best_time, roofline.roofed_time);
  for (auto& time : roofline.bound_time) visit(time);
}

template <class Visit, class Longest>
void visit_longest(Visit& visit, Longest& longest) {
  visit(longest.lane.value, longest.span.begin, longest.span.end, longest.name);
}

template <class Visit, class Row>
void visit_torch_row(Visit& visit, Row& row) {
  visit(row.name, row.is_on_gpu, row.is_annotation, row.is_async, row.is_inside, row.count, row.cpu_total, row.self_cpu,
        row.device_total, row.self_device, row.cpu_memory, row.self_cpu_memory, row.device_memory,
        row.self_device_memory, row.input_shapes, row.cpu_covered, row.device_covered, row.self_device_covered);
}

template <class Visit, class Table>
void visit_head(Visit& visit, Table& table) {
  visit(table.problem, table.rows_left_out, table.groups.cpu_self, table.groups.gpu_total, table.groups.sampled_self);
  auto& torch = table.torch;
  visit(torch.device_name, torch.has_memory, torch.has_covered, torch.cpu_covered, torch.device_covered);
  auto& totals = table.totals;
  visit(totals.self_cpu, totals.self_device, totals.has_device_time, totals.has_device_memory);
}

class Put {
 public:
  explicit Put(FieldWriter& out) : out_(out) {}
  void operator()(const auto&... fields) { (put_one(fields), ...); }

 private:
  void put_one(const std::string& text) { out_.text(text); }
  void put_one(double value) { out_.number(std::bit_cast<std::uint64_t>(value)); }
  void put_one(const auto& value) { out_.number(static_cast<std::uint64_t>(value)); }

  FieldWriter& out_;
};

class Get {
 public:
  explicit Get(FieldReader& in) : in_(in) {}
  void operator()(auto&... fields) { (get_one(fields), ...); }

 private:
  void get_one(std::string& text) { text = in_.text(); }
  void get_one(double& value) { value = std::bit_cast<double>(in_.number()); }
  template <class Value>
  void get_one(Value& value) {
    value = static_cast<Value>(in_.number());
  }

  FieldReader& in_;
};

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "\xE2\x80\xA6";
}

void put(FieldWriter& out, const AskedTable& asked) {
  Put write(out);
  const auto* torch = std::get_if<AskedTorch>(&asked.what);
  write(torch != nullptr);
  if (torch != nullptr) {
    write(torch->by_shape, torch->stack_frames, torch->python_functions);
  } else {
    write(std::get<GroupBy>(asked.what));
  }
  write(asked.range.begin, asked.range.end, asked.tracks.size());
  for (const TrackId track : asked.tracks) write(track.value);
}

std::optional<AskedTable> get_asked_table(FieldReader& in) {
  AskedTable asked;
  Get read(in);
  bool is_torch = false;
  read(is_torch);
  if (is_torch) {
    AskedTorch torch;
    read(torch.by_shape, torch.stack_frames, torch.python_functions);
    asked.what = torch;
  } else {
    const std::uint64_t by = in.number();
    if (by > static_cast<std::uint64_t>(GroupBy::kClass)) return std::nullopt;
    asked.what = static_cast<GroupBy>(by);
  }
  std::uint64_t tracks = 0;
  read(asked.range.begin, asked.range.end, tracks);
  if (tracks > kMostRemoteViewTracks) return std::nullopt;
  for (; tracks > 0 && in.ok(); --tracks) read(asked.tracks.emplace_back().value);
  if (!in.ok()) return std::nullopt;
  return asked;
}

void put(FieldWriter& out, const RemoteTable& table) {
  put(out, table.asked);
  Put write(out);
  visit_head(write, table);
  write(table.groups.rows.size());
  for (std::size_t i = 0; i < table.groups.rows.size(); ++i) {
    visit_row(write, table.groups.rows[i]);
    visit_longest(write, table.longest[i]);
  }
  write(table.torch.rows.size());
  for (const TorchRow& row : table.torch.rows) {
    visit_torch_row(write, row);
    write(row.stack.size());
    for (const std::string& frame : row.stack) write(frame);
  }
}

std::optional<RemoteTable> get_remote_table(FieldReader& in, const Trace& trace) {
  std::optional<AskedTable> asked = get_asked_table(in);
  if (!asked) return std::nullopt;
  RemoteTable table;
  table.asked = std::move(*asked);
  Get read(in);
  visit_head(read, table);
  std::uint64_t groups = in.number();
  if (groups > kMostTableRows) return std::nullopt;
  for (; groups > 0 && in.ok(); --groups) {
    GroupRow& row = table.groups.rows.emplace_back();
    LongestSlice& longest = table.longest.emplace_back();
    visit_row(read, row);
    visit_longest(read, longest);
    if (row.category.value >= trace.categories().size() || longest.lane.value >= trace.lanes().size() ||
        row.flop_type > FlopType::kFp8)
      return std::nullopt;
  }
  std::uint64_t rows = in.number();
  if (rows > kMostTableRows) return std::nullopt;
  for (; rows > 0 && in.ok(); --rows) {
    TorchRow& row = table.torch.rows.emplace_back();
    visit_torch_row(read, row);
    std::uint64_t frames = in.number();
    if (frames > kMostTableRows) return std::nullopt;
    for (; frames > 0 && in.ok(); --frames) read(row.stack.emplace_back());
    for (const double us : {row.cpu_total, row.self_cpu, row.device_total, row.self_device})
      if (!std::isfinite(us)) return std::nullopt;  // rows are sorted by them
  }
  if (!in.ok()) return std::nullopt;
  return table;
}

}  // namespace lacuna
