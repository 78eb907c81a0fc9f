#pragma once

#include <string>

#include "model/base/byte_source.h"

namespace lacuna {

/// Describes what a file that is not JSON seems to be, judged by its first bytes: "HTML or XML",
/// "a zip archive; unpack it first". For error messages.
std::string describe_file(const ByteSource& bytes);

}  // namespace lacuna
