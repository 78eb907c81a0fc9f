#include "app/cli/output_name.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"
#include "tests/support/variable.h"

using namespace lacuna;

namespace {

std::string expanded(const std::string& pattern, const OutputNameFacts& facts, unsigned number = 1) {
  const Result<std::string> name = expand_output_name(pattern, facts, number);
  return name ? *name : "error: " + name.error().message();
}

}  // namespace

TEST_CASE("an output's name takes what stands for process, rank, host and a number") {
  const OutputNameFacts facts{"123", "node7", "5"};
  CHECK(expanded("a.json", facts) == "a.json");
  CHECK(expanded("%h/r%r-p%p-%n.json", facts, 4) == "node7/r5-p123-4.json");
  CHECK(expanded("100%%.json", facts) == "100%.json");
  CHECK(expanded("%r", {"123", "node7", ""}) == "0");
  for (const char* wrong : {"a%", "%x", "50%.json"}) CHECK(expanded(wrong, facts).starts_with("error: "));
}

TEST_CASE("the rank is the one that the launcher gave") {
  for (const char* name :
       {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
    set_variable(name, nullptr);
  CHECK(own_output_facts().rank.empty());
  set_variable("SLURM_PROCID", "3");
  CHECK(own_output_facts().rank == "3");
  set_variable("RANK", "11");
  CHECK(own_output_facts().rank == "11");
  set_variable("RANK", "../x");
  CHECK(own_output_facts().rank == "3");
  set_variable("RANK", nullptr);
  set_variable("SLURM_PROCID", nullptr);
}

TEST_CASE("two outputs without a name, or with a free number, are two files") {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path);
  set_variable("RANK", "2");
  auto first = claim_output("", {"/usr/bin/python3"}, false);
  auto second = claim_output("", {"/usr/bin/python3"}, false);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->path().starts_with("python3-2"));
  CHECK(first->path().ends_with("-rank2.trace.json.gz"));
  CHECK(second->path() != first->path());
  set_variable("RANK", nullptr);
  auto numbered = claim_output("run%n.json", {"x"}, false);
  REQUIRE(numbered);
  auto next = claim_output("run%n.json", {"x"}, true);
  REQUIRE(next);
  CHECK(numbered->path() == "run1.json");
  CHECK(next->path() == "run2.json");
  CHECK(claim_output("no/such/%n.json", {"x"}, false).error().code == ErrorCode::kNotWritable);
  std::filesystem::current_path(before);
}

TEST_CASE("--force is named where it would help") {
  const TemporaryFolder folder;
  const std::string path = folder.write("victim.py", "import torch");
  const auto refused = claim_output(path, {"x"}, false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("--force") != std::string::npos);
  CHECK(claim_output(path, {"x"}, true));
}
