// Columns of args, read in one pass over the file, against the args of each event read by themselves.
#include "model/columns/argument_columns.h"

#include <atomic>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "golden_support.h"
#include "model/import/arguments.h"
#include "model/import/importer.h"
#include "tests/support/skip.h"

namespace lacuna {
namespace {

/// As written; strings without quotes and escapes.
std::map<std::string, std::string> arguments_of(const Trace& trace, SliceId slice) {
  std::map<std::string, std::string> result;
  const auto read = read_arguments(trace, slice);
  REQUIRE(read.has_value());
  for (const Argument& argument : *read) result[argument.key] = argument.value;
  return result;
}

double number(const std::map<std::string, std::string>& args, const char* key, double otherwise) {
  const auto found = args.find(key);
  return found == args.end() ? otherwise : std::stod(found->second);
}

/// How many slices were compared.
int check_columns(const Trace& trace) {
  int compared = 0;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    const auto operators = argument_columns(trace).operators(trace, SourceId{s}, 3);
    const auto gpu = argument_columns(trace).gpu(trace, SourceId{s}, 3);
    REQUIRE(operators.has_value());
    REQUIRE(gpu.has_value());
    for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
      const Lane& lane = trace.lanes()[l];
      if (trace.process(trace.track(lane.track).process).source.value != s) continue;
      // Every slice of small lanes, some of large ones.
      const std::uint32_t step = 1 + lane.size() / 300;
      for (std::uint32_t i = 0; i < lane.size(); i += step) {
        const SliceId slice{LaneId{l}, i};
        const CategoryClass category = trace.category_class(slice);
        const bool on_stream = trace.track(lane.track).kind == TrackKind::kGpuStream;
        if (category == CategoryClass::kCpuOperator && !on_stream) {
          const auto args = arguments_of(trace, slice);
          const auto dims = args.find("Input Dims");
          const OperatorArguments& facts = (*operators)->of(slice);
          CHECK(facts.dims == (dims == args.end() ? std::string() : dims->second));
          const auto concrete = args.find("Concrete Inputs");
          const double flops =
              operator_flops(trace.name(slice), facts.dims,
                             concrete == args.end() ? std::string_view() : std::string_view(concrete->second));
          CHECK(facts.flops == flops);
          ++compared;
        } else if (is_gpu_activity(category) && on_stream) {
          const auto args = arguments_of(trace, slice);
          const GpuArguments& facts = (*gpu)->of(slice);
          CHECK(static_cast<double>(facts.bytes) == number(args, "bytes", 0));
          // -1 also for estimates that failed: see gpu_arguments_test.cpp.
          const double given = number(args, "est. achieved occupancy %", -1);
          CHECK((facts.occupancy == static_cast<float>(given) || (given == 0 && facts.occupancy == -1)));
          const auto grid = args.find("grid");
          if (grid != args.end() && facts.grid[0] != 0) {
            std::string text = std::to_string(facts.grid[0]) + "," + std::to_string(facts.grid[1]) + "," +
                               std::to_string(facts.grid[2]);
            std::string written;
            for (const char c : grid->second)
              if ((c >= '0' && c <= '9') || c == ',') written += c;
            CHECK(written == text);
          }
          ++compared;
        }
      }
    }
  }
  return compared;
}

TEST_CASE("columns of args say what each event says, on the project's own traces") {
  int compared = check_columns(load_golden(demo_trace()));
  CHECK(compared > 100);  // kernels
  for (const std::filesystem::path& file : files_ending_in(fixtures(), ".pt.trace.json.gz")) {
    // Those that Lacuna recorded have lists as text, with quotes around it in the columns.
    if (!file.filename().string().starts_with("torch_cpu_")) continue;
    CAPTURE(file.string());
    compared += check_columns(load_golden(file));
  }
  CHECK(compared > 1000);
}

TEST_CASE("columns of args say what each event says, on every given trace") {
  if (shared_traces().empty()) return skip("no shared traces (set LACUNA_SHARED_TRACES)");
  int compared = 0;
  for (const std::filesystem::path& file : files_ending_in(shared_traces(), ".json.gz")) {
    const std::string path = file.string();
    CAPTURE(path);
    const auto trace = import_files({&path, 1});
    REQUIRE(trace.has_value());
    compared += check_columns(*trace);
  }
  CHECK(compared > 5000);
}

TEST_CASE("columns of args: kept once read, counted as memory, and given up when cancelled") {
  const std::string path = (fixtures() / "lacuna_torch_cpu_train.pt.trace.json.gz").string();
  const auto trace = import_files({&path, 1});
  REQUIRE(trace.has_value());
  ArgumentColumns& columns = argument_columns(*trace);
  const std::size_t before = trace->memory_bytes();
  const std::atomic<bool> cancelled{true};
  const auto given_up = columns.operators(*trace, SourceId{0}, 2, &cancelled);
  REQUIRE_FALSE(given_up.has_value());
  CHECK(given_up.error().code == ErrorCode::kCancelled);
  CHECK(columns.memory_bytes() == 0);
  const auto first = columns.operators(*trace, SourceId{0});
  REQUIRE(first.has_value());
  CHECK(columns.operators(*trace, SourceId{0}, 1, &cancelled).value() == *first);
  CHECK(columns.memory_bytes() >= 4 * 500);
  CHECK(trace->memory_bytes() == before + columns.memory_bytes());
}

}  // namespace
}  // namespace lacuna
