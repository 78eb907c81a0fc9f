// Names of kernels in the shared traces, read where they lie, against what regular expressions see in them.

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "model/kernels/kernel_name.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

std::set<std::string> names_in(const char* file) {
  std::set<std::string> names;
  const auto trace = shared_trace(file);
  if (!trace) return names;
  for (const Lane& lane : trace->lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      if (trace->category_class(lane.category(i)) == CategoryClass::kKernel)
        names.insert(std::string(trace->text(lane.name(i))));
  return names;
}

/// The first group of the expression; empty where it does not match.
std::string found(const std::string& name, const char* expression) {
  std::smatch match;
  return std::regex_search(name, match, std::regex(expression)) ? match[1].str() : std::string{};
}

/// What stands before what explains it: "TN" of "TN: A transposed, B not".
std::string word(const std::string& value) {
  return value.substr(0, value.find_first_of(": "));
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

TEST_CASE("kernel names: real ones") {
  std::set<std::string> names;
  for (const char* file :
       {"hta_v100_ddp_rank1_trace_diff_test.json.gz", "hta_v100_ns_resolution.pt.trace.json.gz",
        "kineto_v100_resnet50_legacy.pt.trace.json.gz", "param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz",
        "tracelens_b200_eager.json.gz", "tracelens_h100_owlv2_large.json.gz", "tracelens_h100_qwen1.5_0.5b.json.gz",
        "tracelens_mi300x_normalization.json.gz", "tracelens_mi300x_sglang_decode_hipgraph.json.gz",
        "quirks/hta__sampled_rank-0.json.gz",
        "quirks/hta__end_to_end_simple_add_output_overlaid_critical_path_trace.json.gz",
        "../samples/hta_nccl_args_1of2.json.gz", "../samples/kernels/torch_compile_triton.json.gz",
        "../samples/kernels/mi300x_qwen1.5_0.5b.json.gz", "../samples/nsys/h100_2gpu_1s.sqlite"})
    names.merge(names_in(file));
  if (names.empty()) return;
  using enum KernelFact;
  std::size_t known = 0, tiles = 0, layouts = 0, stages = 0, shapes = 0, types = 0, libraries = 0;
  for (const std::string& name : names) {
    CAPTURE(name);
    const KernelName read = read_kernel_name(name);
    CHECK(read.kernel_class == kernel_class(name));
    CHECK(!read.title.empty());
    if (!read.is_known()) continue;
    ++known;
    CHECK(read.kernel_class != KernelClass::kOther);
    CHECK(read.sentence.ends_with('.'));
    CHECK(read.sentence.find("  ") == std::string::npos);
    CHECK(read.sentence.find(", ,") == std::string::npos);
    libraries += !read[kLibrary].empty();
    // cuBLAS, cuDNN, CUTLASS 2: "_128x64_"; Tensile: "_MT128x64x32_".
    const bool is_plain = std::regex_search(
        name, std::regex("^(volta|turing|ampere|cudnn|sm[0-9]+_xmma)|cutlass_[0-9]+_|cutlass_tensorop"));
    if (is_plain)
      if (const std::string tile = found(name, "_(?:tilesize)?([0-9]+x[0-9]+)"); !tile.empty()) {
        CHECK(word(read[kTile]) == tile);
        ++tiles;
      }
    if (const std::string tile = found(name, "_MT([0-9]+x[0-9]+)x[0-9]+_"); !tile.empty()) {
      CHECK(read[kTile] == tile);
      ++tiles;
    }
    if (read.kernel_class == KernelClass::kGemm && is_plain)
      if (const std::string layout = found(name, "_([nt][nt])(?:_|$)"); !layout.empty()) {
        CHECK(word(read[kLayout]) == upper(layout));
        ++layouts;
      }
    if (name.starts_with("Cijk_")) {
      CHECK(word(read[kLayout]) == (name.starts_with("Cijk_Alik") ? "TN" : "NN"));
      ++layouts;
    }
    if (const std::string count = found(name, "_stage([0-9]+)_"); !count.empty()) {
      CHECK(word(read[kStages]) == count);
      ++stages;
    }
    if (const std::string count = found(name, "cutlass_80_[a-z0-9_]*_[0-9]+x[0-9]+_[0-9]+x([0-9]+)_"); !count.empty()) {
      CHECK(word(read[kStages]) == count);
      ++stages;
    }
    if (const std::string shape = found(name, "_tensor([0-9]+x[0-9]+x[0-9]+)_"); !shape.empty()) {
      CHECK(read[kUnits] == "tensor cores, " + shape);
      ++shapes;
    }
    if (name.find("s16816") != std::string::npos) {
      CHECK(read[kUnits] == "tensor cores, 16x8x16");
      ++shapes;
    }
    if (name.find("sgemm") != std::string::npos && name.find("convolve") == std::string::npos)
      CHECK(read[kOperands] == "fp32");
    if (const std::string type = found(name,
                                       "^void at::native::vectorized_elementwise_kernel<4, "
                                       "at::native::[A-Za-z_]*[Ff]unctor[A-Za-z_]*<([a-z0-9A-Z:]+)>, ");
        !type.empty()) {
      const std::string expected = type == "float"           ? "fp32"
                                   : type == "double"        ? "fp64"
                                   : type == "long"          ? "int64"
                                   : type == "int"           ? "int32"
                                   : type == "c10::BFloat16" ? "bf16"
                                                             : type;
      CHECK(read[kOperands] == expected);
      ++types;
    }
    if (name.starts_with("nccl")) CHECK(read[kLibrary] == "NCCL or RCCL");
    if (name.starts_with("triton_")) CHECK(read[kLibrary] == "Triton (Inductor)");
  }
  MESSAGE(names.size(), " names, ", known, " read; tiles ", tiles, ", layouts ", layouts, ", stages ", stages,
          ", shapes ", shapes, ", types ", types);
  CHECK(known >= 300);
  CHECK(libraries == known);
  CHECK(known * 100 >= names.size() * 90);
  CHECK(tiles >= 100);
  CHECK(layouts >= 90);
  CHECK(stages >= 60);
}

}  // namespace
}  // namespace lacuna
