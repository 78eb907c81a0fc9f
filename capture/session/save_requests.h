#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// Somebody wants what a recording under way has so far. Asked through files in the recording's own folder, which only
/// its user may enter.
struct SaveRequest {
  std::string path;  ///< absolute; empty: a new name beside the recording's own
  Existing existing = Existing::kKeep;
  std::string answer;  ///< where the answer goes; empty: the one who asks is this process
};

/// What other processes ask of the recording in `folder`, once each.
std::vector<SaveRequest> take_save_requests(const std::string& folder);
/// Tells the one who asked.
void answer_save_request(const SaveRequest& request, const Result<void>& done);
/// Asks the process that records into `folder`, and waits until it has saved. Errors: its own, and kNotFound when it
/// ends before it has answered.
Result<void> ask_to_save(const std::string& folder, const std::string& path, Existing existing);

}  // namespace lacuna
