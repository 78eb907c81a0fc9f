#include "model/torch/torch_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/torch/torch_covered.h"

namespace lacuna {
namespace {

constexpr std::size_t kColumnWidth = 12;
constexpr std::string_view kColumnGap = "  ";

double us(Nanos ns) {
  return static_cast<double>(ns) / 1000.0;
}

std::size_t limited(std::size_t width, const std::optional<std::size_t>& limit) {
  return limit ? std::min(width, *limit) : width;
}

/// torch's table() is laid out as it goes; so is this.
class Printer {
 public:
  Printer(const TorchTable& table, const TorchTextOptions& options)
      : table_(table), options_(options), totals_(torch_totals(table)) {}

  std::string print() {
    choose_columns();
    if (options_.header) line(std::string(line_length(), '=')).append(*options_.header).append("\n");
    if (options_.top_level_events_only) {
      line(std::string(line_length(), '='));
      line("This report only display top-level ops statistics");
    }
    rule();
    cells(titles_);
    rule();
    std::size_t shown = 0;
    for (const TorchRow& row : table_.rows) {
      if (options_.row_limit && shown == *options_.row_limit) break;
      if (options_.top_level_events_only && row.is_inside) continue;
      ++shown;
      add_row(row);
    }
    rule();
    footers();
    return std::move(text_);
  }

 private:
  std::string& line(std::string_view text) { return text_.append(text).append("\n"); }

  void column(std::string title, std::size_t width = kColumnWidth) {
    titles_.push_back(std::move(title));
    widths_.push_back(width);
  }

  void choose_columns() {
    std::size_t name = 0, shapes = 0, frame = 0;
    for (const TorchRow& row : table_.rows) {
      name = std::max(name, python_length(row.name));
      shapes = std::max(shapes, python_length(row.input_shapes));
      has_shapes_ |= row.input_shapes.size() > 2;  // more than "[]"
      has_stacks_ |= !row.stack.empty();
      for (const std::string& entry : row.stack) frame = std::max(frame, python_length(entry));
    }
    column("Name", limited(name + 4, options_.max_name_column_width));
    const std::string& device = table_.device_name;
    for (const char* title : {"Self CPU %", "Self CPU"}) column(title);
    if (options_.covered) {
      for (const char* title : {"CPU cover %", "CPU covered", "CPU overlap"}) column(title);
      if (totals_.has_device_time)
        for (const std::string& title : {"Self " + device, "Self " + device + " %", std::string("Self overlap"),
                                         device + " covered", device + " overlap"})
          column(title);
    } else {
      for (const char* title : {"CPU total %", "CPU total", "CPU time avg"}) column(title);
      if (totals_.has_device_time)
        for (const std::string& title :
             {"Self " + device, "Self " + device + " %", device + " total", device + " time avg"})
          column(title);
    }
    if (table_.has_memory) {
      column("CPU Mem");
      column("Self CPU Mem");
      if (totals_.has_device_memory) {
        column(device + " Mem");
        column("Self " + device + " Mem");
      }
    }
    column("# of Calls");
    if (has_shapes_) column("Input Shapes", limited(shapes + 4, options_.max_shapes_column_width));
    if (has_stacks_) column("Source Location", limited(frame + 4, options_.max_src_column_width));
  }

  std::size_t line_length() const {
    std::size_t length = 0;
    for (const std::size_t width : widths_) length += width + kColumnGap.size();
    return length - kColumnGap.size();
  }

  void rule() {
    for (const std::size_t width : widths_) text_.append(width, '-').append(kColumnGap);
    text_ += '\n';
  }

  /// One line; texts that are wider than their column push the rest aside.
  void cells(const std::vector<std::string>& values) {
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      const std::size_t length = python_length(values[c]);
      const std::size_t room = widths_[c] > length ? widths_[c] - length : 0;
      const bool is_left = has_stacks_ && c + 1 == widths_.size();
      if (!is_left) text_.append(room, ' ');
      text_.append(values[c]);
      if (is_left) text_.append(room, ' ');
      text_.append(kColumnGap);
    }
    text_ += '\n';
  }

  std::string time(double value) const { return torch_time(value, options_.time_unit); }

  std::string name_cell(const TorchRow& row) const {
    const auto& limit = options_.max_name_column_width;
    if (!limit || python_length(row.name) + 3 < *limit) return row.name;
    // Python: name[: limit - 3], where a negative end counts from the back.
    const std::size_t length = python_length(row.name);
    const std::size_t kept = *limit >= 3 ? *limit - 3 : length - std::min(length, 3 - *limit);
    return std::string(python_head(row.name, kept)) + "...";
  }

  std::string frame_cell(const std::string& entry) const {
    const std::size_t width = widths_.back();
    if (python_length(entry) <= width) return entry;
    const std::string_view tail = python_tail(entry, width);
    return width <= 3 ? std::string(tail) : "..." + std::string(python_tail(tail, width - 3));
  }

  void time_cells(const TorchRow& row, std::vector<std::string>& out) const {
    out.push_back(row.is_async ? "0" : torch_share(row.cpu_total, totals_.self_cpu));
    out.push_back(time(row.cpu_total));
    out.push_back(time(row.cpu_average()));
    if (!totals_.has_device_time) return;
    out.push_back(time(row.self_device));
    out.push_back(torch_share(row.self_device, totals_.self_device));
    out.push_back(time(row.device_total));
    out.push_back(time(row.device_average()));
  }

  /// Time covered, and what torch's sum is above it.
  void covered_cells(const TorchRow& row, std::vector<std::string>& out) const {
    const double cpu = us(row.cpu_covered);
    out.push_back(torch_share(cpu, us(table_.cpu_covered)));
    out.push_back(time(cpu));
    out.push_back(time(torch_overlap(row.cpu_total, row.cpu_covered)));
    if (!totals_.has_device_time) return;
    const double self = us(row.self_device_covered), total = us(row.device_covered);
    out.push_back(time(self));
    out.push_back(torch_share(self, us(table_.device_covered)));
    out.push_back(time(torch_overlap(row.self_device, row.self_device_covered)));
    out.push_back(time(total));
    out.push_back(time(torch_overlap(row.device_total, row.device_covered)));
  }

  void add_row(const TorchRow& row) {
    std::vector<std::string> out;
    out.push_back(name_cell(row));
    out.push_back(torch_share(row.self_cpu, totals_.self_cpu));
    out.push_back(time(row.self_cpu));
    if (options_.covered) {
      covered_cells(row, out);
    } else {
      time_cells(row, out);
    }
    if (table_.has_memory) {
      out.push_back(torch_memory(row.cpu_memory));
      out.push_back(torch_memory(row.self_cpu_memory));
      if (totals_.has_device_memory) {
        out.push_back(torch_memory(row.device_memory));
        out.push_back(torch_memory(row.self_device_memory));
      }
    }
    out.push_back(std::to_string(row.count));
    if (has_shapes_) {
      const std::size_t width = widths_[out.size()];
      out.emplace_back(python_head(row.input_shapes, width));
    }
    if (!has_stacks_) return cells(out);
    out.push_back(row.stack.empty() ? "" : frame_cell(row.stack.front()));
    cells(out);
    std::vector<std::string> below(widths_.size());
    for (std::size_t f = 1; f < row.stack.size(); ++f) {
      below.back() = frame_cell(row.stack[f]);
      cells(below);
    }
    below.back().clear();
    cells(below);
  }

  void footers() {
    line("Self CPU time total: " + time(totals_.self_cpu));
    if (options_.covered) line("CPU time covered: " + time(us(table_.cpu_covered)));
    if (!totals_.has_device_time) return;
    const std::string& device = table_.device_name;
    line("Self " + device + " time total: " + time(totals_.self_device));
    if (!options_.covered) return;
    const double covered = us(table_.device_covered);
    line(device + " time covered: " + time(covered));
    line(device + " overlap: " + time(totals_.self_device - covered));
  }

  const TorchTable& table_;
  const TorchTextOptions& options_;
  const TorchTotals totals_;
  bool has_shapes_ = false;
  bool has_stacks_ = false;
  std::vector<std::string> titles_;
  std::vector<std::size_t> widths_;
  std::string text_;
};

}  // namespace

TorchTotals torch_totals(const TorchTable& table) {
  TorchTotals totals;
  for (const TorchRow& row : table.rows) {
    totals.self_cpu += row.self_cpu;
    if (row.is_on_gpu && !row.is_annotation) totals.self_device += row.self_device;
    totals.has_device_time |= row.self_device > 0;
    totals.has_device_memory |= row.self_device_memory > 0;
  }
  totals.has_device_memory &= !table.device_name.empty();
  return totals;
}

std::string torch_table_text(const TorchTable& table, const TorchTextOptions& options) {
  return table.rows.empty() ? "" : Printer(table, options).print();
}

}  // namespace lacuna
