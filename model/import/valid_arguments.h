#pragma once

#include <span>
#include <string_view>

namespace lacuna {

/// read_arguments_quickly() (same arguments, same values) for an event that the import has shown to
/// be well-formed: checks nothing again, so that it can search for quotes and braces 16
/// bytes at a time and skip keys that were not asked for.
///
/// Returns false, with values undefined, where that is not enough: an escape, an object inside args or
/// before them, something behind them, keys with more than eight different first letters, an event that does not
/// end in `text`, or a machine without SSE2. Use read_arguments_quickly() then. Any thread.
bool read_valid_arguments(std::string_view text, std::span<const std::string_view> keys,
                          std::span<std::string_view> values);

}  // namespace lacuna
