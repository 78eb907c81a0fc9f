#pragma once

#include <string_view>

#include "capture/remote/remote_place.h"
#include "model/base/result.h"

namespace lacuna {

/// `lacuna install-on HOST`: copies this program, its collector and hook, and the libraries of this system that they
/// need (all but the C library's) into the user's folder there, with ssh and tar. Asks first, unless `yes`. What was
/// installed before is replaced once the new one has run there.
Result<void> install_on(const RemotePlace& place, bool yes);

}  // namespace lacuna
