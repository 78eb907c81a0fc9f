// FLOP and bytes of one call, worked out by hand from the shapes.
#include "model/roofline/operator_work.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace lacuna {
namespace {

std::optional<OperatorWork> work_of(std::string_view name, std::string_view dims, std::string_view types,
                                    std::string_view concrete = "[]") {
  return operator_work(name, TensorInputs(dims, types, concrete));
}

struct WorkCase {
  const char* name;
  const char* dims;
  const char* types;
  const char* concrete;
  double flop, bytes;
  double physical_flop = -1, physical_bytes = -1;  // where they differ
};

constexpr const char* kHalfTwo = R"(["c10::BFloat16", "c10::BFloat16"])";
constexpr const char* kHalfThree = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
constexpr const char* kFloats = R"(["float", "float", "float", "float", "float"])";

constexpr WorkCase kWorkCases[] = {
    // 2 M N K; each matrix once.
    {"aten::mm", "[[5, 7], [7, 11]]", kHalfTwo, "[]", 770, 2 * (35 + 77 + 55)},
    {"aten::addmm", "[[11], [5, 7], [7, 11], [], []]", kFloats, "[]", 770 + 55, 4 * (35 + 77 + 55 + 11)},
    {"aten::bmm", "[[3, 5, 7], [3, 7, 11]]", kHalfTwo, "[]", 3 * 770, 3 * 2 * (35 + 77 + 55)},
    {"aten::baddbmm", "[[3, 5, 11], [3, 5, 7], [3, 7, 11]]", kHalfThree, "[]", 3 * (770 + 55),
     3 * 2 * (35 + 77 + 55 + 55)},
    {"aten::linear", "[[2, 5, 7], [11, 7], []]", R"(["float", "float", ""])", "[]", 2 * 770, 4 * (70 + 77 + 110)},
    {"aiter::gemm_a16w16", "[[5, 7], [11, 7], [], []]", R"(["c10::Half", "c10::Half", "", "Scalar"])", "[]", 770,
     2 * (35 + 77 + 55)},
    {"aten::mv", "[[5, 7], [7]]", kFloats, "[]", 70, 4 * (35 + 7 + 5)},
    {"aten::_scaled_mm", "[[5, 7], [7, 11]]", R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn"])", "[]", 770,
     35 + 77 + 2 * 55},
    {"aten::_int_mm", "[[5, 7], [7, 11]]", R"(["signed char", "signed char"])", "[]", 770, 35 + 77 + 4 * 55},
    {"aten::_grouped_mm", "[[12, 7], [3, 7, 11], [3]]", R"(["c10::Half", "c10::Half", "int"])", "[]", 2 * 12 * 7 * 11,
     2 * (84 + 231 + 132)},
    {"aten::_grouped_mm", "[[5, 12], [12, 11], [3]]", R"(["c10::Half", "c10::Half", "int"])", "[]", 2 * 5 * 12 * 11,
     2 * (60 + 132 + 3 * 55)},
    {"aten::_grouped_mm", "[[3, 5, 7], [3, 7, 11], [3]]", R"(["c10::Half", "c10::Half", "int"])", "[]", 3 * 770,
     3 * 2 * (35 + 77 + 55)},
    {"aten::gather", "[[4, 8], [], [2, 3], []]", R"(["float", "Scalar", "long int", "Scalar"])",
     R"(["", "1", "", "False"])", 0, 6 * 8 + 2 * 6 * 4},

    {"aten::convolution", "[[2, 6, 8, 10], [4, 3, 3, 3], [4], [], [], [], [], [], []]",
     R"(["float", "float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
     R"(["", "", "", "[2, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "2"])", 2.0 * (2 * 4 * 4 * 10) * 27 + 320,
     4 * (960 + 108 + 320 + 4)},
    {"aten::convolution", "[[2, 6, 8, 9], [6, 2, 3, 3], [], [], [], [], [], [], []]",
     R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
     R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[1, 0]", "2"])", 2.0 * (2 * 6 * 8 * 9) * 18,
     4 * (864 + 108 + 2 * 4 * 16 * 17)},
    {"aten::convolution_backward", "[[2, 4, 8, 10], [2, 6, 8, 10], [4, 6, 3, 3], [], [], [], [], [], [], [], []]",
     kFloats, R"(["", "", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"])",
     2 * 2.0 * (2 * 4 * 8 * 10) * 54, 2 * 4 * (640 + 960 + 216)},
    {"aten::convolution_backward", "[[2, 4, 8, 10], [2, 6, 8, 10], [4, 6, 3, 3], [], [], [], [], [], [], [], []]",
     kFloats, R"(["", "", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[False, True, False]"])",
     2 * 2.0 * (2 * 4 * 8 * 10) * 54, 2 * 4 * (640 + 960 + 216), 2.0 * (2 * 4 * 8 * 10) * 54, 4 * (640 + 960 + 216)},

    // Two products of [10, 16] and [16, 12], for 2 x 4 heads.
    {"aten::_scaled_dot_product_flash_attention", "[[2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 16], [], [], [], []]",
     kHalfThree, R"(["", "", "", "0.", "False", "False", ""])", 2 * 2 * 8 * 10 * 12 * 16, 2 * 8 * (10 * 32 + 12 * 32)},
    // Causal and square: half. Queries share two heads of keys.
    {"aten::_scaled_dot_product_cudnn_attention",
     "[[2, 4, 12, 16], [2, 2, 12, 16], [2, 2, 12, 16], [], [], [], [], []]", kHalfThree,
     R"(["", "", "", "", "False", "0.", "True", "False"])", 2 * 8 * 12 * 12 * 16, 2 * 2 * (4 * 12 * 32 + 2 * 12 * 32)},
    // Causal from the top left: query i of 2 sees keys up to i, of 4.
    {"aten::scaled_dot_product_attention", "[[1, 1, 2, 8], [1, 1, 4, 8], [1, 1, 4, 8], [], [], []]", kFloats,
     R"(["", "", "", "", "0.", "True"])", 2 * 2 * 8 * 2, 4 * (2 * 16 + 4 * 16)},
    // From the bottom right: the last of 2 sees all 4.
    {"flash_attn::_flash_attn_forward", "[[1, 2, 1, 8], [1, 4, 1, 8], [1, 4, 1, 8], [], [], []]", kFloats,
     R"(["", "", "", "0.", "0.35", "True"])", 2 * 2 * 8 * (2 + 2 * 2), 4 * (2 * 16 + 4 * 16)},
    {"aten::_scaled_dot_product_flash_attention_backward",
     "[[2, 4, 10, 16], [2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 16], [], [], [], [], [], [], [], []]",
     R"(["float", "float", "float", "float"])", R"(["", "", "", "", "", "", "", "", "10", "12", "0.", "False"])",
     2 * 8 * 10 * 12 * 16 * 5, 4 * 8 * (10 * 48 + 2 * 12 * 32)},
    // Three sequences of 10 queries and keys.
    {"aten::_flash_attention_forward", "[[30, 4, 16], [30, 4, 16], [30, 4, 16], [4], [4], [], [], [], []]",
     R"(["c10::Half", "c10::Half", "c10::Half", "int", "int", "Scalar", "Scalar", "Scalar", "Scalar"])",
     R"(["", "", "", "", "", "10", "10", "0.", "False"])", 3 * 2 * 2 * 4 * 10 * 10 * 16, 2 * 4 * 30 * 64},

    {"aten::layer_norm", "[[2, 3, 8], [], [8], [8], [], []]",
     R"(["float", "ScalarList", "float", "float", "Scalar", "Scalar"])", R"(["", "[8]", "", "", "1e-05", "True"])",
     5 * 48 + 6 * 8, 4 * (96 + 6 * 8)},
    {"aten::batch_norm", "[[2, 3, 8, 8], [3], [3], [3], [3], [], [], [], []]",
     R"(["float", "float", "float", "float", "float", "Scalar"])", R"(["", "", "", "", "", "False", "0.1", "1e-05"])",
     5 * 384 + 18, 4 * (768 + 18), 2 * 384 + 18, 4 * (768 + 12)},
    {"aten::native_layer_norm_backward", "[[2, 3, 8], [2, 3, 8], [], [2, 3, 1], [2, 3, 1], [8], [8], []]",
     R"(["float", "float", "ScalarList", "float", "float", "float", "float", "ScalarList"])",
     R"(["", "", "[8]", "", "", "", "", "[True, True, False]"])", 9 * 48, 4 * (3 * 48 + 3 * 8)},
    {"aten::_fused_rms_norm", "[[6, 8], [], [8], []]", R"(["c10::Half", "ScalarList", "c10::Half", "Scalar"])",
     R"(["", "[8]", "", "1e-05"])", 6 * 18 + 2 * 48, 2 * (96 + 8)},
    {"aiter::add_rmsnorm", "[[6, 8], [6, 8], [6, 8], [6, 8], [8], []]",
     R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "c10::Half", "Scalar"])", "[]", 48 + 6 * 18 + 96,
     2 * (4 * 48 + 8)},

    {"aten::relu", "[[4, 5]]", kHalfTwo, "[]", 20, 80},
    {"aten::copy_", "[[4, 5], [4, 5], []]", R"(["float", "c10::Half", "Scalar"])", "[]", 20, 20 * 6},
    {"aten::copy_", "[[4, 5], [5], []]", R"(["float", "float", "Scalar"])", "[]", 20, 160, 0, 4 * (20 + 5)},
    {"aten::add", "[[4, 1, 5], [3, 1], []]", R"(["float", "c10::Half", "Scalar"])", "[]", 60, 4 * 20 + 2 * 3 + 4 * 60},
    {"aten::mul", "[[4, 5], []]", R"(["c10::Half", "double"])", "[]", 20, 2 * 20 + 8 + 2 * 20},
    {"aten::mul", "[[4, 5], []]", R"(["c10::Half", "Scalar"])", R"(["", "2."])", 20, 2 * 20 + 4 + 2 * 20},
    {"aten::lt", "[[4, 5], [4, 5]]", R"(["float", "float"])", "[]", 20, 4 * 40 + 20},
    {"aten::where", "[[4, 5], [4, 5], []]", R"(["bool", "float", "float"])", "[]", 20, 20 + 80 + 4 + 80},
    {"sgl_kernel::silu_and_mul", "[[4, 5], [4, 10]]", kHalfTwo, "[]", 100, 2 * (20 + 40)},
    {"sgl_kernel::rotary_embedding", "[[3], [3, 64], [3, 32], [], [99, 16], []]",
     R"(["long int", "c10::Half", "c10::Half", "Scalar", "c10::Half", "Scalar"])", R"(["", "", "", "16", "", "True"])",
     3 * 3 * 96, 2 * 2 * 3 * 96},
    {"aten::upsample_nearest2d", "[[1, 2, 4, 4], [], [], []]", R"(["float", "ScalarList", "", ""])",
     R"(["", "[8, 8]", "", ""])", 128, 4 * (32 + 128)},

    {"aten::sum", "[[2, 1000]]", kFloats, R"(["", ""])", 2000, 4 * 2001},
    {"aten::sum", "[[100, 10], [], []]", R"(["float", "ScalarList", "Scalar"])", R"(["", "[-1]", "False"])", 1000,
     4 * 1001, 1000, 4 * 1100},
    {"aten::max", "[[100, 10], [], []]", R"(["float", "Scalar", "Scalar"])", R"(["", "1", "False"])", 1000, 4 * 1001,
     1000, 4 * 1000 + 12 * 100},
    {"aten::_softmax", "[[4, 5], [], []]", R"(["float", "Scalar", "Scalar"])", R"(["", "-1", "False"])", 100, 160},
    {"aten::embedding", "[[1000, 16], [2, 3], [], [], []]", R"(["float", "long int", "Scalar", "Scalar", "Scalar"])",
     R"(["", "", "-1", "False", "False"])", 0, 8 * 6 + 2 * 6 * 16 * 4},
    {"aten::index_select", "[[50, 16], [], [7]]", R"(["float", "Scalar", "long int"])", R"(["", "0", ""])", 0,
     8 * 7 + 2 * 7 * 16 * 4},
};

TEST_CASE("work of operators: FLOP and bytes") {
  for (const WorkCase& one : kWorkCases) {
    CAPTURE(one.name);
    CAPTURE(one.dims);
    CAPTURE(one.concrete);
    CHECK(has_work_model(one.name));
    const auto work = work_of(one.name, one.dims, one.types, one.concrete);
    REQUIRE(work.has_value());
    CHECK(work->work.flop == one.flop);
    CHECK(work->work.bytes == one.bytes);
    CHECK(work->physical.has_value() == (one.physical_flop >= 0));
    CHECK(work->why.empty() != work->physical.has_value());
    if (!work->physical) continue;
    CHECK(work->physical->flop == one.physical_flop);
    CHECK(work->physical->bytes == one.physical_bytes);
  }
}

TEST_CASE("work of operators: class, type, units") {
  const auto product = work_of("aten::mm", "[[5, 7], [7, 11]]", kHalfTwo);
  REQUIRE(product.has_value());
  CHECK(product->operator_class == KernelClass::kGemm);
  CHECK(product->type == FlopType::kHalf);
  CHECK(product->on_matrix_units);
  const auto sum = work_of("aten::add", "[[5], [5]]", R"(["double", "double"])");
  REQUIRE(sum.has_value());
  CHECK(sum->operator_class == KernelClass::kElementwise);
  CHECK(sum->type == FlopType::kFp64);
  CHECK_FALSE(sum->on_matrix_units);
}

TEST_CASE("work of operators: sequences whose lengths are not known are estimated, and said to be") {
  const auto packed = work_of(
      "flash_attn::_flash_attn_varlen_forward", "[[30, 4, 16], [30, 4, 16], [30, 4, 16], [3], [3], [], [], [], [], []]",
      R"(["c10::Half", "c10::Half", "c10::Half", "int", "int", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
      R"(["", "", "", "", "", "20", "20", "0.", "0.25", "False"])");
  REQUIRE(packed.has_value());
  CHECK(packed->work.flop == 2 * 4 * 32 * (20 * 20 + 10 * 10));
  CHECK_FALSE(packed->why.empty());
  // The longest may be all of them, and no longer; of one sequence the work is exact.
  const auto of = [](const char* bounds, const char* longest) {
    return work_of(
        "flash_attn::_flash_attn_varlen_forward",
        fmt::format("[[30, 4, 16], [30, 4, 16], [30, 4, 16], [{0}], [{0}], [], [], [], [], []]", bounds),
        R"(["c10::Half", "c10::Half", "c10::Half", "int", "int", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
        fmt::format(R"(["", "", "", "", "", "{0}", "{0}", "0.", "0.25", "False"])", longest));
  };
  const auto whole = of("2", "30");
  REQUIRE(whole.has_value());
  CHECK(whole->work.flop == 2 * 4 * 32 * 30 * 30);
  CHECK(whole->why.empty());
  CHECK_FALSE(of("2", "31"));
  CHECK_FALSE(of("1", "30"));
}

TEST_CASE("work of operators: what does not say enough has no value") {
  CHECK_FALSE(work_of("aten::nothing", "[[5, 7]]", kHalfTwo));
  CHECK_FALSE(work_of("aten::mm", "", kHalfTwo));
  CHECK_FALSE(work_of("aten::mm", "[]", kHalfTwo));
  CHECK_FALSE(work_of("aten::mm", "[[5, 7]]", kHalfTwo));
  CHECK_FALSE(work_of("aten::mm", "[[5, 7], [8, 11]]", kHalfTwo));
  CHECK_FALSE(work_of("aten::mm", "[[5, 7], [7, 11]]", ""));
  CHECK_FALSE(work_of("aten::mm", "[[5, 7], [7, 11]]", R"(["c10::NewType", "c10::NewType"])"));
  CHECK_FALSE(work_of("aten::mm", "[[-5, 7], [7, 11]]", kHalfTwo));
  CHECK_FALSE(work_of("aten::mm", "[[9000000000, 9000000000], [9000000000, 9000000000]]", kHalfTwo));
  CHECK_FALSE(work_of("aten::add", "[[5], [7]]", kFloats));
  CHECK_FALSE(work_of("aten::add", "[[5]]", R"(["float"])"));
  CHECK_FALSE(work_of("aten::layer_norm", "[[2, 3, 8], [], [8], [8], [], []]", kFloats, R"(["", "", "", ""])"));
  CHECK_FALSE(work_of("aten::convolution", "[[2, 6, 8, 10], [4, 6, 3, 3]]", kFloats,
                      R"(["", "", "", "[0, 0]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"])"));
  CHECK_FALSE(work_of("aten::convolution", "[[2, 6, 2, 2], [4, 6, 3, 3]]", kFloats,
                      R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"])"));
  CHECK_FALSE(work_of("aten::_scaled_dot_product_flash_attention", "[[2, 4, 10, 16], [2, 4, 12, 16]]", kHalfTwo));
  // Queries, keys and values that do not fit each other in one of their sizes.
  const std::string_view attention = "aten::_scaled_dot_product_flash_attention";
  const auto attention_of = [&](std::string dims) {
    dims.insert(dims.size() - 1, ", [], [], [], []");
    return work_of(attention, dims, kHalfThree, R"(["", "", "", "0.", "False", "False", ""])");
  };
  CHECK(attention_of("[[2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 16]]").has_value());
  for (const char* dims :
       {"[[3, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 16]]", "[[2, 4, 10, 16], [2, 4, 12, 16], [3, 4, 12, 16]]",
        "[[2, 4, 10, 8], [2, 4, 12, 16], [2, 4, 12, 16]]", "[[2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 13, 16]]",
        "[[2, 4, 10, 16], [2, 2, 12, 16], [2, 4, 12, 16]]", "[[2, 4, 10, 16], [2, 0, 12, 16], [2, 0, 12, 16]]",
        "[[2, 4, 10], [2, 4, 12, 16], [2, 4, 12, 16]]", "[[2, 4, 10, 16], [2, 4, 12], [2, 4, 12, 16]]",
        "[[2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12]]"}) {
    CAPTURE(dims);
    CHECK_FALSE(attention_of(dims).has_value());
  }
  for (const auto& [type, is_known] : {std::pair("-1", false), {"0", true}, {"1", true}, {"2", true}, {"3", false}}) {
    const auto work = work_of("aten::_efficient_attention_forward",
                              "[[2, 10, 4, 16], [2, 12, 4, 16], [2, 12, 4, 16], [], [], [], [], [], [], []]",
                              kHalfThree, fmt::format(R"(["", "", "", "", "", "", "", "", "0.", "{}"])", type));
    const bool has_value = work.has_value(), wanted = is_known;
    CHECK(has_value == wanted);
  }
  CHECK_FALSE(work_of("aten::relu", "[[5]]", R"([""])"));
  CHECK_FALSE(work_of("aten::copy_", "[[5], [5]]", R"(["", "float"])"));
  CHECK_FALSE(work_of("aten::sum", "[[100, 10], [], []]", kFloats, R"(["", "[7]", "False"])"));
  for (const char* dims : {"[[2, 3, 5, 7], [3, 7, 11], [3]]", "[[3, 5, 7], [2, 3, 7, 11], [3]]", "[[7], [7, 11], [3]]",
                           "[[3, 5, 7], [7], [3]]", "[[3, 5, 7], [2, 7, 11], [3]]", "[[5, 7], [8, 11], [3]]"})
    CHECK_FALSE(work_of("aten::_grouped_mm", dims, R"(["c10::Half", "c10::Half", "int"])"));
  for (const char* types : {R"(["", "Scalar", "long int", "Scalar"])", R"(["float", "Scalar", "", "Scalar"])"})
    CHECK_FALSE(work_of("aten::gather", "[[4, 8], [], [2, 3], []]", types, R"(["", "1", "", "False"])"));
  // Old profilers do not write strides of a convolution down: they could be any.
  CHECK_FALSE(work_of("aten::conv2d", "[[2, 6, 8, 10], [4, 6, 3, 3], [4], [], [], [], []]", kFloats));
  CHECK_FALSE(work_of("aten::_foreach_add_", "[[[4, 8], [4]], []]", R"(["TensorList", "Scalar"])"));
}

TEST_CASE("indices that are expanded are read as often as they are stored") {
  const auto bytes = [](std::string_view strides) {
    return operator_work("aten::gather",
                         TensorInputs("[[4, 8], [], [2, 3], []]", R"(["float", "Scalar", "long int", "Scalar"])",
                                      R"(["", "1", "", "False"])", strides))
        ->work.bytes;
  };
  CHECK(bytes("[[8, 1], [], [3, 1], []]") == 6 * 8 + 2 * 6 * 4);
  CHECK(bytes("[[8, 1], [], [1, 0], []]") == 2 * 8 + 2 * 6 * 4);
  CHECK(bytes("[[8, 1], [], [0, 0], []]") == 8 + 2 * 6 * 4);
  CHECK(bytes("[[8, 1], [], [1], []]") == 6 * 8 + 2 * 6 * 4);
}

}  // namespace
}  // namespace lacuna
