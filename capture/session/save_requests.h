#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// A request to save what a recording under way has captured so far. Sent through files in the recording's own folder,
/// which only its user may enter.
struct SaveRequest {
  std::string path;  ///< absolute; empty: a new name derived from the recording's own
  Existing existing = Existing::kKeep;
  std::string answer;  ///< path of the answer file; empty: the request came from this process
};

/// Returns the new requests of other processes to the recording in `folder`, each once.
std::vector<SaveRequest> take_save_requests(const std::string& folder);
/// Answers the requesting process.
void answer_save_request(const SaveRequest& request, const Result<void>& done);
/// Asks the process that records into `folder` to save, and waits until it has. Errors: the saving process's own, and
/// kNotFound when it ends before it has answered.
Result<void> ask_to_save(const std::string& folder, const std::string& path, Existing existing);

}  // namespace lacuna
