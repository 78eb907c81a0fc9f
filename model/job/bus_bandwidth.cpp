#include "model/job/bus_bandwidth.h"

#include <algorithm>
#include <string>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

/// Bytes of an element of c10's ScalarType; 0: not known.
double element_bytes(std::string_view dtype) {
  const std::string name = to_lower(dtype);
  const auto is_any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_any({"byte", "char", "bool", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"})) return 1;
  if (is_any({"half", "bfloat16", "short"})) return 2;
  if (is_any({"float", "int"})) return 4;
  if (is_any({"double", "long", "complexfloat"})) return 8;
  return 0;
}

}  // namespace

std::optional<double> bus_bandwidth(const Job& job, const JobCollective& collective) {
  const JobPart& part = job.parts[collective.first];
  const CollectivePart& said = job.part_of(part);
  const double size = element_bytes(job.ranks[part.rank].texts[said.dtype]);
  const auto elements = static_cast<double>(std::max(said.in_elements, said.out_elements));
  if (size == 0 || elements <= 0 || collective.transfer <= 0) return std::nullopt;
  const double n = std::max<double>(collective.count, static_cast<double>(job.groups[collective.group].size));
  const std::string name = to_lower(job.name_of(collective));
  const bool reduces = name.find("allreduce") != std::string::npos || name.find("all_reduce") != std::string::npos;
  const double factor = collective.is_pair ? 1 : (reduces ? 2 : 1) * (n - 1) / n;
  return elements * size * factor / static_cast<double>(collective.transfer);
}

}  // namespace lacuna
