#include "model/formats/sqlite/sqlite_format.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/formats/ascend/ascend_tables.h"
#include "model/formats/nsys/nsys_events.h"
#include "model/formats/rocpd/rocpd_tables.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::array<const SqliteKind*, 4> kSqliteKinds{&kNsysTables, &kRocpdTables, &kRpdTables, &kAscendTables};

Result<void> read_database(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
  if (const auto error = input.bytes.ending().error) return tl::make_unexpected(*error);  // all of it is here now
  auto opened =
      ForeignDatabase::open(input.bytes, input.path, input.progress == nullptr ? nullptr : &input.progress->cancel);
  if (!opened) return tl::make_unexpected(opened.error());
  ForeignDatabase& database = **opened;
  const auto kind = std::ranges::find_if(kSqliteKinds, [&](const SqliteKind* k) { return k->recognises(database); });
  if (kind == kSqliteKinds.end())
    return fail(ErrorCode::kNotATrace,
                "an SQLite database, but no export of Nsight Systems, nor what rocprofv3, RPD or Ascend's profiler "
                "writes: it has none of their tables",
                input.path, 0);
  facts.format = (*kind)->title;
  if (auto done = (*kind)->read(database, input, facts, receive); !done) return done;
  facts.report.add(Finding::kEventUnreadable, ImportReport::kNoOffset, database.damage(), database.damaged_tables());
  const ForeignDatabase::Unread unread = database.unread_events((*kind)->time_columns);
  facts.report.add(Finding::kTableNotRead, ImportReport::kNoOffset, fmt::format("{}", fmt::join(unread.tables, ", ")),
                   unread.rows);
  return {};
}

}  // namespace

constinit const Format kSqliteFormat{
    .title = "SQLite database",
    .endings = {".sqlite", ".db", ".rpd"},
    .recognises = [](std::string_view head,
                     bool) { return head.starts_with(std::string_view("SQLite format 3\0", 16)); },
    .text = Format::Text::kMade,
    .read = read_database};

}  // namespace lacuna
