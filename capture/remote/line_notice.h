#pragma once

#include <string>

#include "capture/remote/remote_place.h"
#include "model/base/os/descriptor.h"

namespace lacuna {

/// Tells all windows of this user that one of them waits for a machine's answer, so that their file transfers
/// from there give way on the shared connection. A lock on an empty file, which ends with its holder. If the
/// file cannot be created, windows do not know of each other. One thread.
class LineNotice {
 public:
  /// Puts the file into `folder`, which is created.
  LineNotice(const std::string& folder, const RemotePlace& place);
  LineNotice(const LineNotice&) = delete;
  LineNotice& operator=(const LineNotice&) = delete;

  /// Says whether this window waits.
  void wait(bool waits);
  bool others_wait() const;

 private:
  Descriptor file_;
  bool waits_ = false;
};

}  // namespace lacuna
