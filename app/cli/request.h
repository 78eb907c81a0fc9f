#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna request`: a window of jobs that run already.
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
  std::vector<std::string> files;  ///< of the jobs that answered
  bool is_whole = false;           ///< all did
};

/// Asks, waits, and tells on standard error how it goes. Ctrl+C ends the waiting.
Result<RequestAnswer> run_request(const RequestCommand& command);

}  // namespace lacuna
