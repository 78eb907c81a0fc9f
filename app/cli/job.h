#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "model/import/importer.h"
#include "model/job/job.h"

namespace CLI {
class App;
}

namespace lacuna {

class JsonWriter;
struct JobComparison;

/// `lacuna job DIR|PATTERN|FILES`
struct JobCommand {
  bool json = false;
  bool csv = false;
  bool html = false;
  std::vector<std::string> against;   ///< files of another job, to compare with; empty: none
  std::string table = "collectives";  ///< of --csv
  std::string output;                 ///< file; empty: standard output
  unsigned workers = 0;               ///< files at a time; 0 = one per core
  std::size_t limit = 20;             ///< rows of each table in text; 0 = all
  std::size_t width = 120;

  /// Declares the options on `job`, bound to this object, which must outlive the parsing.
  void add_to(CLI::App& job);
};

/// Reads the ranks of `paths`, and writes what each rank waited for and which rank it waited for.
Result<void> run_job(const std::vector<std::string>& paths, const ImportOptions& import, const JobCommand& command);

/// `lacuna digest FILE -o FILE.digest`
Result<void> run_digest(const std::string& path, const std::string& output, const ImportOptions& import);

/// These write a job as JSON (job_json.cpp), CSV (job_tables.cpp) and as one HTML page without scripts (job_html.cpp).
void write_job_json(const Job& job, Output& out);
void write_job_csv(const Job& job, std::string_view table, Output& out);
/// The tables of ranks and groups as text, and the lists "groups" and "cells" of the JSON (job_tables.cpp).
void print_job_tables(const Job& job, const JobCommand& command, Output& out);
void write_job_tables_json(const Job& job, JsonWriter& json, const Output& out);
void write_job_html(const Job& job, Output& out);

/// Two jobs side by side (job_comparison.cpp): A as given first, B given with --compare.
void write_job_comparison_json(const JobComparison& both, Output& out);
void print_job_comparison(const JobComparison& both, const JobCommand& command, Output& out);

}  // namespace lacuna
