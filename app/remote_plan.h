#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/remote/far_side.h"

namespace lacuna {

/// What `lacuna --on HOST TRACE…` asks for.
struct RemotePlan {
  RemotePlace place;
  std::vector<std::string> paths;  ///< there
  std::unique_ptr<FarSide> line;   ///< taken by who opens it; may be null
  bool stays_there = false;        ///< they are fetched only when the user asks for it in the window
};

}  // namespace lacuna
