#pragma once

#include <optional>

#include "app/tables/table.h"
#include "model/steps/request_times.h"

namespace lacuna {

/// A request, and what is known of its time to the first token. Both outlive the row.
struct RequestRow {
  const Request* request = nullptr;  ///< times since 1970
  std::optional<Nanos> arrival;      ///< on the clock of the trace; none: it does not know when it was
  Nanos begin = 0;                   ///< of the recording, on that clock
  const std::optional<FirstTokenTime>* first_token = nullptr;
};

/// Requests in the order of `rows`, which outlive the table.
Table request_table(std::span<const RequestRow> rows);

}  // namespace lacuna
