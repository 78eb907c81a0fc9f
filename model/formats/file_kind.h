#pragma once

#include <string>

#include "model/base/byte_source.h"

namespace lacuna {

/// Says what a file that is no JSON seems to be, judged by its first bytes: "HTML or XML",
/// "a zip archive; unpack it first". For error messages.
std::string describe_file(const ByteSource& bytes);

}  // namespace lacuna
