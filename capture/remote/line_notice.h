#pragma once

#include <string>

#include "capture/remote/remote_place.h"
#include "model/base/os/descriptor.h"

namespace lacuna {

/// By which all windows of this user know that one of them waits for an answer of a machine, so that what they fetch
/// from there makes way on the line that they share. A lock on an empty file, which ends with its holder. Where there
/// is no place for the file windows do not know of each other. One thread.
class LineNotice {
 public:
  /// The file lies in `folder`, which is made.
  LineNotice(const std::string& folder, const RemotePlace& place);
  LineNotice(const LineNotice&) = delete;
  LineNotice& operator=(const LineNotice&) = delete;

  /// This one waits, or does no longer.
  void wait(bool waits);
  bool others_wait() const;

 private:
  Descriptor file_;
  bool waits_ = false;
};

}  // namespace lacuna
