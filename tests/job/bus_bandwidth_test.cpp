#include "model/job/bus_bandwidth.h"

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

struct OneCollective {
  std::string name = "allreduce", dtype = "Float";
  std::int64_t in = 1000, out = 500, group_size = 4;
  std::uint32_t parts = 4;
  bool is_pair = false;
  Nanos transfer = 1000;

  std::optional<double> bandwidth() const {
    Job job;
    job.ranks.resize(1);
    job.ranks[0].texts = {"", dtype, name};
    CollectivePart part;
    part.dtype = 1;
    part.name = 2;
    part.in_elements = in;
    part.out_elements = out;
    job.ranks[0].collectives = {part};
    job.parts.resize(1);
    job.groups.resize(1);
    job.groups[0].size = group_size;
    JobCollective collective;
    collective.count = parts;
    collective.transfer = transfer;
    collective.is_pair = is_pair;
    job.collectives = {collective};
    return bus_bandwidth(job, collective);
  }
};

}  // namespace

TEST_CASE("bus bandwidth: as nccl-tests has it") {
  CHECK(*OneCollective{}.bandwidth() == doctest::Approx(6));  // 4000 bytes, 2 * 3 / 4 of them, in 1 us
  CHECK(*OneCollective{.name = "nccl:all_reduce"}.bandwidth() == doctest::Approx(6));
  CHECK(*OneCollective{.name = "allgather", .in = 250, .out = 1000}.bandwidth() == doctest::Approx(3));
  CHECK(*OneCollective{.name = "send", .is_pair = true}.bandwidth() == doctest::Approx(4));
  CHECK(*OneCollective{.dtype = "BFloat16"}.bandwidth() == doctest::Approx(3));
  CHECK(*OneCollective{.dtype = "Long"}.bandwidth() == doctest::Approx(12));
  CHECK(*OneCollective{.dtype = "Byte"}.bandwidth() == doctest::Approx(1.5));
  // The larger of what the group is said to have and of those that are there.
  CHECK(*OneCollective{.group_size = 8}.bandwidth() == doctest::Approx(7));
  CHECK(*OneCollective{.group_size = 0, .parts = 2}.bandwidth() == doctest::Approx(4));
}

TEST_CASE("bus bandwidth: not known without the type, the elements or a time") {
  CHECK_FALSE(OneCollective{.dtype = ""}.bandwidth());
  CHECK_FALSE(OneCollective{.in = 0, .out = 0}.bandwidth());
  CHECK_FALSE(OneCollective{.in = -1, .out = -1}.bandwidth());
  CHECK_FALSE(OneCollective{.transfer = 0}.bandwidth());
  CHECK(OneCollective{.in = 1, .out = 1, .transfer = 1}.bandwidth());
}
