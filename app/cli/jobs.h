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

/// `lacuna jobs`: which running programs a trace can be asked of.
struct JobsCommand {
  bool json = false;
  std::size_t width = 120;
  void add_to(CLI::App& jobs);
};

/// Lists dormant programs, listens for up to six seconds and lists who asked. Error: somebody else answers the jobs,
/// and none is known.
Result<void> run_jobs(const JobsCommand& command, Output& out);
/// Prints that list; separate for tests.
void print_jobs(const JobList& list, const JobsCommand& command, Output& out);

}  // namespace lacuna
