// Twice the input, at most two and a half times the cost, for what reads other files than one trace: many traces, dumps
// of a flight recorder, snapshots of an allocator.

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "app/cli/hang.h"
#include "app/cli/info.h"
#include "app/cli/memory.h"
#include "model/import/importer.h"
#include "tests/cli/command_growth.h"
#include "tests/memory/pickle_maker.h"
#include "tests/support/counted_memory.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

std::string long_text(std::string_view text) {
  return "X" + le(text.size(), 4) + std::string(text);
}
std::string text_item(std::string_view key, std::string_view value) {
  return long_text(key) + long_text(value);
}
std::string number_item(std::string_view key, std::uint64_t value) {
  return long_text(key) + number_opcode(value);
}
std::string frames_item(std::size_t count, std::size_t first) {
  std::string frames;
  for (std::size_t i = 0; i < count; ++i)
    frames += dict_opcodes(text_item("name", fmt::format("f{}", first + i)) + text_item("filename", "/a/train.py") +
                           number_item("line", first + i));
  return long_text("frames") + list_opcodes(frames);
}

std::string grown_dump(std::size_t entries, std::size_t frames, std::size_t rank) {
  std::string list;
  for (std::size_t i = 0; i < entries; ++i) {
    const bool is_done = i % 2 == rank % 2;
    list += dict_opcodes(long_text("process_group") + list_opcodes(long_text("0") + long_text("default_pg")) +
                         number_item("collective_seq_id", i + 1) + number_item("p2p_seq_id", 0) + long_text("is_p2p") +
                         "\x89" + text_item("profiling_name", "nccl:all_reduce") +
                         text_item("state", is_done ? "completed" : "started") + long_text("retired") +
                         (is_done ? "\x88" : "\x89") + number_item("time_created_ns", i + 1) + frames_item(frames, i));
  }
  return pickle_of(dict_opcodes(text_item("version", "2.10") + long_text("entries") + list_opcodes(list)));
}

struct GrownSnapshot {
  std::size_t events = 0, blocks = 0, frames = 0, segments = 1, out_of_memory = 0;
};

std::string grown_snapshot(const GrownSnapshot& of) {
  std::string events, segments;
  for (std::size_t i = 0; i < of.events; ++i)
    events += dict_opcodes(text_item("action", i % 3 == 2 ? "free_completed" : "alloc") +
                           number_item("addr", 4096 + 512 * (i % 3 == 2 ? i - 1 : i)) + number_item("size", 512) +
                           number_item("stream", 0) + number_item("time_us", i + 1) + frames_item(of.frames, i));
  for (std::size_t i = 0; i < of.out_of_memory; ++i)
    events +=
        dict_opcodes(text_item("action", "oom") + number_item("device_free", 0) + number_item("size", 512) +
                     number_item("stream", 0) + number_item("time_us", of.events + i) + frames_item(of.frames, i));
  for (std::size_t s = 0; s < of.segments; ++s) {
    std::string blocks;
    const std::size_t begin = 4096 + s * 512 * of.blocks;
    for (std::size_t i = 0; i < of.blocks; ++i)
      blocks +=
          dict_opcodes(number_item("address", begin + 512 * i) + number_item("size", 512) +
                       text_item("state", i % 2 == 0 ? "active_allocated" : "inactive") + frames_item(of.frames, i));
    segments += dict_opcodes(number_item("device", 0) + number_item("address", begin) +
                             number_item("total_size", 512 * of.blocks) + number_item("stream", 0) +
                             text_item("segment_type", "small") + long_text("blocks") + list_opcodes(blocks));
  }
  return pickle_of(dict_opcodes(long_text("segments") + list_opcodes(segments) + long_text("device_traces") +
                                list_opcodes(list_opcodes(events))));
}

}  // namespace

TEST_CASE("twice the files are opened at two and a half times the cost at most") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const TemporaryFolder folders[2];
  for (std::size_t large = 0; large < 2; ++large)
    for (std::size_t i = 0; i < 15 * (large == 0 ? 1 : kGrowth); ++i)
      (void)folders[large].write(
          fmt::format("rank{}.json", i),
          fmt::format(R"({{"distributedInfo":{{"rank":{}}},"traceEvents":[{{"ph":"X","name":"f","pid":{},"tid":1,)"
                      R"("ts":1,"dur":5}},{{"ph":"s","id":1,"name":"g","pid":{},"tid":1,"ts":2}},{{"ph":"X",)"
                      R"("name":"k","cat":"kernel","pid":0,"tid":7,"ts":3,"dur":4,"args":{{"stream":7}}}}]}})",
                      i, i, i));
  for (const bool as_json : {false, true})
    check_command("files", [&](bool is_large, Output& out) {
      ImportOptions options;
      options.threads = 2;
      options.use_cache = false;
      const Result<Trace> trace = import_files(std::span(&folders[is_large ? 1 : 0].path, 1), options);
      REQUIRE(trace.has_value());
      if (as_json) return print_info_json(*trace, out);
      print_info(*trace, {}, out);
    });
}

TEST_CASE("a hang of twice the ranks, operations or frames costs two and a half times as much at most") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  struct GrownHang {
    const char* dimension;
    std::size_t ranks, entries, frames;                 // of the small one
    std::size_t more_ranks, more_entries, more_frames;  // times as many
  };
  for (const GrownHang& grown :
       {GrownHang{"ranks", 8, 20, 3, kGrowth, 1, 1}, GrownHang{"entries", 3, 60, 3, 1, kGrowth, 1},
        GrownHang{"frames", 2, 10, 60, 1, 1, kGrowth}}) {
    const TemporaryFolder folder;
    HangCommand commands[2];
    for (std::size_t large = 0; large < 2; ++large)
      for (std::size_t r = 0; r < grown.ranks * (large == 0 ? 1 : grown.more_ranks); ++r)
        commands[large].paths.push_back(folder.write(
            fmt::format("dump{}_{}", large, r), grown_dump(grown.entries * (large == 0 ? 1 : grown.more_entries),
                                                           grown.frames * (large == 0 ? 1 : grown.more_frames), r)));
    for (const bool as_json : {false, true})
      check_command(fmt::format("{}: hang{}", grown.dimension, as_json ? " --json" : ""),
                    [&](bool is_large, Output& out) {
                      HangCommand command = commands[is_large ? 1 : 0];
                      command.json = as_json;
                      REQUIRE(print_hang(command, out).has_value());
                    });
  }
}

TEST_CASE("a snapshot twice as large costs two and a half times as much at most") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  struct Grown {
    const char* dimension;
    GrownSnapshot small, large;
  };
  for (const Grown& grown :
       {Grown{"events", {.events = 150, .blocks = 4, .frames = 3}, {.events = 150 * kGrowth, .blocks = 4, .frames = 3}},
        Grown{"blocks", {.events = 9, .blocks = 100, .frames = 3}, {.events = 9, .blocks = 100 * kGrowth, .frames = 3}},
        Grown{"frames", {.events = 9, .blocks = 4, .frames = 100}, {.events = 9, .blocks = 4, .frames = 100 * kGrowth}},
        Grown{"segments",
              {.events = 9, .blocks = 4, .frames = 3, .segments = 50},
              {.events = 9, .blocks = 4, .frames = 3, .segments = 50 * kGrowth}},
        Grown{"times out of memory",
              {.events = 60, .blocks = 4, .frames = 3, .out_of_memory = 20},
              {.events = 60, .blocks = 4, .frames = 3, .out_of_memory = 20 * kGrowth}},
        Grown{"events and times out of memory",
              {.events = 60, .blocks = 4, .frames = 3, .out_of_memory = 20},
              {.events = 60 * kGrowth, .blocks = 4, .frames = 3, .out_of_memory = 20 * kGrowth}}}) {
    const TemporaryFolder folder;
    const std::string paths[2] = {folder.write("small.pickle", grown_snapshot(grown.small)),
                                  folder.write("large.pickle", grown_snapshot(grown.large))};
    const auto check = [&](const char* what, const MemoryCommand& command) {
      check_command(fmt::format("{}: memory {}", grown.dimension, what), [&](bool is_large, Output& out) {
        MemoryCommand given = command;
        if (!given.compare.empty()) given.compare = paths[is_large ? 1 : 0];
        REQUIRE(print_memory({paths[is_large ? 1 : 0]}, {}, given, out).has_value());
      });
    };
    struct Asked {
      const char* what;
      std::function<void(MemoryCommand&)> set;
    };
    for (const Asked& asked :
         {Asked{"", [](MemoryCommand&) {}}, Asked{"--json", [](MemoryCommand& m) { m.json = true; }},
          Asked{"--html", [](MemoryCommand& m) { m.html = true; }},
          Asked{"--folded", [](MemoryCommand& m) { m.folded = true; }},
          Asked{"--by stack --json", [](MemoryCommand& m) { m.by = "stack", m.json = true; }},
          Asked{"--by category", [](MemoryCommand& m) { m.by = "category"; }},
          Asked{"--by segment", [](MemoryCommand& m) { m.by = "segment"; }},
          Asked{"--compare --json", [](MemoryCommand& m) { m.compare = "itself", m.json = true; }}}) {
      MemoryCommand command;
      asked.set(command);
      check(asked.what, command);
    }
    check_command(fmt::format("{}: opening", grown.dimension), [&](bool is_large, Output& out) {
      const Result<Trace> trace = import_files(std::span(&paths[is_large ? 1 : 0], 1));
      REQUIRE(trace.has_value());
      print_info(*trace, {}, out);
    });
  }
}
