#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Compresses `bytes` in the format that browsers call "deflate-raw" (RFC 1951), at most 2 GiB. Empty if out of memory.
std::string deflate(std::string_view bytes);

}  // namespace lacuna
