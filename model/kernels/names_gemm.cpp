// Matrix products of NVIDIA's libraries: cuBLAS, CUTLASS 2 and 3, TensorRT-LLM.

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/kernels/name_parts.h"

namespace lacuna {
namespace {

using enum KernelFact;

std::string both_or(const std::string& a, const std::string& b) {
  return a == b || b.empty() ? a : a + " and " + b;
}

/// The letter before "gemm" in BLAS: what is added up.
std::string blas_type(char letter) {
  switch (letter) {
    case 's':
      return "fp32";
    case 'd':
      return "fp64";
    case 'h':
      return "fp16";
    case 'c':
      return "complex fp32";
    case 'z':
      return "complex fp64";
    case 'i':
      return "int32";
    default:
      return {};
  }
}

std::string stages_words(std::string_view depth_by_count) {
  const auto numbers = words_between(depth_by_count, 'x');
  if (numbers.size() != 2) return {};
  return fmt::format("{} stage{} of {}", numbers[1], numbers[1] == "1" ? "" : "s", numbers[0]);
}

/// "s16816gemm", "s1688dgrad", "h884gemm", "i8816fprop", "s884cudnn", "sgemm": what is added up, the mma, and what it
/// is for.
struct Opcode {
  std::string accumulated, shape;
  std::string_view kind;  ///< "gemm", "fprop" …
};
bool read_opcode(std::string_view word, Opcode& out) {
  for (const std::string_view kind : {"gemm", "fprop", "dgrad", "wgrad", "cudnn"})
    if (word.ends_with(kind)) {
      const std::string_view front = word.substr(0, word.size() - kind.size());
      if (front.empty()) return false;
      const std::string accumulated = blas_type(front[0]);
      if (accumulated.empty()) return false;
      const std::string_view digits = front.substr(1);
      const std::string shape = is_shape(digits, 3) ? std::string(digits) : mma_shape(digits);
      if (!digits.empty() && shape.empty()) return false;
      out = {accumulated, shape, kind};
      return true;
    }
  return false;
}

/// A name says a type where it is not that of the sums: behind the opcode the operands', before it the result's
/// (CUTLASS: gemm_operation.py, extended_name(); cuBLAS: ampere_int32_i16832gemm_int8).
void set_types(const Opcode& opcode, const std::string& before, const std::string& after, Reading& out) {
  const bool is_fp32 = opcode.accumulated == "fp32", is_int32 = opcode.accumulated == "int32";
  out[kAccumulated] = opcode.accumulated;
  out[kOperands] = after;
  if (after.empty()) {
    if (opcode.shape.empty() || !(is_fp32 || is_int32)) {
      out[kOperands] = opcode.accumulated;
    } else if (opcode.shape == "8x8x4") {
      out[kOperands] = "fp16";  // Volta's instruction for fp32 sums has no other
    } else if (is_fp32 && (opcode.shape == "16x8x8" || opcode.shape == "16x8x4")) {
      out[kOperands] = "tf32";  // fp32 data, rounded
    }
  }
  out[kResult] = !before.empty() ? before : after.empty() ? std::string{} : opcode.accumulated;
  if (out[kResult] == "tf32") out[kResult] = "fp32";
}

void set_noun(std::string_view kind, Reading& out) {
  if (kind == "cudnn") out.noun = "convolution";
  if (kind == "gemm") out.noun = "matrix product";
  if (kind == "fprop") out.noun = "forward convolution (implicit GEMM)";
  if (kind == "dgrad") out.noun = "gradient of a convolution's input (implicit GEMM)";
  if (kind == "wgrad") out.noun = "gradient of a convolution's weights (implicit GEMM)";
}

void set_units(const std::string& shape, Reading& out) {
  out[kUnits] = shape.empty() ? "FMA units, no tensor cores" : "tensor cores, " + shape;
}

void add_epilogues(const NameParts& parts, Reading& out) {
  if (parts.has("_bias")) append_item(out[kEpilogue], "bias");
  for (const std::string_view word : {"relu", "gelu", "silu"})
    if (parts.has("_" + std::string(word)))
      append_item(out[kEpilogue], word == "relu" ? "ReLU" : word == "gelu" ? "GELU" : "SiLU");
}

/// "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8", and cuDNN's without the 80.
void read_cutlass_2(std::string_view inner, const NameParts& parts, Reading& out) {
  Opcode opcode;
  bool has_opcode = false;
  bool has_tile = false;
  std::string before, after;
  for (const std::string_view word : words_between(inner, '_')) {
    if (!has_opcode && read_opcode(word, opcode)) {
      has_opcode = true;
    } else if (const std::string type = type_word(word); !type.empty()) {
      (has_opcode ? after : before) = type;
    } else if (is_shape(word, 2)) {
      if (!has_tile) {
        out[kTile] = word;
        has_tile = true;
      } else {
        out[kStages] = stages_words(word);
      }
    } else if (word == "70" || word == "75" || word == "80" || word == "89" || word == "90") {
      out[kArchitecture] = architecture_word("sm" + std::string(word));
    } else if (word.starts_with("align")) {
      out[kAlignment] = fmt::format("{} elements", word.substr(5));
    } else if (word == "nhwc" || word == "nchw") {
      out[kLayout] = word == "nhwc" ? "NHWC: channels last" : "NCHW: channels first";
    } else if (out[kLayout].empty()) {
      out[kLayout] = layout_word(word);
    }
  }
  if (!has_opcode) return;
  set_noun(opcode.kind, out);
  if (parts.has("simt")) opcode.shape.clear();
  set_units(opcode.shape, out);
  set_types(opcode, before, after, out);
  if (parts.has("wmma")) append_item(out[kVariant], "WMMA instructions");
  if (parts.has("optimized")) append_item(out[kVariant], "optimized iterator");
  if (parts.has("unity_stride")) append_item(out[kVariant], "stride 1");
  add_epilogues(parts, out);
}

/// "cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_tnn_align8_warpspecialized_…"
void read_cutlass_3(std::string_view inner, Reading& out) {
  Opcode opcode;
  bool has_opcode = false;
  std::vector<std::string> types;
  std::vector<std::string_view> shapes;
  for (const std::string_view word : words_between(inner, '_')) {
    if (!has_opcode && read_opcode(word, opcode)) {
      has_opcode = true;
    } else if (const std::string type = type_word(word); has_opcode && !type.empty()) {
      types.push_back(type);
    } else if (is_shape(word, 3)) {
      shapes.push_back(word);
    } else if (word.starts_with("align")) {
      out[kAlignment] = fmt::format("{} elements", word.substr(5));
    } else if (word.starts_with("warpspecialized")) {
      append_item(out[kVariant], "warp-specialised");
    } else if (word == "cooperative" || word == "pingpong") {
      append_item(out[kVariant], word);
    } else if (has_opcode && out[kLayout].empty()) {
      out[kLayout] = layout_word(word);
    }
  }
  if (!has_opcode) return;
  set_noun(opcode.kind, out);
  set_units(opcode.shape, out);
  if (types.size() >= 2) out[kOperands] = both_or(types[0], types[1]);
  out[kAccumulated] = types.size() >= 3 ? types[2] : opcode.accumulated;
  if (types.size() >= 5) out[kResult] = types[4];
  if (!shapes.empty()) out[kTile] = shapes[0];
  if (shapes.size() >= 2) out[kCluster] = shapes[1];
  out[kArchitecture] = architecture_word(inner);
}

/// "cute::tuple<cute::C<128>, cute::C<64>, cute::C<1>>" behind `mark` -> "128x64x1".
std::string tuple_after(std::string_view text, std::size_t from, std::size_t& end) {
  const std::size_t at = text.find("cute::tuple<", from);
  if (at == text.npos) return {};
  std::string shape;
  std::size_t i = at + 12;
  while (text.substr(i).starts_with("cute::C<") || text.substr(i).starts_with(", cute::C<")) {
    i = text.find('<', i) + 1;
    if (text.substr(i).starts_with("(int)")) i += 5;
    const std::size_t digits = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    if (!shape.empty()) shape += 'x';
    shape += text.substr(digits, i - digits);
    i = std::min(text.find('>', i), text.size() - 1) + 1;
  }
  end = i;
  return shape;
}

/// CUTLASS 3 as the compiler writes it: "…CollectiveMma<…MainloopSm90TmaGmmaWarpSpecialized<4, tuple of the cluster,
/// …>, tuple of the tile, type of A, …>".
void read_cutlass_template(const NameParts& parts, Reading& out) {
  const std::string_view name = parts.whole;
  const std::size_t loop = name.find("MainloopSm");
  if (loop == name.npos) return;
  out.noun = "matrix product";
  out[kArchitecture] = architecture_word("sm" + std::string(number_after(name.substr(loop), "MainloopSm")));
  const std::string_view rest = name.substr(loop);
  const auto arguments = template_arguments(rest);
  if (!arguments.empty()) {
    std::string_view count = arguments[0];
    if (count.starts_with("(int)")) count.remove_prefix(5);
    if (is_digits(count)) out[kStages] = fmt::format("{} stages", count);
  }
  std::size_t end = 0;
  out[kCluster] = tuple_after(rest, 0, end);
  const std::string tile = tuple_after(rest, end, end);
  const auto numbers = words_between(tile, 'x');
  if (numbers.size() == 3) {
    out[kTile] = fmt::format("{}x{}", numbers[0], numbers[1]);
    if (!out[kStages].empty()) out[kStages] += fmt::format(" of {}", numbers[2]);
  }
  const std::string_view types = rest.substr(std::min(end, rest.size()));
  for (std::string_view word : words_between(types, ',')) {
    while (word.starts_with(' ') || word.starts_with('>')) word.remove_prefix(1);
    if (word.empty()) continue;
    out[kOperands] = type_word(word);
    break;
  }
  out[kUnits] = parts.has("gmma") ? "tensor cores, wgmma" : parts.has("umma") ? "tensor cores, tcgen05" : "";
  if (parts.has("pingpong")) append_item(out[kVariant], "pingpong");
  if (parts.has("cooperative")) append_item(out[kVariant], "cooperative");
  if (parts.has("streamk")) out[kSplitK] = "stream-K: work is split evenly over the SMs";
  if (parts.has("grouped") || parts.has("grouproblemshape")) append_item(out[kVariant], "grouped");
}

/// "_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolution…GemmShapeILi128ELi128ELi32EEE…"
void read_mangled_convolution(const NameParts& parts, Reading& out) {
  if (!parts.has("implicitgemmconvolution")) return;
  set_noun(parts.has("wgrad") ? "wgrad" : parts.has("dgrad") ? "dgrad" : "fprop", out);
  const std::size_t at = parts.whole.find("GemmShapeILi");
  if (at == parts.whole.npos) return;
  std::string_view rest = parts.whole.substr(at + 10);
  std::vector<std::string_view> numbers;
  while (rest.starts_with("Li") && numbers.size() < 3) {
    numbers.push_back(number_after(rest, "Li"));
    rest.remove_prefix(std::min(rest.find('E') + 1, rest.size()));
  }
  if (numbers.size() == 3) {
    out[kTile] = fmt::format("{}x{}", numbers[0], numbers[1]);
    out[kStages] = fmt::format("steps of {}", numbers[2]);
  }
}

/// "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_…": operands, result and
/// what is added up, epilogue; layout; tile.
void read_xmma(const NameParts& parts, Reading& out) {
  const std::string_view name = parts.lower;
  std::string_view kind;
  for (const std::string_view known : {"fprop", "dgrad", "wgrad", "gemm"})
    if (kind.empty() && parts.has("xmma_" + std::string(known))) kind = known;
  if (kind.empty()) return;
  set_noun(kind, out);
  out[kArchitecture] = architecture_word(name.substr(0, name.find('_')));
  const auto words = words_between(name, '_');
  bool has_types = false;
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::string_view word = words[w];
    // "bf16bf16", "tf32f32": two types in one word.
    for (std::size_t cut = 2; !has_types && cut + 2 <= word.size(); ++cut) {
      const std::string first = type_word(word.substr(0, cut)), second = type_word(word.substr(cut));
      if (first.empty() || second.empty()) continue;
      has_types = true;
      const bool is_tf32 = name.find("tf32") != name.npos;
      out[kOperands] = is_tf32 ? std::string("tf32") : both_or(first, second);
      if (w + 1 >= words.size()) break;
      for (std::size_t at = 2; at + 2 <= words[w + 1].size(); ++at) {
        const std::string result = type_word(words[w + 1].substr(0, at)), sum = type_word(words[w + 1].substr(at));
        if (result.empty() || sum.empty()) continue;
        out[kResult] = result == "tf32" ? "fp32" : result;
        out[kAccumulated] = sum;
        break;
      }
    }
    if (has_types && out[kLayout].empty() && kind == "gemm") out[kLayout] = layout_word(word);
    if (kind != "gemm" && (word == "nhwc" || word == "nchw"))
      out[kLayout] = word == "nhwc" ? "NHWC: channels last" : "NCHW: channels first";
  }
  const auto tile = words_between(shape_after(name, "tilesize"), 'x');
  if (tile.size() >= 2) out[kTile] = fmt::format("{}x{}", tile[0], tile[1]);
  const std::string_view stages = number_after(name, "stage");
  if (!stages.empty()) out[kStages] = fmt::format("{} stages", stages);
  if (tile.size() == 3)
    out[kStages] =
        out[kStages].empty() ? fmt::format("steps of {}", tile[2]) : fmt::format("{} of {}", out[kStages], tile[2]);
  const std::string_view instruction = shape_after(name, "_tensor");
  if (parts.has("ffma")) {
    set_units({}, out);
  } else if (!instruction.empty()) {
    set_units(std::string(instruction), out);
  } else if (parts.has("warpgroupsize")) {
    out[kUnits] = "tensor cores, wgmma";
  } else if (out[kOperands] == "bf16" || out[kOperands] == "fp16" || out[kOperands] == "tf32") {
    out[kUnits] = "tensor cores";
  }
  if (parts.has("execute_split_k_kernel")) {
    out[kSplitK] = "adds up the parts of a split k";
    out.noun = kind == "gemm" ? "sum of the parts of a matrix product with split k"
                              : "sum of the parts of a convolution with split k";
  }
  if (const std::string_view aligned = number_after(name, "_aligna"); !aligned.empty())
    out[kAlignment] = fmt::format("{} elements", aligned);
  out[kLibrary] = parts.has("cudnn") || kind != "gemm" ? "cuDNN" : "cuBLAS";
  add_epilogues(parts, out);
}

/// "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", "volta_sgemm_128x64_nn", "volta_fp16_s884gemm_…", and
/// cuDNN's "volta_fp16_s884cudnn_…".
void read_classic(const NameParts& parts, Reading& out) {
  const auto words = words_between(parts.lower, '_');
  if (words.empty()) return;
  out[kArchitecture] = architecture_word(words.front());
  if (out[kArchitecture].empty()) return;
  Opcode opcode;
  bool has_opcode = false, stages_follow = false;
  std::string before, after;
  for (std::size_t w = 1; w < words.size(); ++w) {
    std::string_view word = words[w];
    if (word == "gcgemm") word = "cgemm";
    if (!has_opcode && read_opcode(word, opcode)) {
      has_opcode = true;
    } else if (const std::string type = type_word(word); !type.empty()) {
      (has_opcode ? after : before) = type;
    } else if (word == "stages") {
      stages_follow = true;
    } else if (is_shape(word, 2)) {
      (stages_follow ? out[kStages] : out[kTile]) = stages_follow ? stages_words(word) : std::string(word);
    } else if (word.starts_with("sliced")) {
      append_item(out[kVariant], fmt::format("k sliced {} within a block", word.substr(6)));
    } else if (word.starts_with("splitk")) {
      out[kSplitK] = "yes";
    } else if (has_opcode && out[kLayout].empty()) {
      out[kLayout] = layout_word(word);
    }
  }
  const bool is_convolution = opcode.kind == "cudnn" && !opcode.shape.empty();
  if (!has_opcode || (!is_convolution && opcode.kind != "gemm")) return;
  set_noun(opcode.kind, out);
  set_units(opcode.shape, out);
  set_types(opcode, before, after, out);
  out[kLibrary] = is_convolution ? "cuDNN" : "cuBLAS";
  if (is_convolution) {
    out[kLayout].clear();
    out[kAlgorithm] = "implicit GEMM";
  }
  add_epilogues(parts, out);
}

/// "nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT": types, tile, k by stages, cluster; the letters of the types are
/// those of cublasLtMatmul: t bf16, h fp16, s fp32, q fp8.
void read_nvjet(const NameParts& parts, Reading& out) {
  const auto words = words_between(parts.leaf, '_');
  if (words.size() < 3) return;
  const auto letter = [](char c) -> std::string {
    return c == 't' ? "bf16" : c == 'h' ? "fp16" : c == 's' ? "fp32" : c == 'q' ? "fp8" : c == 'd' ? "fp64" : "";
  };
  out.noun = "matrix product";
  out[kLibrary] = "cuBLAS";
  out[kArchitecture] = architecture_word(parts.lower);
  std::size_t w = 1;
  if (words[w].starts_with("sm")) ++w;
  if (w < words.size() && words[w].size() == 3) {
    out[kOperands] = letter(words[w][0]);
    out[kAccumulated] = letter(words[w][1]);
    out[kResult] = letter(words[w][2]);
  }
  std::size_t shapes = 0;
  for (; w < words.size(); ++w) {
    if (is_shape(words[w], 2)) {
      if (shapes == 0) out[kTile] = words[w];
      if (shapes == 1) out[kStages] = stages_words(words[w]);
      if (shapes == 2) out[kCluster] = words[w];
      ++shapes;
    } else if (words[w] == "2cta") {
      append_item(out[kVariant], "two blocks share a tile");
    } else if (words[w] == "splitK") {
      out[kSplitK] = "yes";
    } else if (words[w].size() >= 2 && out[kLayout].empty()) {
      out[kLayout] = layout_word(words[w]);
    }
  }
  out[kUnits] = "tensor cores";
  add_epilogues(parts, out);
}

/// Types among template arguments, in order.
std::vector<std::string> types_in(const NameParts& parts) {
  std::vector<std::string> types;
  for (const std::string_view argument : parts.arguments)
    if (const std::string type = type_word(argument); !type.empty() && type != "int32" && type != "bool")
      types.push_back(type);
  return types;
}

}  // namespace

bool read_cutlass(const NameParts& parts, Reading& out) {
  if (!parts.has("cutlass")) return false;
  // Types of CUTLASS are in many names; what counts is whose kernel it is.
  const bool is_kernel = parts.qualified.starts_with("cutlass") || parts.leaf.starts_with("cutlass");
  if (!is_kernel) return false;
  out[kLibrary] = parts.has("cudnn") ? "cuDNN (CUTLASS)" : "CUTLASS";
  const std::size_t third = parts.lower.find("cutlass3x_");
  const std::size_t inner =
      parts.lower.find("cutlass_", parts.leaf.starts_with("cutlass_") ? 0 : parts.qualified.size());
  if (third != std::string::npos) {
    const std::string_view rest = std::string_view(parts.lower).substr(third);
    read_cutlass_3(rest.substr(0, rest.find_first_of(">( ")), out);
    out[kLibrary] = "CUTLASS 3";
  } else if (parts.is_mangled) {
    read_mangled_convolution(parts, out);
  } else if (parts.has("reducesplitk")) {
    out.noun = parts.has("cudnn") ? "sum of the parts of a convolution with split k"
                                  : "sum of the parts of a matrix product with split k";
    out[kSplitK] = "adds up the parts of a split k";
  } else if (parts.has("mainloopsm")) {
    read_cutlass_template(parts, out);
    out[kLibrary] = "CUTLASS 3";
  } else if (inner != std::string::npos) {
    const std::string_view rest = std::string_view(parts.lower).substr(inner);
    read_cutlass_2(rest.substr(0, rest.find_first_of(">( :")), parts, out);
  }
  return !out.noun.empty();
}

bool read_cublas(const NameParts& parts, Reading& out) {
  if (parts.has("xmma_")) {
    read_xmma(parts, out);
    return !out.noun.empty();
  }
  if (parts.leaf.starts_with("nvjet_")) {
    read_nvjet(parts, out);
    return !out.noun.empty();
  }
  const std::string& leaf = parts.leaf;
  const bool is_gemv = leaf.starts_with("gemv") || parts.qualified.find("gemvx::") != std::string::npos;
  const bool is_small = leaf.starts_with("gemmSN_") || leaf.starts_with("gemmk1_");
  const bool is_split = leaf == "splitKreduce_kernel";
  const bool is_dot = leaf == "dot_kernel" || leaf == "reduce_1Block_kernel";
  if (is_gemv || is_small || is_split || (is_dot && parts.has("cublas"))) {
    const auto types = types_in(parts);
    out[kLibrary] = parts.has("cublaslt") ? "cuBLASLt" : "cuBLAS";
    if (is_gemv) {
      out.noun = "product of a matrix and a vector";
      out[kUnits] = "FMA units, no tensor cores";
      if (leaf.starts_with("gemv2T")) out[kLayout] = "T: the matrix transposed";
      if (leaf.starts_with("gemv2N")) out[kLayout] = "N: the matrix not transposed";
      if (types.size() >= 4) {
        out[kOperands] = both_or(types[0], types[1]);
        out[kResult] = types[2];
        out[kAccumulated] = types[3];
      }
    } else if (is_small) {
      out.noun = leaf.starts_with("gemmk1_") ? "matrix product with k = 1" : "matrix product of a small size";
      if (!types.empty()) out[kOperands] = types[0];
      if (leaf.starts_with("gemmSN_")) out[kLayout] = layout_word(std::string_view(leaf).substr(7, 2));
      out[kUnits] = "FMA units, no tensor cores";
    } else if (is_split) {
      out.noun = "sum of the parts of a matrix product with split k";
      out[kSplitK] = "adds up the parts of a split k";
      if (!types.empty()) out[kOperands] = types[0];
    } else {
      out.noun = leaf == "dot_kernel" ? "dot product of vectors" : "sum of the parts of a dot product";
      if (!types.empty()) out[kOperands] = types[0];
    }
    return true;
  }
  if (parts.qualified == "epilogue::impl::globalKernel") {
    out.noun = "epilogue of a matrix product (bias, activation)";
    out[kLibrary] = "cuBLASLt";
    return true;
  }
  if (leaf.starts_with("magma_") && leaf.find("gemm") != std::string::npos) {
    out.noun = "matrix product";
    out[kLibrary] = "MAGMA (in cuBLAS)";
    out[kOperands] = blas_type(leaf[6]);
    return true;
  }
  if (leaf.starts_with("sgemm_largek_lds64")) {
    out.noun = "matrix product with a long k";
    out[kLibrary] = "cuBLAS";
    out[kOperands] = "fp32";
    out[kUnits] = "FMA units, no tensor cores";
    return true;
  }
  read_classic(parts, out);
  return !out.noun.empty();
}

/// "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN_…_sm100f": result, A
/// and B (one word where they are equal: MxE4m3 is followed by both), accumulated; tile, stages, instruction, cluster.
bool read_tensor_rt(const NameParts& parts, Reading& out) {
  if (!parts.leaf.starts_with("bmm_") && !parts.leaf.starts_with("gemm_")) return false;
  const auto words = words_between(parts.leaf, '_');
  if (words.size() < 6 || shape_after(parts.lower, "_t").empty() || !parts.has("_sm1")) return false;
  out.noun = parts.leaf.starts_with("bmm_") ? "batched matrix product" : "matrix product";
  out[kLibrary] = "TensorRT-LLM";
  out[kResult] = type_word(words[1]);
  out[kOperands] = type_word(words[2]);
  if (out[kOperands].empty())
    for (std::size_t cut = 2; cut + 2 <= words[2].size(); ++cut) {
      const std::string a = type_word(words[2].substr(0, cut)), b = type_word(words[2].substr(cut));
      if (!a.empty() && !b.empty()) out[kOperands] = both_or(a, b);
    }
  out[kAccumulated] = type_word(words[3]);
  const auto tile = words_between(shape_after(parts.lower, "_t"), 'x');
  if (tile.size() == 3) out[kTile] = fmt::format("{}x{}", tile[0], tile[1]);
  const std::string_view stages = number_after(parts.lower, "_s");
  if (!stages.empty() && tile.size() == 3) out[kStages] = fmt::format("{} stages of {}", stages, tile[2]);
  out[kUnits] = "tensor cores, " + std::string(shape_after(parts.lower, "_m"));
  out[kCluster] = shape_after(parts.lower, "_cga");
  for (const std::string_view word : words)
    if (out[kLayout].empty() && word.size() == 2 && word != "rM") out[kLayout] = layout_word(word);
  if (parts.has("_biasm") || parts.has("_biasn")) append_item(out[kEpilogue], "bias");
  if (parts.has("swiglu")) append_item(out[kEpilogue], "SwiGLU");
  if (parts.has("dynbatch")) append_item(out[kVariant], "batches of different sizes");
  out[kArchitecture] = architecture_word(parts.lower.substr(parts.lower.rfind("_sm") + 1));
  return true;
}

}  // namespace lacuna
