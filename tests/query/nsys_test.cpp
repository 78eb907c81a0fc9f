#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>
#include <sqlite3.h>

#include "model/formats/formats.h"
#include "model/gaps/gaps.h"
#include "model/import/importer.h"
#include "model/query/query_database.h"
#include "model/trace/import_finding.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

constexpr const char* kExport = R"(
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2025.1');
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES(1,'gemm'),(2,'void gemm<float>()'),(3,'cudaLaunchKernel_v7000'),(4,'pt_main'),(5,'my range');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER,
  globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(2000,2500,0,7,9,111<<24,2,1,4,2,1,128),(1000,1400,0,7,8,111<<24,2,1,4,2,1,128),
  (1000,1400,1,7,8,112<<24,2,1,4,2,1,128);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER,
  globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(3000,3100,0,7,10,111<<24,64,1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(900,950,(111<<24)+5,8,3),(1900,1950,(111<<24)+5,9,3);
CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER, domainId INTEGER);
INSERT INTO NVTX_EVENTS VALUES(800,960,59,'aten::mm, seq = 3, op_id = 7',NULL,(111<<24)+5,0),(700,2000,59,NULL,5,(111<<24)+5,2),
  (750,NULL,34,'mark',NULL,(111<<24)+5,0),(0,NULL,75,'net',NULL,NULL,2);
CREATE TABLE ThreadNames(nameId INTEGER, globalTid INTEGER);
INSERT INTO ThreadNames VALUES(4,(111<<24)+5);
)";

void write_database(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &connection) == SQLITE_OK);
  REQUIRE(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(connection);
}

TEST_CASE("an export has its lanes, launches, ranges and names") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/report.sqlite";
  write_database(path, kExport);
  const auto trace = import_files(std::vector<std::string>{path});
  REQUIRE(trace.has_value());
  CHECK(trace->sources()[0].format == "Nsight Systems 2025.1, SQLite");
  const auto streams = analyze_streams(*trace);
  REQUIRE(streams.size() == 2);
  CHECK(streams[0].events == 3);
  CHECK(streams[0].busy == 1000);
  CHECK(streams[0].idle() == 1100);
  CHECK(trace->links().launches().size() == 2);  // not that of the other process with the same number
  QuerySource source(*trace);
  auto database = QueryDatabase::open(source);
  REQUIRE(database.has_value());
  std::string rows;
  const auto done = (*database)->run(
      "SELECT s.category, s.name, s.dur, s.depth, COALESCE(extract_arg(s.arg_set_id, 'args.demangled'), "
      "extract_arg(s.arg_set_id, 'args.domain'), extract_arg(s.arg_set_id, 'args.op_id'), '') FROM slice s JOIN "
      "thread_track tt ON tt.id = s.track_id JOIN thread t USING (utid) JOIN process p USING (upid) WHERE p.pid <> 1 "
      "ORDER BY s.ts, s.dur DESC",
      {}, [](std::span<const std::string>) {},
      [&](std::span<const Cell> row) {
        for (const Cell& cell : row)
          rows += (cell.kind == Cell::Kind::kInteger ? std::to_string(cell.integer) : std::string(cell.text)) + "|";
        rows += "\n";
        return true;
      });
  REQUIRE(done.has_value());
  CHECK(rows ==
        "user_annotation|my range|1300|0|net|\nuser_annotation|mark|0|1||\ncpu_op|aten::mm|160|1|7|\n"
        "cuda_runtime|cudaLaunchKernel_v7000|50|2||\nkernel|gemm|400|0|void gemm<float>()|\n"
        "cuda_runtime|cudaLaunchKernel_v7000|50|1||\nkernel|gemm|500|0|void gemm<float>()|\ngpu_memcpy|Memcpy "
        "HtoD|100|0||\n");
}

TEST_CASE("two numbers of an export whose sum is no number of 64 bits are the largest there is") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/report.sqlite";
  write_database(path, std::string(kExport) +
                           "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN staticSharedMemory INTEGER;"
                           "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN dynamicSharedMemory INTEGER;"
                           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET staticSharedMemory = 9223372036854775807,"
                           " dynamicSharedMemory = 4096;");
  const auto trace = import_files(std::vector<std::string>{path});
  REQUIRE(trace.has_value());
  QuerySource source(*trace);
  auto database = QueryDatabase::open(source);
  REQUIRE(database.has_value());
  std::string found;
  const auto done = (*database)->run(
      "SELECT DISTINCT extract_arg(arg_set_id, 'args.shared memory') FROM slice WHERE category = 'kernel'", {},
      [](std::span<const std::string>) {},
      [&](std::span<const Cell> row) {
        found +=
            (row[0].kind == Cell::Kind::kInteger ? std::to_string(row[0].integer) : std::string(row[0].text)) + "|";
        return true;
      });
  REQUIRE(done.has_value());
  CHECK(found == "9223372036854775807|");
}

TEST_CASE("the JSON from which args are read is the same when the export is opened again") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/report.sqlite";
  write_database(path, kExport);
  const auto trace = import_files(std::vector<std::string>{path});
  REQUIRE(trace.has_value());
  const auto again = open_text(path, 1 << 20);
  REQUIRE(again.has_value());
  const auto text_of = [](const ByteSource& bytes) {
    std::string text(bytes.size(), '\0');
    text.resize(bytes.read_at(0, text));
    return text;
  };
  const std::string text = text_of(*trace->sources()[0].bytes);
  CHECK(text.size() == trace->sources()[0].json_bytes);
  CHECK(text == text_of(**again));
  CHECK(open_text(path, 100).error().code == ErrorCode::kLimit);
  // Opening it in place of the export gives the same.
  const auto of_text = import_json(text);
  REQUIRE(of_text.has_value());
  CHECK(of_text->slice_count() == trace->slice_count());
  CHECK(of_text->links().launches().size() == trace->links().launches().size());
}

TEST_CASE("a view in place of a table is not run, and no export is said to be none") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/hostile.sqlite";
  write_database(
      path,
      "CREATE TABLE StringIds(id INTEGER, value TEXT); CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(x) "
      "AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS start, x AS end FROM n;");
  const auto trace = import_files(std::vector<std::string>{path});
  REQUIRE(!trace);
  CHECK(trace.error().cause.find("no export of Nsight Systems") != std::string::npos);
}

TEST_CASE("what is no time, and tables that are not read, are counted") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/odd.sqlite";
  write_database(path, std::string(kExport) +
                           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE start = 2000;"
                           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = x'00ff' WHERE deviceId = 1;"
                           "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY RENAME TO elsewhere;"
                           "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS SELECT * FROM elsewhere;"
                           "CREATE TABLE OSRT_API(odd INTEGER);");
  const auto trace = import_files(std::vector<std::string>{path});
  REQUIRE(trace.has_value());
  const ImportReport& report = trace->sources()[0].report;
  CHECK(report.count(Finding::kTimestampInvalid) == 1);
  CHECK(report.count(Finding::kDurationInvalid) == 1);
  CHECK(report.count(Finding::kEventUnreadable) == 2);  // the view and the table
  // Nothing begins at 0 because of it.
  CHECK(trace->span().begin == 700);
}

TEST_CASE("tables of events that are not read are named, with their rows") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/report.sqlite";
  write_database(path,
                 std::string(kExport) +
                     "CREATE TABLE UVM_EVENTS(start INTEGER, end INTEGER); INSERT INTO UVM_EVENTS VALUES(1,2),(3,4);"
                     "CREATE TABLE EMPTY_EVENTS(start INTEGER, end INTEGER);"
                     "CREATE TABLE ENUM_THINGS(id INTEGER, name TEXT); INSERT INTO ENUM_THINGS VALUES(1,'x');");
  const auto trace = import_files(std::vector<std::string>{path});
  REQUIRE(trace.has_value());
  const ImportReport::Line& unread = trace->sources()[0].report.line(Finding::kTableNotRead);
  CHECK(unread.count == 2);
  CHECK(unread.example == "UVM_EVENTS");
  const std::string whole = folder.path + "/whole.sqlite";
  write_database(whole, kExport);
  CHECK(import_files(std::vector<std::string>{whole})->sources()[0].report.count(Finding::kTableNotRead) == 0);
}

TEST_CASE("ranges in a table of another name are read, and nvprof's exports refused by name") {
  const TemporaryFolder folder;
  std::string sql = kExport;
  for (std::size_t at = 0; (at = sql.find("NVTX_EVENTS", at)) != std::string::npos; at += 14)
    sql.replace(at, 11, "NVTX_EVENTS_V2");
  const std::string path = folder.path + "/report.sqlite", usual = folder.path + "/usual.sqlite";
  write_database(path, sql);
  write_database(usual, kExport);
  const auto trace = import_files(std::vector<std::string>{path});
  REQUIRE(trace.has_value());
  CHECK(trace->slice_count() == import_files(std::vector<std::string>{usual})->slice_count());
  CHECK(trace->sources()[0].report.count(Finding::kTableNotRead) == 0);

  const std::string nvprof = folder.path + "/nvprof.sqlite";
  write_database(nvprof,
                 "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT);"
                 "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT);"
                 "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1, 13, 100, 200);");
  const auto refused = import_files(std::vector<std::string>{nvprof});
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::kNotATrace);
  CHECK(refused.error().cause.find("nvprof") != std::string::npos);
}

TEST_CASE("damaged files end with words or with what could be read") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/report.sqlite";
  write_database(path, kExport);
  std::ifstream in(path, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  for (std::size_t at = 100; at < whole.size(); at += 97) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x5a);
    broken.resize(whole.size() - at % 3000);
    const std::string name = folder.path + "/broken.sqlite";
    std::ofstream(name, std::ios::binary) << broken;
    const auto trace = import_files(std::vector<std::string>{name});
    if (!trace) CHECK(!trace.error().cause.empty());
  }
}

TEST_CASE("a folder brings its exports along, and passes over other databases") {
  const TemporaryFolder folder;
  write_database(folder.path + "/report1.sqlite", kExport);
  write_database(folder.path + "/settings.sqlite", "CREATE TABLE moz_places(id INTEGER);");
  const auto trace = import_files(std::vector<std::string>{folder.path});
  REQUIRE(trace.has_value());
  REQUIRE(trace->sources().size() == 1);
  CHECK(trace->sources()[0].path == folder.path + "/report1.sqlite");
}

TEST_CASE("what a hostile database would run is not run") {
  const TemporaryFolder folder;
  const std::string victim = folder.path + "/victim";
  // A trigger, a virtual table over a file, a generated column and an index of an expression: none may do a thing.
  write_database(folder.path + "/a.sqlite",
                 std::string(kExport) +
                     "CREATE TRIGGER t AFTER INSERT ON NVTX_EVENTS BEGIN DELETE FROM StringIds; END;"
                     "CREATE VIEW TARGET_INFO_GPU AS SELECT randomblob(1000000000) AS name, 0 AS id;"
                     "CREATE VIEW PROCESSES AS SELECT writefile('" +
                     victim + "', 'x') AS name, 1 AS globalPid;");
  const auto trace = import_files(std::vector<std::string>{folder.path + "/a.sqlite"});
  REQUIRE(trace.has_value());
  CHECK(trace->slice_count() >= 5);
  CHECK(!std::ifstream(victim).good());
}

TEST_CASE("a report itself gets the command that exports it") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.nsys-rep";
  std::ofstream(path) << "NVIDIA Tegra Profiler Report 1.2 and more";
  const auto trace = import_files(std::vector<std::string>{path});
  REQUIRE(!trace);
  CHECK(trace.error().cause.find("nsys export --type sqlite") != std::string::npos);
}

}  // namespace
}  // namespace lacuna
