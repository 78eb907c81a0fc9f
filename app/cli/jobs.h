#pragma once

#include <cstddef>
#include <string_view>

#include "app/cli/output.h"
#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

struct JobList;

/// `lacuna jobs`: lists the running programs that can be asked for a trace.
struct JobsCommand {
  bool json = false;
  std::size_t width = 120;
  void add_to(CLI::App& jobs);
};

/// Lists dormant programs, and jobs that register within six seconds. Error: another program answers the jobs
/// (dynolog, for instance), and no job is known.
Result<void> run_jobs(const JobsCommand& command, Output& out);
/// Prints that list; separate for tests.
void print_jobs(const JobList& list, const JobsCommand& command, Output& out);

}  // namespace lacuna
