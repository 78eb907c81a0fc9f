#pragma once

#include <span>
#include <string>

#include "app/cli/json_writer.h"
#include "app/cli/output.h"
#include "app/tables/table.h"
#include "model/causes/cause_index.h"
#include "model/causes/gap_evidence.h"
#include "model/gaps/gaps.h"
#include "model/job/late_waits.h"

namespace lacuna {

/// The causes that `lacuna gaps` prints beside its gaps. Holds a reference to the trace.
class GapReasons {
 public:
  explicit GapReasons(const Trace& trace) : index_(trace, late_ranks_or_none(trace)), evidences_(trace) {}

  /// "launch-bound"
  std::string cause(const Gap& gap) const;
  /// Prints a table of gaps, below each its reason: "cudaLaunchKernel came 2.61 ms late: 2.59 ms in aten::linear".
  void print(const Table& table, std::span<const Gap> gaps, std::size_t width, Output& out);
  /// Adds the keys of gap_reasons_help() to an object; `gap` is one of `stream`.
  void add_to(Json& object, const StreamActivity& stream, const Gap& gap);

 private:
  CauseIndex index_;
  GapEvidences evidences_;
};

/// The JSON keys of a gap, and each cause with what it means, for the help.
std::string_view gap_reasons_help();
std::string gap_causes_explained();

}  // namespace lacuna
