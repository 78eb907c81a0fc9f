// What the details say of slices whose arguments, and whose device, a file tells.

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/arguments.h"
#include "model/import/importer.h"
#include "model/notes/slice_notes.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr ReportFormat kFileFormat{format_duration, format_count, format_percent, format_bytes};

/// What is said under one key of the first slice of that name.
std::string said_in_file(const std::string& json, std::string_view name, std::string_view key) {
  Result<Trace> trace = import_json(json);
  REQUIRE(trace.has_value());
  for (std::uint32_t l = 0; l < trace->lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace->lane(LaneId{l}).size(); ++i) {
      const SliceId slice{LaneId{l}, i};
      if (trace->name(slice) != name) continue;
      const auto arguments = read_arguments(*trace, slice);
      REQUIRE(arguments.has_value());
      for (const SliceNote& note : notes_about(*trace, slice, *arguments, kFileFormat))
        if (note.key == key) return note.text;
      return "";
    }
  FAIL("no slice " << name);
  return "";
}

/// Of a kernel on an H100.
std::string occupancy(int threads, int registers, int shared, double occupied, double blocks) {
  return said_in_file(
      fmt::format(
          R"({{"deviceProperties":[{{"id":0,"name":"NVIDIA H100","totalGlobalMem":85000000000,"computeMajor":9,)"
          R"("computeMinor":0,"maxThreadsPerBlock":1024,"maxThreadsPerMultiprocessor":2048,"numSms":132}}],)"
          R"("traceEvents":[{{"ph":"X","cat":"kernel","name":"mine","pid":0,"tid":7,"ts":0,"dur":10,"args":{{"device":0,)"
          R"("stream":7,"registers per thread":{},"shared memory":{},"block":[{},1,1],"grid":[9,1,1],)"
          R"("blocks per SM":{},"est. achieved occupancy %":{}}}}}]}})",
          registers, shared, threads, blocks, occupied),
      "mine", "occupancy");
}

bool tells(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

// CUDA's occupancy calculator says the same of compute capability 9.0.
TEST_CASE("occupancy: how many blocks have room, and what limits them") {
  struct Case {
    int threads, registers, shared;
    const char* words;
  };
  for (const Case& c : {Case{1024, 32, 0, "room for 2 of its blocks, limited by 1024 threads a block"},
                        Case{1024, 33, 0, "room for 1 of its blocks, limited by 33 registers a thread"},
                        Case{1024, 64, 0, "room for 1 of its blocks, limited by 64 registers a thread"},
                        Case{256, 64, 0, "room for 4 of its blocks, limited by 64 registers a thread"},
                        Case{32, 16, 0, "room for 32 of its blocks, limited by the 32 blocks"},
                        Case{64, 16, 0, "room for 32 of its blocks, limited by 64 threads a block"},
                        Case{33, 16, 0, "room for 32 of its blocks, limited by 33 threads a block"},
                        Case{65, 16, 0, "room for 21 of its blocks, limited by 65 threads a block"},
                        Case{128, 16, 115'712, "room for 2 of its blocks, limited by 113.0 kB of shared memory"},
                        Case{128, 16, 115'713, "room for 1 of its blocks, limited by 113.0 kB of shared memory"},
                        Case{128, 16, 1, "room for 16 of its blocks, limited by 128 threads a block"}}) {
    CAPTURE(c.threads);
    CAPTURE(c.registers);
    CAPTURE(c.shared);
    const std::string text = occupancy(c.threads, c.registers, c.shared, 30, 100);
    CHECK_MESSAGE(tells(text, c.words), text);
  }
}

TEST_CASE("occupancy: the grid limits it below what has room, and below a block for each multiprocessor") {
  CHECK(tells(occupancy(1024, 32, 0, 30, 0.99), "0.99 blocks for each multiprocessor leave some without any"));
  CHECK(tells(occupancy(1024, 32, 0, 30, 1), "1 blocks for each multiprocessor, which has room for 2"));
  CHECK(tells(occupancy(1024, 32, 0, 30, 1.5), "1.5 blocks for each multiprocessor, which has room for 2"));
  CHECK(tells(occupancy(1024, 32, 0, 30, 2), "A multiprocessor has room for 2"));
  CHECK(tells(occupancy(1024, 32, 0, 49, 2), "need more threads at once"));
  CHECK_FALSE(tells(occupancy(1024, 32, 0, 50, 2), "need more threads at once"));
  CHECK(tells(occupancy(1024, 32, 0, 0, 0.5), "Its grid has 0.5 blocks"));
  CHECK_FALSE(tells(occupancy(1024, 32, 0, 0, 1), "Its grid has"));
}

/// Of a module that multiplies, takes the softmax and multiplies again.
std::string eager_attention(const std::string& products, const std::string& softmax) {
  const auto op = [](const char* name, int at, const std::string& types) {
    return fmt::format(R"(,{{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":10{}}})", name, at,
                       types.empty() ? "" : R"(,"args":{"Input type":[")" + types + R"("]})");
  };
  return said_in_file(
      R"([{"ph":"X","cat":"python_function","name":"nn.Module: SelfAttention_0","pid":1,"tid":1,"ts":0,"dur":100,"args":{}})" +
          op("aten::bmm", 10, products) + op("aten::_softmax", 30, softmax) + op("aten::bmm", 50, products) + "]",
      "nn.Module: SelfAttention_0", "attention");
}

TEST_CASE("attention: a softmax of another type than the products is told, where both are known") {
  CHECK(tells(eager_attention("c10::Half", "float"), "Its softmax is computed in float, its products in Half. "));
  for (const auto& [products, softmax] :
       {std::pair("c10::Half", "c10::Half"), std::pair("c10::Half", ""), std::pair("", "float"), std::pair("", "")}) {
    const std::string text = eager_attention(products, softmax);
    CHECK(tells(text, "No fused attention ran in it"));
    CHECK_FALSE(tells(text, "Its softmax is computed in"));
  }
  CHECK(tells(eager_attention("float", "float"), "these inputs are float"));
  CHECK(tells(eager_attention("double", "double"), "these inputs are double"));
  CHECK_FALSE(tells(eager_attention("c10::BFloat16", "float"), "these inputs are"));
}

}  // namespace
}  // namespace lacuna
