#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/cli/diff.h"

namespace lacuna {

class JsonWriter;

/// Prints what differs, with the columns that all tables of `lacuna diff` share.
void print_differences(const std::string& title, std::span<const std::vector<std::string>> rows, std::size_t width,
                       Output& out);
/// The section "By structure" of `lacuna diff`, and its key "structure". `a`, `b`: the traces compared.
void print_structure(const TraceDiff& diff, const DiffCommand& command, Output& out);
void print_structure_json(const Trace& a, const Trace& b, const TraceDiff& diff, const DiffCommand& command,
                          JsonWriter& json);

}  // namespace lacuna
