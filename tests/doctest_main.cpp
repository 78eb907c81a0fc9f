// The main() of every unit test executable, compiled once.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/support/skip.h"

namespace lacuna {
namespace {

bool was_anything_skipped = false;

}  // namespace

void skip(const std::string& why) {
  was_anything_skipped = true;
  MESSAGE("skipped: " << why);
}

}  // namespace lacuna

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  return status == 0 && lacuna::was_anything_skipped ? lacuna::kSkippedStatus : status;
}
