#pragma once

#include <string>

#include "app/cli/diff.h"

namespace lacuna {

class JsonWriter;
class TextTable;

/// An empty table of what differs, with the columns that all tables of `lacuna diff` share.
TextTable differences_table(std::string title);
/// The section "By structure" of `lacuna diff`, and its key "structure". `a`, `b`: the traces compared.
void print_structure(const TraceDiff& diff, const DiffCommand& command, Output& out);
void print_structure_json(const Trace& a, const Trace& b, const TraceDiff& diff, const DiffCommand& command,
                          JsonWriter& json);

}  // namespace lacuna
