#include "model/base/standard_error.h"

#include <cstdio>

namespace lacuna {

void to_standard_error(std::string_view text) noexcept {
  (void)!std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace lacuna
