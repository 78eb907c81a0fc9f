// Names that somebody may have meant.
#include "app/cli/near_names.h"

#include <doctest/doctest.h>

namespace lacuna {
namespace {

TEST_CASE("near names: case, punctuation, parts and two letters off; the nearest first") {
  const std::vector<std::string> names = {"train_step", "train step 7", "trian_step", "forward", "loss"};
  CHECK(near_names("TrainStep", names, 9) == std::vector<std::string>{"train_step", "train step 7", "trian_step"});
  CHECK(near_names("TrainStep", names, 1) == std::vector<std::string>{"train_step"});
  CHECK(near_names("backward", names, 9).empty());
  CHECK(near_names("", names, 9).empty());
  CHECK(near_names("forwrad", names, 9) == std::vector<std::string>{"forward"});
}

}  // namespace
}  // namespace lacuna
