#include "tests/formats/format_support.h"
#include "tests/support/archive_maker.h"

namespace lacuna::test {
namespace {

/// The tables of schema 3 with the columns that are read, named after a process.
std::string rocpd_schema_3(const std::string& suffix) {
  std::string sql = R"(
CREATE TABLE rocpd_metadata@(id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO rocpd_metadata@(tag, value) VALUES('schema_version', '3'), ('uuid', '@');
CREATE TABLE rocpd_string@(id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
CREATE TABLE rocpd_info_node@(id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, hostname TEXT);
CREATE TABLE rocpd_info_process@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, init BIGINT,
  fini BIGINT, start BIGINT, "end" BIGINT, command TEXT, environment JSONB, extdata JSONB);
CREATE TABLE rocpd_info_thread@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, tid INTEGER,
  name TEXT, start BIGINT, "end" BIGINT, extdata JSONB);
CREATE TABLE rocpd_info_agent@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, type TEXT,
  absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, name TEXT, model_name TEXT, product_name TEXT);
CREATE TABLE rocpd_info_queue@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE rocpd_info_stream@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE rocpd_info_pmc@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, agent_id INTEGER, name TEXT,
  symbol TEXT, units TEXT, value_type TEXT);
CREATE TABLE rocpd_info_kernel_symbol@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER,
  code_object_id INTEGER, kernel_name TEXT, display_name TEXT, sgpr_count INTEGER, arch_vgpr_count INTEGER,
  accum_vgpr_count INTEGER);
CREATE TABLE rocpd_track@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, name_id INTEGER);
CREATE TABLE rocpd_event@(id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER,
  parent_stack_id INTEGER, correlation_id INTEGER, call_stack JSONB, line_info JSONB, extdata JSONB DEFAULT '{}');
CREATE TABLE rocpd_arg@(id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER, position INTEGER, type TEXT, name TEXT,
  value TEXT);
CREATE TABLE rocpd_pmc_event@(id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER, pmc_id INTEGER, value REAL);
CREATE TABLE rocpd_region@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT,
  "end" BIGINT, name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_sample@(id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, timestamp BIGINT, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER,
  agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT,
  "end" BIGINT, private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER,
  workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER,
  region_name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_memory_copy@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT,
  "end" BIGINT, name_id INTEGER, dst_agent_id INTEGER, dst_address INTEGER, src_agent_id INTEGER, src_address INTEGER,
  size INTEGER, queue_id INTEGER, stream_id INTEGER, region_name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_memory_allocate@(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER,
  agent_id INTEGER, type TEXT, level TEXT, start BIGINT, "end" BIGINT, address INTEGER, size INTEGER, queue_id INTEGER,
  stream_id INTEGER, event_id INTEGER);
CREATE VIEW regions AS SELECT * FROM rocpd_region@;
)";
  for (std::size_t at = 0; (at = sql.find('@', at)) != std::string::npos;) sql.replace(at, 1, suffix);
  return sql;
}

/// What rocprofv3 writes of a process that launches two kernels and a copy.
std::string rocpd_rows_3(const std::string& suffix) {
  std::string sql = R"(
INSERT INTO rocpd_string@(id, string) VALUES(1,''),(2,'hipLaunchKernel'),(3,'HIP_RUNTIME_API_EXT'),(4,'KERNEL_DISPATCH'),
  (5,'MEMORY_COPY_HOST_TO_DEVICE'),(6,'MARKER_CORE_RANGE_API'),(7,'roctxThreadRangeA'),(8,'roctxMarkA'),
  (9,'hipMemcpyAsync'),(10,'GPU Busy'),(11,'hsa_signal_wait'),(12,'HSA_CORE_API');
INSERT INTO rocpd_info_node@(id, hash, machine_id) VALUES(77,1,'m');
INSERT INTO rocpd_info_process@(id, nid, pid, command) VALUES(11,77,4242,'./train');
INSERT INTO rocpd_info_thread@(id, nid, pid, tid, name) VALUES(21,77,11,4243,'main');
INSERT INTO rocpd_info_agent@(id, nid, pid, type, type_index, name, product_name) VALUES
  (0,77,11,'CPU',0,'EPYC',''),(4,77,11,'GPU',0,'gfx942','AMD Instinct MI300X');
INSERT INTO rocpd_info_queue@(id, name) VALUES(0,'Default Queue'),(9,'Queue 0');
INSERT INTO rocpd_info_stream@(id, name) VALUES(0,'Default Stream'),(1,'Stream 0');
INSERT INTO rocpd_info_pmc@(id, agent_id, name) VALUES(5,4,'SQ_WAVES'),(6,4,'GFX Busy');
INSERT INTO rocpd_info_kernel_symbol@(id, kernel_name, display_name, sgpr_count, arch_vgpr_count, accum_vgpr_count)
  VALUES(3,'_Z4gemmPf.kd','gemm(float*)',96,64,8);
INSERT INTO rocpd_track@(id, nid, pid, tid, name_id) VALUES(1,77,11,21,10);
INSERT INTO rocpd_event@(id, category_id, stack_id, correlation_id, extdata) VALUES
  (1,3,101,0,'{}'),(2,3,102,0,'{}'),(3,3,103,0,'{}'),(4,6,100,0,'{"message": "my \"step\""}'),(5,4,101,0,'{}'),
  (6,4,102,0,'{}'),(7,4,103,0,'{}'),(8,6,104,0,'{"message": "mark"}'),(9,NULL,0,0,'{}'),(10,NULL,0,0,'{}'),
  (11,12,105,0,'{}');
INSERT INTO rocpd_arg@(event_id, position, type, name, value) VALUES(1,0,'dim3','numBlocks','{2,1,1}');
INSERT INTO rocpd_region@(nid, pid, tid, start, "end", name_id, event_id) VALUES(77,11,21,900,950,2,1),
  (77,11,21,1900,1950,2,2),(77,11,21,2900,2950,9,3),(77,11,21,700,3000,7,4),(77,11,21,2910,2940,11,11);
INSERT INTO rocpd_sample@(track_id, timestamp, event_id) VALUES(1,800,8),(1,1000,9),(1,2000,10);
INSERT INTO rocpd_pmc_event@(event_id, pmc_id, value) VALUES(9,6,50),(10,6,75.5),(5,5,3),(5,5,4);
INSERT INTO rocpd_kernel_dispatch@(nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, "end",
  private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x,
  grid_size_y, grid_size_z, region_name_id, event_id) VALUES
  (77,11,21,4,3,1,9,1,1000,1400,0,512,256,1,1,1000,2,1,1,5),(77,11,21,4,3,2,9,1,2000,2500,0,512,256,1,1,1024,2,1,1,6);
INSERT INTO rocpd_memory_copy@(nid, pid, tid, start, "end", name_id, dst_agent_id, src_agent_id, size, stream_id,
  event_id) VALUES(77,11,21,3000,3100,5,4,0,64,1,7);
INSERT INTO rocpd_memory_allocate@(nid, pid, tid, agent_id, type, level, start, "end", address, size) VALUES
  (77,11,21,4,'ALLOC','REAL',710,720,4096,1024),(77,11,21,NULL,'FREE','REAL',2980,2990,4096,0);
)";
  for (std::size_t at = 0; (at = sql.find('@', at)) != std::string::npos;) sql.replace(at, 1, suffix);
  return sql;
}

const std::string kUuid = "_00001eca_d4de_74de";

constexpr const char* kRocpdTrace =
    "./train/main: user_annotation my \"step\" 700+2300 {}\n"
    "./train/main: memory_allocation REAL ALLOC 710+10 {GPU=0 bytes=1024 address=0x1000}\n"
    "./train/main: mark @800\n"
    "./train/main: hip_runtime hipLaunchKernel 900+50 {correlation=101 numBlocks={2,1,1}}\n"
    "GPU 0/Stream 0: kernel gemm(float*) 1000+400 {device=0 stream=1 correlation=101 queue=9 grid=[4,2,1] "
    "block=[256,1,1] registers per thread=64 accumulation registers=8 scalar registers=96 shared memory=512 scratch "
    "memory=0 dispatch=1 SQ_WAVES=7}\n"
    "./train/main: hip_runtime hipLaunchKernel 1900+50 {correlation=102}\n"
    "GPU 0/Stream 0: kernel gemm(float*) 2000+500 {device=0 stream=1 correlation=102 queue=9 grid=[4,2,1] "
    "block=[256,1,1] registers per thread=64 accumulation registers=8 scalar registers=96 shared memory=512 scratch "
    "memory=0 dispatch=2}\n"
    "./train/main: hip_runtime hipMemcpyAsync 2900+50 {correlation=103}\n"
    "./train/main: hsa_core_api hsa_signal_wait 2910+30 {}\n"
    "./train/main: memory_allocation REAL FREE 2980+10 {bytes=0 address=0x1000}\n"
    "GPU 0/Stream 0: gpu_memcpy Memcpy HtoD 3000+100 {device=0 stream=1 correlation=103 bytes=64 to GPU=0}\n"
    "GPU 0/Allocated memory · bytes: counter 720=1024 2990=0\n"
    "GPU 0/GFX Busy · value: counter 1000=50 2000=75.5\n";

TEST_CASE("rocpd 3: kernels, copies, calls, markers, counters and memory stand where they belong") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a_results.db";
  write_sqlite(path, rocpd_schema_3(kUuid) + rocpd_rows_3(kUuid));
  const auto trace = import_path(path);
  REQUIRE(trace.has_value());
  CHECK(trace->sources()[0].format == "rocpd 3, SQLite");
  CHECK(describe_trace(*trace) == kRocpdTrace);
  REQUIRE(trace->sources()[0].devices.size() == 1);
  CHECK(trace->sources()[0].devices[0].name == "AMD Instinct MI300X");
  const auto streams = analyze_streams(*trace);
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].busy == 1000);
  CHECK(describe_gaps(*trace, streams[0]) == "1400+600 launch-bound, 2500+500 launch-bound");
  CHECK(trace->links().launches().size() == 3);
  CHECK(trace->sources()[0].report.total(Severity::kDataLoss) == 0);
  CHECK(trace->sources()[0].report.count(Finding::kTableNotRead) == 0);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST_CASE("rocpd 4.1: where things happened stands in tracks, categories in a table of their own") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a_results.db";
  // The rows of schema 3, moved to where schema 4 has them.
  std::string sql = rocpd_schema_3(kUuid) + rocpd_rows_3(kUuid) + R"(
CREATE TABLE rocpd_info_category@(id INTEGER PRIMARY KEY, guid TEXT, name TEXT);
INSERT INTO rocpd_info_category@(id, name) VALUES(3,'hip_api'),(4,'kernel_dispatch'),(6,'marker_api'),(12,'hsa_core_api');
DROP VIEW regions;
ALTER TABLE rocpd_track@ ADD COLUMN agent_id INTEGER;
ALTER TABLE rocpd_track@ ADD COLUMN queue_id INTEGER;
ALTER TABLE rocpd_track@ ADD COLUMN stream_id INTEGER;
INSERT INTO rocpd_track@(id, nid, pid, tid, agent_id, queue_id, stream_id) VALUES(2,77,11,21,NULL,NULL,NULL),
  (3,77,11,21,4,9,1),(4,77,11,21,4,NULL,1);
UPDATE rocpd_metadata@ SET value = '4.1.0' WHERE tag = 'schema_version';
)";
  for (const auto& [table, track] :
       {std::pair("region", "2"), std::pair("kernel_dispatch", "3"), std::pair("memory_copy", "4"),
        std::pair("memory_allocate", "CASE type WHEN 'ALLOC' THEN 4 ELSE 2 END")}) {
    const std::string name = fmt::format("rocpd_{}@", table);
    sql += fmt::format("ALTER TABLE {0} ADD COLUMN track_id INTEGER; UPDATE {0} SET track_id = {1};", name, track);
    for (const char* column : {"nid", "pid", "tid", "agent_id", "queue_id", "stream_id"})
      if (std::string_view(table) != "region" || std::string_view(column).size() == 3)
        if (std::string_view(table) != "memory_copy" || std::string_view(column) != "agent_id")
          sql += fmt::format("ALTER TABLE {} DROP COLUMN {};", name, column);
  }
  write_sqlite(path, replaced(sql, "@", kUuid));
  const auto trace = import_path(path);
  REQUIRE(trace.has_value());
  CHECK(trace->sources()[0].format == "rocpd 4.1.0, SQLite");
  CHECK(describe_trace(*trace) == kRocpdTrace);

  // In 4.0 times stand in a table, too.
  sql += "CREATE TABLE rocpd_timestamp@(id INTEGER PRIMARY KEY, guid TEXT, value BIGINT);";
  for (const auto& [table, time] :
       {std::pair("region", "start"), std::pair("region", "end"), std::pair("kernel_dispatch", "start"),
        std::pair("kernel_dispatch", "end"), std::pair("memory_copy", "start"), std::pair("memory_copy", "end"),
        std::pair("memory_allocate", "start"), std::pair("memory_allocate", "end"), std::pair("sample", "timestamp")})
    sql += fmt::format(
        "INSERT OR IGNORE INTO rocpd_timestamp@(id, value) SELECT \"{1}\" + 7, \"{1}\" FROM rocpd_{0}@;"
        "ALTER TABLE rocpd_{0}@ ADD COLUMN {1}_id INTEGER; UPDATE rocpd_{0}@ SET {1}_id = \"{1}\" + 7;"
        "ALTER TABLE rocpd_{0}@ DROP COLUMN \"{1}\";",
        table, time);
  const std::string older = folder.path + "/b_results.db";
  write_sqlite(older, replaced(sql, "@", kUuid));
  const auto spine = import_path(older);
  REQUIRE(spine.has_value());
  CHECK(describe_trace(*spine) == kRocpdTrace);
}

TEST_CASE("rocpd: two processes of one file keep their streams, launches and counters apart") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/merged.db", other = "_00001eca_ffff";
  write_sqlite(path, rocpd_schema_3(kUuid) + rocpd_rows_3(kUuid) + "DROP VIEW regions;" + rocpd_schema_3(other) +
                         replaced(rocpd_rows_3(other), "4242,'./train'", "5252,'./serve'"));
  const auto trace = import_path(path);
  REQUIRE(trace.has_value());
  const auto streams = analyze_streams(*trace);
  REQUIRE(streams.size() == 2);
  CHECK(trace->text(streams[1].device) == "0");
  CHECK(trace->text(streams[1].stream) == "1001");
  CHECK(trace->links().launches().size() == 6);
  const std::string text = describe_trace(*trace);
  CHECK(text.find("./serve/main: hip_runtime hipLaunchKernel 900+50") != std::string::npos);
  CHECK(trace->sources()[0].report.count(Finding::kSeveralLaunches) == 0);
  CHECK(trace->sources()[0].devices.size() == 1);

  const std::string apart = folder.path + "/nodes.db";  // another machine has other GPUs
  write_sqlite(apart, rocpd_schema_3(kUuid) + rocpd_rows_3(kUuid) + "DROP VIEW regions;" + rocpd_schema_3(other) +
                          replaced(rocpd_rows_3(other), "77,", "78,"));
  const auto two = import_path(apart);
  REQUIRE(two.has_value());
  const auto devices = analyze_devices(*two);
  REQUIRE(devices.size() == 2);
  CHECK(two->text(devices[1].device) == "1000");
  CHECK(describe_trace(*two).find("process 10004242") == std::string::npos);  // it has a name
  CHECK(two->sources()[0].devices.size() == 2);
}

TEST_CASE("rocpd without streams has its queues as streams") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/queues.db";
  write_sqlite(path, rocpd_schema_3("") + rocpd_rows_3("") +
                         "UPDATE rocpd_kernel_dispatch SET stream_id = 0; UPDATE rocpd_memory_copy SET stream_id = 0;"
                         "UPDATE rocpd_kernel_dispatch SET queue_id = 8 WHERE dispatch_id = 2;");
  const auto trace = import_path(path);
  REQUIRE(trace.has_value());
  std::string lanes;
  for (const StreamActivity& stream : analyze_streams(*trace))
    lanes += fmt::format("{} {}, ", trace->text(trace->track(stream.track).name), stream.events);
  CHECK(lanes == "Default Queue 1, stream 8 1, Queue 0 1, ");
}

TEST_CASE("rocpd: a graph stands above its kernels, or in their place") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/graph.db", alone = folder.path + "/alone.db";
  const std::string graph = R"(
ALTER TABLE rocpd_kernel_dispatch ADD COLUMN graph_exec_id INTEGER;
ALTER TABLE rocpd_kernel_dispatch ADD COLUMN graph_node_id INTEGER;
UPDATE rocpd_kernel_dispatch SET graph_exec_id = 6, graph_node_id = dispatch_id;
CREATE TABLE rocpd_graph_launch(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER,
  agent_id INTEGER, queue_id INTEGER, start BIGINT, "end" BIGINT, graph_exec_id INTEGER, kernel_dispatch_count INTEGER,
  event_id INTEGER);
INSERT INTO rocpd_graph_launch(nid, pid, tid, agent_id, queue_id, start, "end", graph_exec_id, kernel_dispatch_count,
  event_id) VALUES(77,11,21,4,9,1000,2500,6,2,5);
)";
  write_sqlite(path, rocpd_schema_3("") + rocpd_rows_3("") + graph);
  const auto trace = import_path(path);
  REQUIRE(trace.has_value());
  CHECK(analyze_streams(*trace)[0].events == 3);
  const std::string text = describe_trace(*trace);
  CHECK(text.find("Stream 0 annotations: gpu_user_annotation HIP graph 6 1000+1500 {") != std::string::npos);
  CHECK(text.find("graph id=6 graph node id=2") != std::string::npos);
  write_sqlite(alone, rocpd_schema_3("") + rocpd_rows_3("") + graph + "DELETE FROM rocpd_kernel_dispatch;");
  const auto without = import_path(alone);
  REQUIRE(without.has_value());
  CHECK(describe_trace(*without).find(": kernel HIP graph 6 1000+1500 {device=0 stream=0 correlation=101") !=
        std::string::npos);
}

TEST_CASE("rocpd: ranges of a process may cross others, and tables that are not read are told") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/odd.db";
  write_sqlite(path, rocpd_schema_3("") + rocpd_rows_3("") +
                         "INSERT INTO rocpd_string(id, string) VALUES(20,'roctxProcessRangeA');"
                         "INSERT INTO rocpd_region(nid, pid, tid, start, \"end\", name_id, event_id) "
                         "VALUES(77,11,21,1500,5000,20,NULL);"
                         "CREATE TABLE rocpd_gpu_pc_sample(id INTEGER PRIMARY KEY, timestamp BIGINT);"
                         "INSERT INTO rocpd_gpu_pc_sample(timestamp) VALUES(1),(2);"
                         "UPDATE rocpd_kernel_dispatch SET start = 'soon' WHERE dispatch_id = 2;"
                         "UPDATE rocpd_event SET extdata = x'04224d18' WHERE id = 4;"
                         "UPDATE rocpd_event SET extdata = x'' WHERE id = 1;");
  const auto trace = import_path(path);
  REQUIRE(trace.has_value());
  const ImportReport& report = trace->sources()[0].report;
  CHECK(report.count(Finding::kCrossingSlices) == 0);
  CHECK(describe_trace(*trace).find("roctxProcessRangeA 1500+3500") != std::string::npos);
  CHECK(report.count(Finding::kTableNotRead) == 2);
  CHECK(report.line(Finding::kTableNotRead).example == "rocpd_gpu_pc_sample");
  CHECK(report.count(Finding::kTimestampInvalid) == 1);
  CHECK(report.count(Finding::kMetadataNotUnderstood) == 1);
  CHECK(describe_trace(*trace).find("user_annotation roctxThreadRangeA 700+2300") != std::string::npos);
}

/// As rocmProfileData's tracer writes it: schema 3, and of schema 2 the same without categories.
std::string rpd_script(bool is_3) {
  std::string sql = R"(
CREATE TABLE rocpd_metadata(id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, "end" INTEGER,
  apiName_id INTEGER, args_id INTEGER);
CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY, stream TEXT, size INTEGER, width INTEGER, height INTEGER,
  kind INTEGER);
CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER PRIMARY KEY, stream TEXT, gridX INTEGER, gridY INTEGER, gridZ INTEGER,
  workgroupX INTEGER, workgroupY INTEGER, workgroupZ INTEGER, groupSegmentSize INTEGER, privateSegmentSize INTEGER,
  kernelName_id INTEGER);
CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER, start INTEGER,
  "end" INTEGER, description_id INTEGER, opType_id INTEGER);
CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);
CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INTEGER, monitorType TEXT, start INTEGER,
  "end" INTEGER, value TEXT);
CREATE TABLE ext_autogradapi(api_ptr_id INTEGER PRIMARY KEY, autogradName_id INTEGER, seq INTEGER, op_id INTEGER,
  sizes TEXT);
INSERT INTO rocpd_string VALUES(1,''),(2,'hipLaunchKernel'),(3,'KernelExecution'),(4,'gemm'),(5,'UserMarker'),
  (6,'aten::mm'),(7,'CopyHostToDevice'),(8,'hipMemcpyWithStream'),(9,'ApiTable::writeRows'),(10,'FillBuffer'),
  (11,'hipMemsetAsync'),(12,'step 1'),(13,'stop'),(14,'count=5');
INSERT INTO rocpd_metadata(tag, value) VALUES('schema_version','2');
INSERT INTO rocpd_api VALUES(4294967297,7,8,900,950,2,1),(4294967298,7,8,1900,1950,8,1),(4294967299,7,8,2900,2950,11,1),
  (4294967300,7,8,700,3000,5,12),(4294967301,7,8,800,960,5,6),(4294967302,7,9,100,5000,9,14),(4294967303,7,8,3100,3100,5,13);
INSERT INTO ext_autogradapi VALUES(4294967301,6,17,3,'[[2,2]]');
INSERT INTO rocpd_kernelapi VALUES(4294967297,'0x0',2,3,1,64,1,1,128,0,4);
INSERT INTO rocpd_copyapi VALUES(4294967298,'0x0',4096,'','',1);
INSERT INTO rocpd_op VALUES(1,2,0,0,1000,1400,4,3),(2,2,0,0,2000,2500,1,7),(3,2,0,0,3000,3010,1,10);
INSERT INTO rocpd_api_ops(api_id, op_id) VALUES(4294967297,1),(4294967298,2),(4294967299,3);
INSERT INTO rocpd_monitor(deviceType, deviceId, monitorType, start, "end", value) VALUES('gpu',2,'sclk',0,900,'800'),
  ('gpu',2,'sclk',900,2000,'1700');
)";
  if (!is_3) return sql;
  return sql + R"(
CREATE TABLE rocpd_ustring(id INTEGER PRIMARY KEY, string TEXT);
INSERT INTO rocpd_ustring SELECT id + 100, string FROM rocpd_string;
UPDATE rocpd_api SET args_id = args_id + 100;
UPDATE rocpd_metadata SET value = '3';
)";
}

TEST_CASE("RPD: work on its queues, tied to the calls that started it") {
  const TemporaryFolder folder;
  for (const bool is_3 : {false, true}) {
    CAPTURE(is_3);
    const std::string path = folder.path + (is_3 ? "/a3.rpd" : "/a2.rpd");
    write_sqlite(path, rpd_script(is_3));
    const auto trace = import_path(path);
    REQUIRE(trace.has_value());
    CHECK(trace->sources()[0].format == (is_3 ? "RPD 3, SQLite" : "RPD 2, SQLite"));
    CHECK(describe_trace(*trace) ==
          "process 7/thread 9: rpd_tracer ApiTable::writeRows 100+4900 {arguments=count=5}\n"
          "process 7/thread 8: user_annotation step 1 700+2300 {}\n"
          "process 7/thread 8: cpu_op aten::mm 800+160 {Sequence number=17 sizes=[[2,2]]}\n"
          "process 7/thread 8: hip_runtime hipLaunchKernel 900+50 {correlation=4294967297}\n"
          "GPU 2/stream 0: kernel gemm 1000+400 {device=2 stream=0 correlation=4294967297 grid=[2,3,1] block=[64,1,1] "
          "shared memory=128 type=KernelExecution}\n"
          "process 7/thread 8: hip_runtime hipMemcpyWithStream 1900+50 {correlation=4294967298}\n"
          "GPU 2/stream 0: gpu_memcpy Memcpy HtoD 2000+500 {device=2 stream=0 correlation=4294967298 bytes=4096 "
          "type=CopyHostToDevice}\n"
          "process 7/thread 8: hip_runtime hipMemsetAsync 2900+50 {correlation=4294967299}\n"
          "GPU 2/stream 0: gpu_memset Memset (Device) 3000+10 {device=2 stream=0 correlation=4294967299 "
          "type=FillBuffer}\n"
          "process 7/thread 8: stop @3100\n"
          "GPU 2/sclk · value: counter 0=800 900=1700\n");
    const auto streams = analyze_streams(*trace);
    REQUIRE(streams.size() == 1);
    CHECK(describe_gaps(*trace, streams[0]) == "1400+600 launch-bound, 2500+500 launch-bound");
    CHECK(trace->links().launches().size() == 3);
  }
}

TEST_CASE("ROCm's databases without work of a GPU have no streams") {
  const TemporaryFolder folder;
  const std::string rocpd = folder.path + "/a.db", rpd = folder.path + "/a.rpd";
  write_sqlite(rocpd, rocpd_schema_3("") + rocpd_rows_3("") +
                          "DELETE FROM rocpd_kernel_dispatch; DELETE FROM rocpd_memory_copy;");
  write_sqlite(rpd, rpd_script(true) + "DELETE FROM rocpd_op;");
  for (const std::string& path : {rocpd, rpd}) {
    const auto trace = import_path(path);
    REQUIRE(trace.has_value());
    CHECK(analyze_streams(*trace).empty());
    CHECK(trace->slice_count() > 3);
  }
}

TEST_CASE("databases open in archives and compressed, and cut off there with words or with what could be read") {
  const TemporaryFolder folder;
  const std::string plain = folder.path + "/a.rpd";
  write_sqlite(plain, rpd_script(true));
  const std::string bytes = read_file(plain);
  const auto trace = import_path(plain);
  REQUIRE(trace.has_value());
  const std::string packed = deflate(bytes, IGZIP_GZIP);
  const std::string zip = folder.write("a.zip", make_zip({{"out/a.rpd", bytes}}));
  for (const std::string& path : {folder.write("a.rpd.gz", packed), zip, zip + "/out/a.rpd",
                                  folder.write("b.zip", make_zip({{"a.rpd.gz", packed}}))}) {
    CAPTURE(path);
    const auto again = import_path(path);
    REQUIRE_MESSAGE(again.has_value(), again.error().message());
    CHECK(describe_trace(*again) == describe_trace(*trace));
  }
  for (std::size_t size = 0; size < packed.size(); size += 37)
    check_ends_well(folder.path + "/cut.rpd.gz", std::string_view(packed).substr(0, size));
  ImportOptions options;
  options.max_json_bytes = bytes.size() / 2;
  const auto limited = import_files(std::vector<std::string>{folder.path + "/a.rpd.gz"}, options);
  REQUIRE(!limited.has_value());
  CHECK(limited.error().code == ErrorCode::kLimit);
}

TEST_CASE("damaged databases of ROCm end with words or with what could be read") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.db", broken = folder.path + "/broken.db";
  write_sqlite(path, rocpd_schema_3("") + rocpd_rows_3(""));
  check_damage(broken, read_file(path), 128);
  write_sqlite(folder.path + "/a.rpd", rpd_script(false));
  check_damage(broken, read_file(folder.path + "/a.rpd"), 64);
}

}  // namespace
}  // namespace lacuna::test
