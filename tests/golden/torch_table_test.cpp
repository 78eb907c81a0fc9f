// torch.profiler's table against torch's own print of it, character by character.
//
// tests/fixtures/NAME.key_averages.txt.gz: made by record_torch_cpu.py together with the trace; the
// headings are the calls that printed each table. No difference is allowed, whatever the sort,
// grouping or width, except in torch_cpu_unicode (see there).
//
// tests/golden/torch/NAME.key_averages.txt.gz: for shared traces with a GPU, which nobody here
// could record. Made by torch_reference.py: torch's own Python makes the table, but from a list of
// events that the script rebuilt from the file. So attribution, tree, sums and text are torch's;
// which CPU thread a call is on, which kernel is linked to which operator and what is asynchronous
// was decided by the script from the same file, by rules read in torch's C++, and is only as right
// as those.

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/input/bytes.h"
#include "model/torch/torch_text.h"
#include "tests/golden/golden_support.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

constexpr const char* kSuffix = ".key_averages.txt.gz";

std::string unpacked(const std::filesystem::path& path) {
  const auto file = open_file(path.string(), std::uint64_t{1} << 30, nullptr);
  REQUIRE(file);
  std::string text(std::size_t{8} << 20, '\0');
  text.resize(file->bytes->read_at(0, text));
  return text;
}

/// One "==== call" section of such a file.
struct Section {
  std::string call;
  std::string table;
};

std::vector<Section> sections(const std::string& text) {
  constexpr std::string_view kMark = "\n==== ";
  std::vector<Section> result;
  for (std::size_t at = text.find(kMark); at != std::string::npos;) {
    const std::size_t next = text.find(kMark, at + 1);
    const std::string part = text.substr(at + kMark.size(), next - at - kMark.size());
    const std::size_t line_end = part.find('\n');
    Section& section = result.emplace_back(Section{part.substr(0, line_end), part.substr(line_end + 1)});
    // The recorder prints one line end after each table.
    REQUIRE(section.table.ends_with('\n'));
    section.table.pop_back();
    at = next;
  }
  return result;
}

/// The keyword arguments of the call, as written.
std::map<std::string, std::string> arguments(const std::string& call) {
  std::map<std::string, std::string> result;
  for (std::size_t at = call.find('='); at != std::string::npos; at = call.find('=', at + 1)) {
    const std::size_t start = call.find_last_of("( ", at) + 1;
    const bool is_text = call[at + 1] == '\'';
    const std::size_t end = is_text ? call.find('\'', at + 2) : call.find_first_of(",)", at);
    const std::size_t skip = is_text ? 2 : 1;
    result[call.substr(start, at - start)] = call.substr(at + skip, end - at - skip);
  }
  return result;
}

std::optional<std::size_t> limit(const std::string& value) {
  if (value == "None" || value == "-1") return std::nullopt;
  return std::stoul(value);
}

/// Runs what `call` asks torch for.
std::string table_for(const Trace& trace, const std::string& call) {
  TorchTableOptions grouping;
  TorchTextOptions form;
  TorchSortKey sort = TorchSortKey::kNone;
  for (const auto& [key, value] : arguments(call)) {
    if (key == "group_by_input_shape")
      grouping.group_by_input_shape = value == "True";
    else if (key == "group_by_stack_n")
      grouping.group_by_stack_n = std::stoul(value);
    else if (key == "include_python_functions")
      grouping.include_python_functions = value == "True";
    else if (key == "top_level_events_only")
      form.top_level_events_only = value == "True";
    else if (key == "row_limit")
      form.row_limit = limit(value);
    else if (key == "max_name_column_width")
      form.max_name_column_width = limit(value);
    else if (key == "max_shapes_column_width")
      form.max_shapes_column_width = limit(value);
    else if (key == "max_src_column_width")
      form.max_src_column_width = limit(value);
    else if (key == "header")
      form.header = value;
    else if (key == "time_unit" && value == "ms")
      form.time_unit = TorchTimeUnit::kMilliseconds;
    else if (key == "time_unit" && value == "us")
      form.time_unit = TorchTimeUnit::kMicroseconds;
    else if (key == "sort_by")
      sort = parse_torch_sort_key(value);
    else
      FAIL("unknown argument ", key, "=", value);
  }
  Result<TorchTable> table = compute_torch_table(trace, grouping);
  REQUIRE_MESSAGE(table, table.error().message());
  sort_torch_rows(table->rows, sort);
  return torch_table_text(*table, form);
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result(1);
  for (const char c : text) {
    if (c == '\n') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

/// Checks every table of `reference`; returns how many.
std::size_t check_tables(const std::filesystem::path& trace_path, const std::filesystem::path& reference) {
  const Trace trace = load_golden(trace_path);
  const std::vector<Section> all = sections(unpacked(reference));
  for (const Section& section : all) {
    CAPTURE(section.call);
    const std::string got = table_for(trace, section.call);
    if (got == section.table) continue;
    const auto want_lines = lines(section.table), got_lines = lines(got);
    CHECK(got_lines.size() == want_lines.size());
    for (std::size_t i = 0, told = 0; i < std::min(want_lines.size(), got_lines.size()) && told < 3; ++i) {
      if (got_lines[i] == want_lines[i]) continue;
      CHECK(got_lines[i] == want_lines[i]);
      ++told;
    }
  }
  return all.size();
}

}  // namespace

TEST_CASE("tables equal those that PyTorch printed when it recorded the trace") {
  std::size_t tables = 0;
  for (const auto& reference : files_ending_in(fixtures(), kSuffix)) {
    if (reference.string().find("unicode") != std::string::npos) continue;
    CAPTURE(reference.string());
    tables += check_tables(without_suffix(reference, kSuffix).string() + ".pt.trace.json.gz", reference);
  }
  CHECK(tables >= 90);
}

TEST_CASE("names that are not ASCII are not in the file") {
  // torch knows "größer" and "größte"; Kineto wrote "unknown" for both, and they share a row.
  const Trace trace = load_golden(fixtures() / "torch_cpu_unicode.pt.trace.json.gz");
  const auto all = sections(unpacked(fixtures() / "torch_cpu_unicode.key_averages.txt.gz"));
  const auto want = lines(all.front().table);
  const auto got = lines(table_for(trace, all.front().call));
  REQUIRE(got.size() + 1 == want.size());
  CHECK(want[4].find("größer") != std::string::npos);
  CHECK(got[4].find("unknown") != std::string::npos);
  CHECK(got[4].ends_with("             2  "));
  CHECK(got[got.size() - 2] == want[want.size() - 2]);  // the sum is the same
}

TEST_CASE("tables of shared traces equal those that torch's Python makes from the same events") {
  const auto folder = shared_traces();
  if (folder.empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  std::size_t tables = 0;
  const auto here = std::filesystem::path(source_folder()) / "tests" / "golden" / "torch";
  for (const auto& reference : files_ending_in(here, kSuffix)) {
    CAPTURE(reference.string());
    const std::string name = without_suffix(reference, kSuffix).filename().string();
    std::filesystem::path trace = folder / (name + ".json.gz");
    if (name == "param_v100_dlrm_8rank_worker0")
      trace = folder / "param_v100_dlrm_8rank" / "worker0_step_12.pt.trace.json.gz";
    if (!std::filesystem::exists(trace)) trace = folder / (name + ".pt.trace.json.gz");
    REQUIRE(std::filesystem::exists(trace));
    tables += check_tables(trace, reference);
  }
  CHECK(tables >= 80);
}
