#include "tests/support/paths.h"

namespace lacuna {

std::string source_folder() {
  return LACUNA_SOURCE_DIR;
}
std::string build_folder() {
  return LACUNA_BINARY_DIR;
}

}  // namespace lacuna
