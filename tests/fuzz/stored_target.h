#pragma once
// A stored trace with bytes changed anywhere, including checksums: queries on what is read back must still be safe.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/os/files.h"
#include "model/base/os/user_folders.h"
#include "model/build/nesting.h"
#include "model/cache/trace_codec.h"
#include "model/index/fold_index.h"
#include "tests/fuzz/targets.h"

namespace lacuna::fuzz {

inline Descriptor empty_file() {
  Descriptor file = create_in_memory();
  return file.is_open() ? std::move(file) : create_nameless(temporary_folder());
}

/// Returns a stored trace with some of everything, and enough slices for folds and several levels of an index.
inline std::string stored_seed() {
  std::string json = R"({"distributedInfo": {"rank": 3}, "traceEvents": [
    {"ph": "X", "name": "op", "cat": "cpu_op", "ts": 1, "dur": 9000, "pid": 1, "tid": 1},
    {"ph": "X", "name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": 2, "dur": 5, "pid": 1, "tid": 1,
     "args": {"correlation": 7}},
    {"ph": "s", "id": 3, "name": "ac2g", "cat": "ac2g", "ts": 2, "pid": 1, "tid": 1},
    {"ph": "f", "id": 3, "name": "ac2g", "cat": "ac2g", "ts": 20, "pid": 0, "tid": 7, "bp": "e"},
    {"ph": "i", "name": "mark", "ts": 9, "pid": 1, "tid": 1, "s": "t"},
    {"ph": "C", "name": "memory", "ts": 9, "pid": 1, "args": {"bytes": 5}},
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}})";
  for (int i = 0; i < 400; ++i) {
    json += ",{\"ph\": \"X\", \"name\": \"gemm" + std::to_string(i % 7) +
            "\", \"cat\": \"kernel\", \"ts\": " + std::to_string(20 + i * 7) +
            ", \"dur\": 5, \"pid\": 0, \"tid\": 7, \"args\": {\"correlation\": " + std::to_string(7 + i) +
            ", \"device\": 0, \"stream\": 7}}";
  }
  const auto trace = import_json(json + "]}");
  const Descriptor file = empty_file();
  StoredFileWriter out(file.get());
  TraceCodec::write(out, *trace, FoldIndex::build(trace->lanes()), compute_statistics(*trace), trace->span());
  require(out.finish(), "memory can be written");
  std::string bytes(facts_of(file.get())->bytes, '\0');
  require(read_at(file.get(), 0, bytes) == bytes.size(), "memory can be read");
  return bytes;
}

/// `edits`: groups of three bytes of position and one byte to write there. Returns whether the result was accepted.
inline bool run_stored(const std::string& seed, std::string_view edits) {
  std::string bytes = seed;
  for (; edits.size() >= 4; edits.remove_prefix(4)) {
    std::size_t place = 0;
    for (int i = 0; i < 3; ++i) place = place << 8 | static_cast<unsigned char>(edits[static_cast<std::size_t>(i)]);
    bytes[place % bytes.size()] = edits[3];
  }
  const Descriptor file = empty_file();
  require(write_at(file.get(), 0, bytes), "memory can be written");
  StoredFileReader in(file.get(), StoredFileReader::Checksums::kBelieved);
  std::optional<KeptTrace> kept =
      TraceCodec::read(in, 1, [](const TraceSource&) { return import_json("[]")->sources()[0].bytes; });
  if (!kept) return false;
  use(kept->trace);
  for (std::size_t i = 0; i < kept->folds.size(); ++i) {
    const Lane& lane = kept->trace.lanes()[i];
    std::uint64_t seen = 0;
    for (const Nanos fold_ns : {Nanos{1}, Nanos{1} << 12, Nanos{1} << 40}) {
      kept->folds[i].for_each_run(lane, kept->trace.span(), fold_ns, [&](const FoldedRun& run) {
        seen += lane.name(run.longest).value + kept->trace.text(run.name).size();
      });
    }
    for (std::uint32_t k = 0; k < lane.size(); ++k) {
      const SliceId parent = kept->trace.parent({LaneId{static_cast<std::uint32_t>(i)}, k});
      seen += parent.index;
      const TimeSpan span = lane.span(k), all = kept->trace.span();
      require(all.begin <= span.begin && span.end <= all.end, "slices lie in the trace");
      require(k == 0 || lane.nest >= kMostNests || lane.end(k - 1) <= span.begin, "slices of a row lie side by side");
      if (!parent.valid()) continue;
      const TimeSpan around = kept->trace.span(parent);
      require(around.begin <= span.begin && span.end <= around.end, "children lie in their parents");
    }
    if (lane.size() > 0) seen += lane.longest(0, lane.size());
    require(seen + 1 > 0, "everything can be looked at");
  }
  return true;
}

}  // namespace lacuna::fuzz
