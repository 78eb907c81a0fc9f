#include "model/groups/kernel_family.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"
#include "model/causes/gap_evidence.h"

namespace lacuna {
namespace {

bool is_word(char c) {
  return is_digit(c) || is_ascii_letter(c) || c == '_';
}

/// Where the first tile size ("_128x64", "_tilesize128x128x64", "_MT256x32x64") begins; the whole
/// length if there is none.
std::size_t tile_begin(std::string_view name) {
  for (std::size_t at = 0; at + 1 < name.size(); ++at) {
    if (name[at] != '_') continue;
    std::size_t i = at + 1;
    while (i < name.size() && is_word(name[i]) && name[i] != '_' && !is_digit(name[i])) ++i;
    const std::size_t digits = i;
    while (i < name.size() && is_digit(name[i])) ++i;
    if (i > digits && i + 1 < name.size() && name[i] == 'x' && is_digit(name[i + 1])) return at;
  }
  return name.size();
}

/// Without "_12" at its end.
std::string_view without_number(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  return end < name.size() && end > 1 && name[end - 1] == '_' ? name.substr(0, end - 1) : name;
}

/// The bare name of the first functor among template arguments: "CUDAFunctor_add", "MeanOps",
/// "silu_kernel". Empty when there is none.
std::string_view functor(std::string_view name) {
  constexpr std::array<std::string_view, 7> kMarks = {"Functor",  "Ops<",       "_kernel_cuda(", "_kernel_impl<",
                                                      "_kernel(", "_cuda_out(", "_kernel_impl("};
  const std::size_t arguments = name.find('<');
  if (arguments == std::string_view::npos) return {};
  std::size_t best = std::string_view::npos;
  for (const std::string_view mark : kMarks) {
    const std::size_t found = name.find(mark, arguments);
    if (found < best) best = found;
  }
  // A generic wrapper names no operation.
  if (best == std::string_view::npos) return {};
  std::size_t begin = best;
  while (begin > 0 && is_word(name[begin - 1])) --begin;
  std::size_t end = best;
  while (end < name.size() && is_word(name[end])) ++end;
  return name.substr(begin, end - begin);
}

}  // namespace

std::string kernel_family(std::string_view name) {
  if (name.starts_with("triton_")) return std::string(without_number(name));
  if (const std::size_t inner = name.find("cutlass_");
      name.find("cutlass::Kernel") != name.npos && inner != name.npos) {
    std::string_view rest = name.substr(inner);
    rest = rest.substr(0, rest.find_first_of(">( "));
    return std::string(rest.substr(0, tile_begin(rest)));
  }
  std::string bare = short_kernel_name(name, 256);
  if (bare.empty()) return std::string(name);
  if (bare.starts_with("nccl") || bare.starts_with("rccl")) {
    // ncclDevKernel_AllReduce_Sum_f32_RING_LL: up to the collective.
    const std::size_t first = bare.find('_');
    const std::size_t second = first == bare.npos ? first : bare.find('_', first + 1);
    return bare.substr(0, second);
  }
  bare.resize(tile_begin(bare));
  if (bare.find("elementwise_kernel") != bare.npos || bare.find("reduce_kernel") != bare.npos) {
    // gpu_kernel_impl<…> only passes on what follows.
    std::string_view arguments = name;
    for (const std::string_view wrapper : {"gpu_kernel_impl_nocast<", "gpu_kernel_impl<"})
      if (const std::size_t found = arguments.find(wrapper); found != arguments.npos)
        arguments.remove_prefix(found + wrapper.size() - 1);
    if (const std::string_view what = functor(arguments); !what.empty()) return bare + ' ' + std::string(what);
  }
  return bare;
}

}  // namespace lacuna
