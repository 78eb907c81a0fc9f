#pragma once

#include <cstddef>
#include <vector>

#include "app/gui/models/memory/memory_view.h"

namespace lacuna {

/// Returns the devices of snapshots on which memory ran out.
std::vector<std::size_t> ran_out(const MemoryView::Histories& histories);

}  // namespace lacuna
