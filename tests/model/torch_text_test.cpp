#include "model/torch/torch_text.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/help/column_help.h"

using namespace lacuna;

namespace {

TorchRow torch_row(std::string name, double self_cpu, double cpu_total, std::uint64_t count = 1) {
  TorchRow r;
  r.name = std::move(name);
  r.self_cpu = self_cpu;
  r.cpu_total = cpu_total;
  r.count = count;
  return r;
}

TorchTable table_with(std::vector<TorchRow> rows) {
  TorchTable table;
  table.rows = std::move(rows);
  return table;
}

std::string line(const std::string& text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0; --index) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

TEST_CASE("a whole table") {
  CHECK(torch_table_text(table_with({torch_row("aten::mm", 1500, 3000, 2), torch_row("b", -500, 500)})) ==
        "------------  ------------  ------------  ------------  ------------  ------------  "
        "------------  \n"
        "        Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # "
        "of Calls  \n"
        "------------  ------------  ------------  ------------  ------------  ------------  "
        "------------  \n"
        "    aten::mm       150.00%       1.500ms       300.00%       3.000ms       1.500ms        "
        "     2  \n"
        "           b       -50.00%    -500.000us        50.00%     500.000us     500.000us        "
        "     1  \n"
        "------------  ------------  ------------  ------------  ------------  ------------  "
        "------------  \n"
        "Self CPU time total: 1.000ms\n");
}

TEST_CASE("no rows, no text; a sum of 0 gives NaN") {
  CHECK(torch_table_text({}) == "");
  const std::string text = torch_table_text(table_with({torch_row("a", 0, 0)}));
  CHECK(line(text, 3).find("     NaN       0.000us           NaN") != std::string::npos);
}

TEST_CASE("names of 52 and more are cut to 52 and three dots") {
  const std::string longest(51, 'a'), cut(52, 'b');
  const std::string text =
      torch_table_text(table_with({torch_row(longest, 1, 1), torch_row(cut, 1, 1), torch_row(cut + "c", 1, 1)}));
  CHECK(line(text, 0).starts_with(std::string(55, '-') + "  -"));
  CHECK(line(text, 3).starts_with("    " + longest + "  "));
  CHECK(line(text, 4).starts_with(cut + "...  "));
  CHECK(line(text, 5).starts_with(cut + "...  "));
  TorchTextOptions unlimited;
  unlimited.max_name_column_width = std::nullopt;
  CHECK(
      line(torch_table_text(table_with({torch_row(cut + "c", 1, 1)}), unlimited), 3).starts_with("    " + cut + "c  "));
}

TEST_CASE("a width of three and less counts from the end of the name, as in Python") {
  const auto cut = [](std::size_t width) {
    TorchTextOptions options;
    options.max_name_column_width = width;
    const std::string row = line(torch_table_text(table_with({torch_row("abcdefgh", 1, 1)}), options), 3);
    return row.substr(row.find_first_not_of(' '),
                      row.find("  ", row.find_first_not_of(' ')) - row.find_first_not_of(' '));
  };
  CHECK(cut(12) == "abcdefgh");
  CHECK(cut(11) == "abcdefgh...");
  CHECK(cut(4) == "a...");
  CHECK(cut(3) == "...");
  CHECK(cut(2) == "abcdefg...");
  CHECK(cut(1) == "abcdef...");
}

TEST_CASE("widths count code points") {
  const std::string text = torch_table_text(table_with({torch_row("größe", 1, 1)}));
  CHECK(line(text, 0).starts_with("---------  -"));
  CHECK(line(text, 3).starts_with("    größe  "));
}

TEST_CASE("row_limit and top_level_events_only choose rows, not sums") {
  TorchRow inside = torch_row("inside", 2, 2);
  inside.is_inside = true;
  const TorchTable table = table_with({inside, torch_row("a", 1, 1), torch_row("b", 1, 1)});
  TorchTextOptions options;
  options.row_limit = 1;
  options.top_level_events_only = true;
  const std::string text = torch_table_text(table, options);
  CHECK(text.find("inside") == std::string::npos);
  CHECK(text.find("25.00%") != std::string::npos);
  CHECK(line(text, 1) == "This report only display top-level ops statistics");
  CHECK(text.find("\n         b") == std::string::npos);
  CHECK(text.ends_with("Self CPU time total: 4.000us\n"));
  options.row_limit = 0;
  CHECK(torch_table_text(table, options).find("1.000us") == std::string::npos);
}

TEST_CASE("an asynchronous row prints 0, not 0.00%") {
  TorchRow async = torch_row("open", 0, 5);
  async.is_async = true;
  CHECK(line(torch_table_text(table_with({torch_row("a", 10, 10), async})), 4) ==
        "    open         0.00%       0.000us             0       5.000us       5.000us            "
        " 1  ");
}

TEST_CASE("device columns only where some self device time is above 0") {
  TorchTable table = table_with({torch_row("a", 10, 10), torch_row("k", 0, 0)});
  table.device_name = "CUDA";
  CHECK(torch_table_text(table).find("CUDA") == std::string::npos);
  table.rows[1].is_on_gpu = true;
  table.rows[1].self_device = table.rows[1].device_total = 4;
  table.rows[0].device_total = table.rows[0].self_device = 4;
  const std::string text = torch_table_text(table);
  // 13 characters in a column of 12 push the rest aside, in torch as here.
  CHECK(line(text, 1).ends_with("   Self CUDA   Self CUDA %    CUDA total  CUDA time avg    # of Calls  "));
  CHECK(line(text, 3).ends_with("     4.000us       100.00%       4.000us       4.000us             1  "));
  CHECK(line(text, 4).ends_with("     4.000us       100.00%       4.000us       4.000us             1  "));
  CHECK(text.ends_with("Self CPU time total: 10.000us\nSelf CUDA time total: 4.000us\n"));
}

TEST_CASE("stacks: one frame a line, cut in front, and an empty line after each row") {
  TorchTable table = table_with({torch_row("a", 1, 1), torch_row("b", 1, 1)});
  table.rows[0].stack = {"some/long/path.py(12): function", "x.py(1): g"};
  TorchTextOptions options;
  options.max_src_column_width = 12;
  const std::string text = torch_table_text(table, options);
  CHECK(line(text, 3).ends_with("  ... function  "));
  CHECK(line(text, 4).ends_with("  x.py(1): g    "));
  CHECK(line(text, 5).find_first_not_of(' ') == std::string::npos);
  CHECK(line(text, 7).find_first_not_of(' ') == std::string::npos);
}

TEST_CASE("time covered has its own columns and footers") {
  TorchTable table = table_with({torch_row("a", 10, 16)});
  table.device_name = "CUDA";
  table.has_covered = true;
  table.cpu_covered = 10'000;
  table.device_covered = 5'000;
  table.rows[0].is_on_gpu = true;
  table.rows[0].self_device = table.rows[0].device_total = 8;
  table.rows[0].self_device_covered = table.rows[0].device_covered = 5'000;
  table.rows[0].cpu_covered = 10'000;
  TorchTextOptions options;
  options.covered = true;
  const std::string text = torch_table_text(table, options);
  CHECK(line(text, 1).find("CPU cover %   CPU covered   CPU overlap     Self CUDA   Self CUDA %  Self overlap"
                           "  CUDA covered  CUDA overlap") != std::string::npos);
  CHECK(line(text, 3).find("100.00%      10.000us       6.000us       5.000us       100.00%       3.000us"
                           "       5.000us       3.000us") != std::string::npos);
  CHECK(
      text.ends_with("CPU time covered: 10.000us\nSelf CUDA time total: 8.000us\n"
                     "CUDA time covered: 5.000us\nCUDA overlap: 3.000us\n"));
}

TEST_CASE("every column is explained, by title and by each of its names") {
  for (const ColumnHelp& column : column_help()) {
    CAPTURE(std::string(column.title));
    CHECK_FALSE(column.definition.empty());
    CHECK_FALSE(column.source.empty());
    CHECK_FALSE(explain_column(column.title).empty());
  }
  CHECK(explain_column("self_cuda_time_total").size() == 1);
  CHECK(explain_column("Self XPU %").front()->title == "Self CUDA %");
  CHECK(explain_column("count").size() == 6);  // of every table that has one
  CHECK(explain_column("Self CPU").front()->title == "Self CPU");
  CHECK(explain_column("nonsense").empty());
  CHECK(explain_column("").empty());
}
