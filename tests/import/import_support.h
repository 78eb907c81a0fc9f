#pragma once
// Reads literals and files into EventBatches, and formats them as text for comparison.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "model/build/event_batch.h"
#include "model/import/importer.h"
#include "model/input/bytes.h"
#include "model/trace/import_finding.h"
#include "model/trace/trace.h"

namespace lacuna::test {

/// The readers' output for one input.
struct ReadResult {
  Result<void> result;
  TraceSource facts;
  std::vector<EventBatch> batches;
  ImportReport report;  ///< report on the facts and all batches

  std::uint64_t events() const;
  std::uint64_t phase(char c) const;
  std::uint64_t count(Finding finding) const { return report.count(finding); }
  std::uint64_t offset(Finding finding) const { return report.line(finding).first_offset; }
};

ReadResult read_bytes(ImportBytes& bytes, const ImportOptions& options = {});
ReadResult read_text(std::string_view json, const ImportOptions& options = {});
ReadResult read_path(const std::string& path, const ImportOptions& options = {});

/// Returns options that cut the text into stripes of `bytes`, read by several threads.
ImportOptions cut_every(std::size_t bytes);
ImportOptions tolerant();

/// Returns one line per record, in file order, with texts instead of ids: equal lines mean the
/// same trace. Counters come last.
std::vector<std::string> lines(const ReadResult& read);
/// Returns the report as "key count @offset" lines.
std::vector<std::string> report_lines(const ReadResult& read);

/// Wraps `events` in the usual object.
std::string in_object(std::string_view events);

/// Folder of the shared traces; empty if it does not exist (the test then says so and passes).
std::string shared_traces();
/// Returns all traces below shared_traces(), sorted.
std::vector<std::string> shared_trace_files();
std::string read_file(const std::string& path);
/// Returns the decompressed text of a file.
std::string read_decompressed(const std::string& path);

/// A file in its own folder, both removed with the object.
class TemporaryFile {
 public:
  TemporaryFile(std::string_view name, std::string_view content);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string folder_;
  std::string path_;
};

}  // namespace lacuna::test

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& list) {
    std::string text = "{";
    for (const std::string& line : list) text += "\n  " + line;
    return (text + "}").c_str();
  }
};
