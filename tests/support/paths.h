#pragma once

#include <string>

namespace lacuna {

/// The checkout that the tests were built from, and its build folder. Two folders with their absolute paths
/// are known to one file only, so that checkouts elsewhere can share what they compiled.
std::string source_folder();
std::string build_folder();

}  // namespace lacuna
