#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "model/query/query_source.h"
#include "model/query/query_table.h"

namespace lacuna {

/// The tables of data that Lacuna has and Perfetto does not: gap, launch, operator, step, stream, gpu_kernel,
/// roofline. Computed on
/// first use. Slices are identified by slice.id.
std::vector<std::unique_ptr<QueryTable>> own_tables(QuerySource& source, const std::atomic<bool>* cancel);

}  // namespace lacuna
