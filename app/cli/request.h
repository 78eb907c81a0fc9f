#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna request`: asks running jobs to record a trace.
struct RequestCommand {
  std::vector<std::string> jobs;  ///< "all", processes, or "ranks" and ranks
  std::string duration;           ///< empty and no iterations: two seconds
  int iterations = 0;
  int multiple_of = 0;
  bool shapes = false;
  bool stacks = false;
  bool memory = false;
  bool modules = false;
  bool snapshot = false;
  std::string folder;  ///< empty: a new one, named after the time
  bool force = false;
  double wait = 60;  ///< seconds
  bool opens = false;

  void add_to(CLI::App& request);
};

/// The result of a request.
struct RequestAnswer {
  std::vector<std::string> files;  ///< traces of the jobs that answered
  bool is_whole = false;           ///< all jobs answered
};

/// Sends the request and waits for the traces, with progress on standard error. Ctrl+C ends the wait.
Result<RequestAnswer> run_request(const RequestCommand& command);

}  // namespace lacuna
