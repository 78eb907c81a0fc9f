#include "tests/formats/format_support.h"

namespace lacuna::test {
namespace {

/// Tables of ascend_pytorch_profiler_0.db with the columns of CANN 8, and a few rows of each.
constexpr const char* kAscend = R"(
CREATE TABLE STRING_IDS(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO STRING_IDS VALUES(1,'MatMulV2'),(2,'AI_CORE'),(3,'EVENT_WAIT'),(4,'hcom_allReduce__1'),(5,'hccl_world'),
  (6,'aten::mm'),(7,'Dequeue@aclnnMatmul'),(8,'launch'),(9,'aclrtSynchronizeStream'),(10,'step 1'),(11,'MEMCPY_ASYNC'),
  (12,'"2,3;3,4"'),(13,'MatMul'),(14,'default'),(15,'train.py(3): main'),(16,'Reduce_Inline');
CREATE TABLE RANK_DEVICE_MAP(rankId INTEGER, deviceId INTEGER);
INSERT INTO RANK_DEVICE_MAP VALUES(5,0);
CREATE TABLE NPU_INFO(id INTEGER, name TEXT);
INSERT INTO NPU_INFO VALUES(0,'Ascend910B2');
CREATE TABLE META_DATA(name TEXT, value TEXT);
INSERT INTO META_DATA VALUES('SCHEMA_VERSION','1.1.0');
CREATE TABLE TASK(startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
  globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
INSERT INTO TASK VALUES(1000,1400,0,700,9001,1,2,0,3,1,4294967295),(2000,2500,0,701,9002,1,2,0,3,2,4294967295),
  (1500,1900,0,4294967295,9003,1,3,0,3,3,4294967295),(3000,3100,0,702,9004,1,11,0,3,4,4294967295),
  (3200,3300,0,703,9005,1,2,0,9,5,4294967295);
CREATE TABLE COMPUTE_TASK_INFO(name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, mixBlockDim INTEGER,
  taskType INTEGER, opType INTEGER, inputFormats INTEGER, inputDataTypes INTEGER, inputShapes INTEGER,
  outputFormats INTEGER, outputDataTypes INTEGER, outputShapes INTEGER, attrInfo INTEGER);
INSERT INTO COMPUTE_TASK_INFO VALUES(1,9001,20,0,2,13,0,0,12,0,0,0,0),(1,9002,20,0,2,13,0,0,12,0,0,0,0);
CREATE TABLE COMMUNICATION_TASK_INFO(name INTEGER, globalTaskId INTEGER, taskType INTEGER, planeId INTEGER,
  groupName INTEGER, size INTEGER, opId INTEGER);
INSERT INTO COMMUNICATION_TASK_INFO VALUES(4,9005,16,0,5,64,1);
CREATE TABLE COMMUNICATION_OP(opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, groupName INTEGER,
  opId INTEGER PRIMARY KEY, relay INTEGER, retry INTEGER, dataType INTEGER, algType INTEGER, count NUMERIC,
  opType INTEGER);
INSERT INTO COMMUNICATION_OP VALUES(4,3200,3300,703,5,1,0,0,0,0,16,4);
CREATE TABLE CANN_API(startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER, name INTEGER);
INSERT INTO CANN_API VALUES(900,950,10000,(7<<32)+9,700,8),(1800,1850,10000,(7<<32)+9,701,8),
  (2900,2950,10000,(7<<32)+9,702,8),(960,990,20000,(7<<32)+9,4294967295,9);
CREATE TABLE PYTORCH_API(startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER,
  sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER,
  type INTEGER);
INSERT INTO PYTORCH_API VALUES('800','860',(7<<32)+8,33,6,4,0,NULL,12,NULL,50001),
  ('880','955',(7<<32)+9,34,7,NULL,NULL,NULL,NULL,NULL,50002),('0','4000',(7<<32)+8,NULL,15,NULL,NULL,NULL,NULL,NULL,50003);
CREATE TABLE CONNECTION_IDS(id INTEGER, connectionId INTEGER);
INSERT INTO CONNECTION_IDS VALUES(33,700),(33,4000);
CREATE TABLE MSTX_EVENTS(startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER,
  message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER, connectionId INTEGER);
INSERT INTO MSTX_EVENTS VALUES(700,2600,2,1,0,10,(7<<32)+8,(7<<32)+8,14,0),(650,650,0,1,0,10,(7<<32)+8,(7<<32)+8,14,0);
)";

TEST_CASE("Ascend: tasks, calls, operators, ranges and collectives stand where they belong") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/ascend_pytorch_profiler_5.db";
  write_sqlite(path, kAscend);
  const auto trace = import_path(path);
  REQUIRE(trace.has_value());
  const TraceSource& source = trace->sources()[0];
  CHECK(source.format == "Ascend profiler, SQLite");
  CHECK(source.rank == 5);
  CHECK(source.has_base_time);
  REQUIRE(source.devices.size() == 1);
  CHECK(source.devices[0].name == "Ascend910B2");
  CHECK(describe_trace(*trace) ==
        "process 7/thread 8: python_function train.py(3): main 0+4000 {}\n"
        "process 7/thread 8: step 1 @650\n"
        "process 7/step 1: user_annotation step 1 700+1900 {domain=default}\n"
        "process 7/thread 8: cpu_op aten::mm 800+60 {External id=33 Sequence number=4 Input Dims=\"2,3;3,4\"}\n"
        "process 7/thread 9: task_queue Dequeue@aclnnMatmul 880+75 {}\n"
        "process 7/thread 9: runtime Node@launch 900+50 {correlation=700}\n"
        "process 7/thread 9: runtime AscendCL@aclrtSynchronizeStream 960+30 {}\n"
        "NPU 0/stream 3: kernel MatMulV2 1000+400 {device=0 stream=3 correlation=700 External id=33 Task Type=AI_CORE "
        "Op Type=MatMul Input Shapes=\"2,3;3,4\" Block Dim=20}\n"
        "NPU 0/stream 3 other events: synchronization EVENT_WAIT 1500+400 {device=0 stream=3 Task Type=EVENT_WAIT}\n"
        "process 7/thread 9: runtime Node@launch 1800+50 {correlation=701}\n"
        "NPU 0/stream 3: kernel MatMulV2 2000+500 {device=0 stream=3 correlation=701 Task Type=AI_CORE Op Type=MatMul "
        "Input Shapes=\"2,3;3,4\" Block Dim=20}\n"
        "process 7/thread 9: runtime Node@launch 2900+50 {correlation=702}\n"
        "NPU 0/stream 3: gpu_memcpy MEMCPY_ASYNC 3000+100 {device=0 stream=3 correlation=702 Task Type=MEMCPY_ASYNC}\n"
        "NPU 0/Group hccl_world Communication annotations: gpu_user_annotation hcom_allReduce__1 3200+100 {device=0 "
        "stream=10000 Group=hccl_world Op Type=hcom_allReduce__1 count=16}\n"
        "NPU 0/stream 9: kernel hcom_allReduce__1 3200+100 {device=0 stream=9 correlation=703 Task Type=AI_CORE "
        "bytes=64}\n");
  const auto streams = analyze_streams(*trace);
  REQUIRE(streams.size() == 2);
  CHECK(streams[0].events == 3);  // what waits is no work
  CHECK(describe_gaps(*trace, streams[0]) == "1400+600 launch-bound, 2500+500 launch-bound");
  CHECK(trace->links().launches().size() == 3);
  CHECK(source.report.count(Finding::kTableNotRead) == 0);
}

TEST_CASE("Ascend: tables that are not read are told, and damage ends well") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.db", broken = folder.path + "/broken.db";
  write_sqlite(path, kAscend);
  check_damage(broken, read_file(path), 96);
  const std::string more = folder.path + "/more.db";
  write_sqlite(more, std::string(kAscend) +
                         "CREATE TABLE NPU_MEM(type INTEGER, hbm NUMERIC, timestampNs INTEGER, deviceId INTEGER);"
                         "INSERT INTO NPU_MEM VALUES(0,1,2,0),(0,1,3,0);");
  const auto trace = import_path(more);
  REQUIRE(trace.has_value());
  CHECK(trace->sources()[0].report.line(Finding::kTableNotRead).example == "NPU_MEM");
  CHECK(trace->sources()[0].report.count(Finding::kTableNotRead) == 2);
}

}  // namespace
}  // namespace lacuna::test
