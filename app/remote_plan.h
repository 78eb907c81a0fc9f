#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/remote/far_side.h"

namespace lacuna {

/// The request of `lacuna --on HOST TRACE…`.
struct RemotePlan {
  RemotePlace place;
  std::vector<std::string> paths;  ///< on that machine
  std::unique_ptr<FarSide> line;   ///< taken by the code that opens it; may be null
  bool stays_there = false;        ///< fetch only when the user asks for it in the window
};

}  // namespace lacuna
