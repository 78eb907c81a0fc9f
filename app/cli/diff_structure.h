#pragma once

#include "app/cli/diff.h"

namespace lacuna {

class JsonWriter;

/// The section "By structure" of `lacuna diff`, and its key "structure". `a`, `b`: the traces compared.
void print_structure(const TraceDiff& diff, const DiffCommand& command, Output& out);
void print_structure_json(const Trace& a, const Trace& b, const TraceDiff& diff, const DiffCommand& command,
                          JsonWriter& json);

}  // namespace lacuna
