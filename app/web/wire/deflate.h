#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// `bytes` in the format that browsers call "deflate-raw" (RFC 1951), at most 2 GiB. Empty where there is no memory.
std::string deflate(std::string_view bytes);

}  // namespace lacuna
