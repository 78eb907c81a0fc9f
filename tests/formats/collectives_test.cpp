// Files that know the collectives of a rank: NCCL's inspector and Chakra.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include "format_support.h"
#include "model/formats/formats.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

std::string title_of_file(const std::string& text) {
  return std::string(recognise_format({.bytes = make_memory_bytes(text), .is_plain = true}).title);
}

std::string inspector_line(std::int64_t number, const std::string& name, const std::string& times) {
  return fmt::format(
      R"({{"header":{{"id":"0xab","rank":2,"n_ranks":8,"nnodes":1}},"metadata":{{"dump_timestamp_us":1700000000000500,)"
      R"("hostname":"h1","pid":77}},"coll_perf":{{"coll":"{}","coll_sn":{},"coll_msg_size_bytes":1024,)"
      R"("coll_exec_time_us":100,"coll_busbw_gbs":1.5{}}}}})"
      "\n",
      name, number, times);
}

std::string inspector_text() {
  return inspector_line(4, "AllReduce", "") +
         inspector_line(5, "ReduceScatter",
                        R"(,"event_trace_ts":{"coll_start_ts":1700000000000600,"coll_stop_ts":1700000000000601,)"
                        R"("kernel_events":[{"channel_id":0,"kernel_start_ts":1700000000000620,)"
                        R"("kernel_stop_ts":1700000000000700},{"channel_id":1,"kernel_start_ts":1700000000000610,)"
                        R"("kernel_stop_ts":1700000000000690}]})");
}

/// A message behind its size, which is less than 128.
std::string sized(const std::string& message) {
  return static_cast<char>(message.size()) + message;
}

struct ChakraMade {
  std::uint64_t id, type;
  std::string name;
  std::uint64_t took_us;
  std::vector<std::uint64_t> dependencies = {};
  std::uint64_t start_us = 0;
  std::int64_t kind = -1;
};

std::string chakra_node(const ChakraMade& made) {
  std::string text;
  protozero::pbf_writer node(text);
  node.add_uint64(1, made.id);
  node.add_string(2, made.name);
  node.add_uint64(3, made.type);
  node.add_packed_uint64(5, made.dependencies.begin(), made.dependencies.end());
  node.add_uint64(6, made.start_us);
  node.add_uint64(7, made.took_us);
  if (made.kind >= 0) {
    protozero::pbf_writer kind(node, 10);
    kind.add_string(1, "comm_type");
    kind.add_int64(9, made.kind);
  }
  return sized(text);
}

std::string chakra_text(std::uint64_t start_us) {
  return sized(std::string("\x0a\x05") + "0.0.4") + chakra_node({1, 4, "gemm", 10, {}, start_us}) +
         chakra_node({2, 7, "c10d::allreduce_", 20, {1}, start_us == 0 ? 0 : start_us + 5, 0}) +
         chakra_node({3, 4, "norm", 5, {}, start_us == 0 ? 0 : start_us + 50});
}

std::string opened_as(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  const auto trace = import_path(folder.write(name, text));
  return trace ? describe_trace(*trace) : trace.error().message();
}

}  // namespace

TEST_CASE("lines of NCCL's inspector are collectives of a communicator") {
  const std::string about =
      "Group size=8 Process Group Name=0xab Seq={} rank in communicator=2 coll_exec_time_us=100 coll_busbw_gbs=1.5}\n";
  CHECK(opened_as("a.log", inspector_text()) ==
        "rank 2 of NCCL/communicator 0xab: kernel nccl:AllReduce 1700000000000400000+100000 {device=0 stream=0 "
        "Collective name=allreduce dtype=Byte In msg nelems=1024 Out msg nelems=1024 " +
            fmt::format(fmt::runtime(about.substr(0, about.size() - 2)), 4) +
            "}\nrank 2 of NCCL/communicator 0xab: kernel nccl:ReduceScatter 1700000000000610000+90000 {device=0 "
            "stream=0 Collective name=reducescatter dtype=Byte In msg nelems=8192 Out msg nelems=1024 " +
            fmt::format(fmt::runtime(about.substr(0, about.size() - 2)), 5) + "}\n");
  const TemporaryFolder folder;
  const auto trace = import_path(folder.write("a.log", inspector_text()));
  CHECK(trace->sources()[0].rank == 2);
  CHECK(trace->sources()[0].world_size == 8);
}

TEST_CASE("what NCCL's inspector tells of two ranks stands beside the collectives of their communicator") {
  const auto between_two = [](std::string line) {
    for (std::size_t at = 0; (at = line.find("coll", at)) != line.npos;) line.replace(at, 4, "p2p");
    return line.insert(line.find("\"p2p_sn\""), "\"p2p_peer\":3,");
  };
  const std::string text = between_two(inspector_line(4, "Send", "")) + between_two(inspector_line(4, "Recv", "")) +
                           inspector_line(5, "AllReduce", "");
  const std::string read = opened_as("a.log", text);
  CAPTURE(text);
  const auto has = [&](std::string_view part) { return read.find(part) != read.npos; };
  CHECK(
      has("communicator 0xab \xC2\xB7 send: kernel nccl:Send 1700000000000400000+100000 {device=0 stream=0 Collective "
          "name=send dtype=Byte In msg nelems=1024 Out msg nelems=1024 Group size=8 Process Group Name=0xab p2p_sn=4 "
          "Dst Rank=3 "));
  CHECK(has("communicator 0xab \xC2\xB7 recv: kernel nccl:Recv 1700000000000400000+100000 {device=0 stream=1"));
  CHECK(has("p2p_sn=4 Src Rank=3 "));
  CHECK(has("p2p_busbw_gbs=1.5"));
  CHECK(has("communicator 0xab: kernel nccl:AllReduce"));
}

TEST_CASE("nodes of Chakra begin when what they depend on has ended, or when they say") {
  const std::string kernel = "GPU 3/stream 1: kernel ";
  const std::string collective =
      "GPU 3/stream 3: kernel nccl:all_reduce {}+20000 {{device=3 stream=3 node=2 node name=c10d::allreduce_ "
      "Collective "
      "name=all_reduce dtype=Byte}}\n";
  CHECK(opened_as("run.3.et", chakra_text(0)) == kernel + "gemm 0+10000 {device=3 stream=1 node=1}\n" + kernel +
                                                     "norm 10000+5000 {device=3 stream=1 node=3}\n" +
                                                     fmt::format(fmt::runtime(collective), 10000));
  CHECK(opened_as("run.3.et", chakra_text(100)) == kernel + "gemm 100000+10000 {device=3 stream=1 node=1}\n" +
                                                       fmt::format(fmt::runtime(collective), 105000) + kernel +
                                                       "norm 150000+5000 {device=3 stream=1 node=3}\n");
}

TEST_CASE("Chakra's metadata of PyTorch's converter has no version") {
  std::string metadata;
  {
    protozero::pbf_writer writer(metadata);
    protozero::pbf_writer attribute(writer, 2);
    attribute.add_string(1, "schema");
    attribute.add_string(29, "1.0.1");
  }
  const std::string text = sized(metadata) + chakra_node({1, 4, "gemm", 10, {}, 0});
  CHECK(title_of_file(text) == "Chakra execution trace");
  CHECK(opened_as("run.3.et", text) == "GPU 3/stream 1: kernel gemm 0+10000 {device=3 stream=1 node=1}\n");
}

constexpr std::string_view kWorkload = R"({
  "workload_graph": [
    {"Id": 1, "Name": "aten::mm", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 4, "is_cpu_op": true},
    {"Id": 2, "Name": "gemm", "NodeType": 4, "data_deps": [1], "runtime": 10, "is_cpu_op": false},
    {"Id": 3, "Name": "c10d::broadcast_", "NodeType": 7, "data_deps": [1], "runtime": 2, "is_cpu_op": true},
    {"Id": 4, "Name": "ncclKernel", "NodeType": 7, "data_deps": [2], "runtime": 20, "is_cpu_op": false, "comm_type": 5,
     "comm_size": 64}
  ], "ngpus": 8})";
constexpr std::string_view kJsonised = R"({
  "version": "0.0.4"
}{
  "id": "7",
  "name": "gemm",
  "type": "COMP_NODE",
  "durationMicros": "10",
  "attr": [{"name": "is_cpu_op", "boolVal": false}]
}{
  "id": "8", "name": "sum", "type": "COMM_COLL_NODE", "dataDeps": ["7"], "durationMicros": "5",
  "attr": [{"name": "comm_type", "int64Val": "0"}]
})";

TEST_CASE("Chakra's JSON has the same nodes, and calls of the CPU are none of the GPU") {
  CHECK(title_of_file(std::string(kWorkload)) == "Chakra execution trace");
  CHECK(opened_as("run.3.json", std::string(kWorkload)) ==
        "process 3/CPU: cpu_op aten::mm 0+4000 {node=1}\n"
        "GPU 3/stream 1: kernel gemm 4000+10000 {device=3 stream=1 node=2}\n"
        "process 3/CPU: cpu_op c10d::broadcast_ 4000+2000 {node=3}\n"
        "GPU 3/stream 3: kernel nccl:broadcast 14000+20000 {device=3 stream=3 node=4 node name=ncclKernel Collective "
        "name=broadcast dtype=Byte In msg nelems=64}\n");
  CHECK(title_of_file(std::string(kJsonised)) == "Chakra execution trace");
  CHECK(opened_as("run.3.json", std::string(kJsonised)) ==
        "GPU 3/stream 1: kernel gemm 0+10000 {device=3 stream=1 node=7}\n"
        "GPU 3/stream 3: kernel nccl:all_reduce 10000+5000 {device=3 stream=3 node=8 node name=sum Collective "
        "name=all_reduce dtype=Byte}\n");
  CHECK(title_of_file(R"({"version": "1", "traceEvents": []})") == "Chrome JSON");
  const TemporaryFolder folder;
  for (const std::string_view text : {kWorkload, kJsonised}) {
    const auto trace = import_path(folder.write("a.json", std::string(text)));
    REQUIRE(trace.has_value());
    CHECK(trace->report().count(Finding::kUnterminated) == 0);
  }
}

TEST_CASE("they are told from what only looks like them") {
  CHECK(title_of_file(inspector_text()) == "NCCL inspector");
  CHECK(title_of_file(chakra_text(0)) == "Chakra execution trace");
  CHECK(title_of_file(R"({"header":{"id":1,"n_ranks":2},"traceEvents":[]})") == "Chrome JSON");
  CHECK(title_of_file(std::string("\x07\x0a\x05") + "hello") == "Chrome JSON");
  CHECK(title_of_file(std::string("\x0a\x03") + "1.2") != "Chakra execution trace");
}

TEST_CASE("damaged, they end with words or with what could be read") {
  const TemporaryFolder folder;
  for (const std::string& whole : {inspector_text(), chakra_text(0), std::string(kWorkload), std::string(kJsonised)})
    check_damage(folder.path + "/a.1.et", whole, 1);
}
