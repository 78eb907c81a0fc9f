#pragma once

#include "app/cli/gaps.h"
#include "app/cli/output.h"

namespace lacuna {

/// `lacuna gaps --dead-windows` and `--launches`. They look at json, limit and width of `options`.
void print_dead_windows(const Trace& trace, const GapsOptions& options, Output& out);
void print_launches(const Trace& trace, const GapsOptions& options, Output& out);

}  // namespace lacuna
