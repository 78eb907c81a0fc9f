#pragma once

#include <string>

namespace lacuna {

/// The checkout that the tests were built from, and its build folder. Only one file knows these two absolute
/// paths, so that other checkouts can share compiled objects.
std::string source_folder();
std::string build_folder();

}  // namespace lacuna
