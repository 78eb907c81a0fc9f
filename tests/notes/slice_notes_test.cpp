// What the details say of slices, on traces made for it; arguments are given, as such a trace has no file.
#include "model/notes/slice_notes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "render/format.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

constexpr ReportFormat kFormat{format_duration, format_count, format_percent, format_bytes};
constexpr Nanos kUs = 1'000;

SliceId named(const Trace& trace, std::string_view name) {
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace.lane(LaneId{l}).size(); ++i)
      if (trace.name(SliceId{LaneId{l}, i}) == name) return {LaneId{l}, i};
  return {};
}

/// What is said of the first slice of this name under one key; "" for nothing.
SliceNote said(const Trace& trace, std::string_view name, std::string_view key,
               const std::vector<Argument>& arguments = {}) {
  const SliceId slice = named(trace, name);
  REQUIRE(slice.valid());
  for (SliceNote& note : notes_about(trace, slice, arguments, kFormat))
    if (note.key == key) return note;
  return {};
}

bool has(const SliceNote& note, std::string_view words) {
  return note.text.find(words) != std::string::npos;
}

std::vector<Argument> shapes(std::string dims, std::string types) {
  return {{"Input Dims", std::move(dims), false}, {"Input type", std::move(types), false}};
}

TEST_CASE("names that PyTorch, its compiler and the profiler write are explained, others are not") {
  TraceMaker make;
  make.thread("TorchDynamo Cache Lookup", 0, 10)
      .thread("## Call CompiledFxGraph fabc ##", 20, 30, "user_annotation")
      .launch("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 40, 50, 0)
      .thread("Activity Buffer Request", 60, 70, "overhead")
      .thread("my_function", 80, 90)
      .thread("## inductor_kernel:triton_poi_fused_add_0:12 ##", 100, 110)
      .thread("HostNode: log_loss", 120, 130, "graph_host_node")
      .kernel("CompiledFxGraph", 80, 90);
  const Trace trace = make.build();
  CHECK(has(said(trace, "TorchDynamo Cache Lookup", "name"), "guards"));
  CHECK(has(said(trace, "## Call CompiledFxGraph fabc ##", "name"), "Inductor"));
  CHECK(has(said(trace, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "name"), "starts nothing"));
  CHECK(has(said(trace, "Activity Buffer Request", "name"), "profiler"));
  CHECK(has(said(trace, "## inductor_kernel:triton_poi_fused_add_0:12 ##", "name"), "debug handle"));
  CHECK(has(said(trace, "HostNode: log_loss", "name"), "waits for its end"));
  CHECK(notes_about(trace, named(trace, "my_function"), {}, kFormat).empty());
  CHECK(notes_about(trace, named(trace, "CompiledFxGraph"), {}, kFormat).empty());
}

TEST_CASE("a call of compiled code: where its time goes, and how often it was compiled") {
  TraceMaker make;
  make.thread("TorchDynamo Cache Lookup", 0, 12 * kUs)
      .thread("Torch-Compiled Region: 0/2", 20 * kUs, 120 * kUs)
      .thread("Pregraph bytecode", 21 * kUs, 26 * kUs)
      .thread("AOTDispatcher Runtime Wrapper Prologue", 30 * kUs, 33 * kUs)
      .thread("## Call CompiledFxGraph fabc ##", 40 * kUs, 110 * kUs, "user_annotation")
      .launch("cudaLaunchKernel", 50 * kUs, 55 * kUs, 1)
      .kernel("triton_poi_fused_add_0", 60 * kUs, 67 * kUs, 1)
      .thread("Torch-Compiled Region: 1/0", 200 * kUs, 210 * kUs);
  const Trace trace = make.build();
  const SliceNote note = said(trace, "Torch-Compiled Region: 0/2", "compiled");
  CHECK(has(note, "Of its 100 \xC2\xB5s on the CPU the compiled graph takes 70.0 \xC2\xB5s"));
  CHECK(has(note, "1 GPU activity of 7.00 \xC2\xB5s"));
  CHECK(has(note, "collecting inputs 5.00 \xC2\xB5s, AOTAutograd's prologue 3.00 \xC2\xB5s"));
  CHECK(has(note, "costs 42.0 \xC2\xB5s"));  // 30 around the graph, 12 to look guards up
  CHECK(trace.name(note.place) == "TorchDynamo Cache Lookup");
  const auto all = notes_about(trace, named(trace, "Torch-Compiled Region: 0/2"), {}, kFormat);
  CHECK(std::ranges::any_of(all, [](const SliceNote& n) { return has(n, "compiled 3 times"); }));
  for (const SliceNote& n : notes_about(trace, named(trace, "Torch-Compiled Region: 1/0"), {}, kFormat))
    CHECK_FALSE(has(n, "times"));
}

TEST_CASE("who called what waits for the GPU, and for what it waited") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100 * kUs, "user_annotation")
      .thread("train.py(7): loss", 5 * kUs, 90 * kUs, "python_function")
      .thread("aten::item", 10 * kUs, 80 * kUs)
      .launch("cudaLaunchKernel", 1 * kUs, 2 * kUs, 1)
      .launch("cudaStreamSynchronize", 20 * kUs, 60 * kUs, 0)
      .kernel("gemm(int)", 10 * kUs, 58 * kUs, 1)
      .launch("cudaDeviceSynchronize", 200 * kUs, 300 * kUs, 0);
  const Trace trace = make.build();
  const SliceNote inside = said(trace, "cudaStreamSynchronize", "wait");
  CHECK(has(inside, "aten::item called it, in train.py(7): loss."));
  CHECK(has(inside, "It waited until gemm had ended, 2.00 \xC2\xB5s before it returned."));
  CHECK(trace.name(inside.place) == "gemm(int)");
  const SliceNote last = said(trace, "cudaDeviceSynchronize", "wait");
  CHECK(has(last, "most likely the profiler called it"));
  CHECK(has(last, "Nothing recorded on the GPU ended"));
}

TEST_CASE("a step in which nothing begins for long") {
  TraceMaker make;
  for (int step = 0; step < 4; ++step) {
    const Nanos begin = step * 1'000 * kUs;
    make.thread("ProfilerStep#" + std::to_string(step), begin, begin + 900 * kUs, "user_annotation")
        .thread("train.py(1): step", begin + 1 * kUs, begin + 800 * kUs, "python_function")
        .thread("forward", begin + 2 * kUs, begin + 700 * kUs, "user_annotation")
        .thread("aten::mm", begin + (step == 0 ? 228 : 5) * kUs, begin + 300 * kUs);
  }
  const Trace trace = make.build();
  const SliceNote note = said(trace, "ProfilerStep#0", "deadWindow");
  CHECK(has(note, "228 \xC2\xB5s pass in it before the first operator or call begins, aten::mm"));
  CHECK(has(note, "it is 5.00 \xC2\xB5s (median)"));
  CHECK(trace.name(note.place) == "aten::mm");
  CHECK(said(trace, "ProfilerStep#1", "deadWindow").text.empty());
}

TEST_CASE("a step of an inference server says what its requests were at") {
  TraceMaker make;
  const std::pair<const char*, const char*> steps[] = {
      {"execute_context_2(1200)_generation_0(0)", "reads prompts (prefill). 2 requests, 1,200 tokens."},
      {"step[DECODE bs=1]", "writes tokens (decode). 1 request, 1 token."},
      {"execute_context_1(5)_generation_3(3)", "tokens of others. 4 requests, 8 tokens."},
      {"execute_context_0(0)_generation_0(0)", "has no requests."},
      {"execute_diffusion_2_512x512", "server: 2 requests."}};
  Nanos t = 0;
  for (const auto& [name, words] : steps) make.thread(name, t, t + 10, "user_annotation"), t += 20;
  const Trace trace = make.build();
  for (const auto& [name, words] : steps) CHECK(has(said(trace, name, "name"), words));
}

TEST_CASE("which backend of attention ran") {
  const auto backend = [](std::vector<std::string> operators, const std::vector<Argument>& arguments) {
    TraceMaker make;
    Nanos t = 10;
    make.thread("aten::scaled_dot_product_attention", 0, 1'000);
    for (const std::string& op : operators) make.thread(op, t, t + 5), t += 10;
    return said(make.build(), "aten::scaled_dot_product_attention", "attention", arguments);
  };
  CHECK(has(backend({"aten::_scaled_dot_product_flash_attention"}, {}), "The FlashAttention backend"));
  CHECK(has(backend({"aten::_scaled_dot_product_cudnn_attention"}, {}), "The cuDNN backend"));
  CHECK(has(backend({"aten::_scaled_dot_product_efficient_attention"}, {}), "The memory-efficient attention backend"));
  CHECK(has(backend({"aten::_scaled_dot_product_attention_math"}, {}), "The math backend"));
  CHECK(has(backend({"aten::_scaled_dot_product_flash_attention_backward"}, {}),
            "The FlashAttention backend computed its gradient: the scores are computed again"));
  CHECK(backend({"aten::mm"}, {}).text.empty());
  const auto alone = [&](const char* type) {
    const std::string types = fmt::format("[\"{}\",\"{}\"]", type, type);
    TraceMaker attention;
    attention.thread("aten::_scaled_dot_product_attention_math", 0, 100);
    return has(said(attention.build(), "aten::_scaled_dot_product_attention_math", "attention",
                    shapes("[[2,8,128,64],[2,8,128,64]]", types)),
               "FlashAttention and cuDNN take half");
  };
  CHECK(alone("float"));
  CHECK(alone("double"));
  CHECK_FALSE(alone("c10::Half"));
  CHECK_FALSE(alone("c10::BFloat16"));

  TraceMaker make;
  make.thread("nn.Module: SelfAttention_0", 0, 1'000, "python_function")
      .thread("aten::bmm", 10, 20)
      .thread("aten::_softmax", 30, 40)
      .thread("aten::bmm", 50, 60)
      .thread("aten::mm", 2'000, 2'010);
  const Trace eager = make.build();
  CHECK(has(said(eager, "nn.Module: SelfAttention_0", "attention"), "No fused attention ran in it"));
  CHECK(said(eager, "aten::mm", "attention").text.empty());
}

TEST_CASE("whether the bias of a linear layer is fused") {
  const auto bias = [](std::string_view add, std::string_view kernel, std::string dims) {
    TraceMaker make;
    make.thread("aten::linear", 0, 100 * kUs)
        .thread("aten::addmm", 10 * kUs, 40 * kUs)
        .launch("cudaLaunchKernel", 20 * kUs, 25 * kUs, 1)
        .kernel("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", 30 * kUs, 50 * kUs, 1);
    if (!add.empty())
      make.thread(add, 50 * kUs, 80 * kUs)
          .launch("cudaLaunchKernel", 60 * kUs, 65 * kUs, 2)
          .kernel(kernel, 70 * kUs, 73 * kUs, 2);
    return said(make.build(), "aten::linear", "bias", shapes(std::move(dims), R"(["float", "float", "float"])"));
  };
  const std::string with_bias = "[[8, 16], [32, 16], [32]]";
  const std::string elementwise =
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>";
  CHECK(has(bias("", "", with_bias), "The bias is fused: one kernel"));
  CHECK(has(bias("aten::add_", elementwise, with_bias), "not fused"));
  CHECK(has(bias("aten::add_", elementwise, with_bias), "3.00 \xC2\xB5s"));
  // A copy of the bias into the result may be one of the driver.
  TraceMaker make;
  make.thread("aten::addmm", 0, 100 * kUs)
      .thread("aten::copy_", 10 * kUs, 40 * kUs)
      .launch("cudaMemcpyAsync", 20 * kUs, 25 * kUs, 1)
      .kernel("Memcpy DtoD (Device -> Device)", 30 * kUs, 34 * kUs, 1, "7", "0", "gpu_memcpy")
      .launch("cudaLaunchKernel", 60 * kUs, 65 * kUs, 2)
      .kernel("ampere_sgemm_128x64_tn", 70 * kUs, 90 * kUs, 2);
  const Trace copied = make.build();
  CHECK(has(said(copied, "aten::addmm", "bias"), "not fused"));
  CHECK(has(said(copied, "aten::addmm", "bias"), "copies it into the result first (4.00 \xC2\xB5s)"));
  // A copy that makes the input contiguous is not about the bias.
  CHECK(has(bias("aten::copy_", elementwise, with_bias), "The bias is fused"));
  CHECK(has(bias("", "", "[[8, 16], [32, 16], []]"), "no bias"));
}

TEST_CASE("FLOPs and bytes of an operator, and which of them limits it") {
  TraceMaker make;
  make.thread("aten::mm", 0, 100 * kUs)
      .launch("cudaLaunchKernel", 10 * kUs, 20 * kUs, 1)
      .kernel("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", 30 * kUs, 130 * kUs, 1)
      .thread("aten::gelu", 200 * kUs, 220 * kUs)
      .launch("cudaLaunchKernel", 205 * kUs, 210 * kUs, 2)
      .kernel("void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>", 230 * kUs, 240 * kUs,
              2);
  const Trace trace = make.build();
  const std::string bf16 = R"(["c10::BFloat16", "c10::BFloat16"])";
  // 2 * 1000^3 operations in 100 us; three matrices of 2 MB.
  const SliceNote product = said(trace, "aten::mm", "roof", shapes("[[1000, 1000], [1000, 1000]]", bf16));
  CHECK(has(product, "It computes 2.0 GFLOP and moves at least 6.0 MB: 333 FLOP a byte"));
  CHECK(has(product, "that is 20 TFLOP/s"));
  // Without a known GPU nothing is judged.
  CHECK_FALSE(has(product, "limits it"));
  // In and out: 2 * 1000 * 1000 * 4 bytes in 10 us.
  const SliceNote gelu = said(trace, "aten::gelu", "roof", shapes("[[1000, 1000]]", R"(["float"])"));
  CHECK(has(gelu, "memory limits it: at least 8.0 MB"));
  CHECK(has(gelu, "are 800 GB/s"));
  CHECK(said(trace, "aten::gelu", "roof", {}).text.empty());
}

TEST_CASE("copies that an operator makes on the way") {
  TraceMaker make;
  make.thread("aten::masked_fill", 0, 100 * kUs)
      .thread("aten::clone", 5 * kUs, 50 * kUs)
      .thread("aten::copy_", 10 * kUs, 40 * kUs)
      .launch("cudaLaunchKernel", 20 * kUs, 25 * kUs, 1)
      .kernel("copy", 30 * kUs, 38 * kUs, 1)
      .thread("aten::masked_fill_", 60 * kUs, 90 * kUs)
      .launch("cudaLaunchKernel", 70 * kUs, 75 * kUs, 2)
      .kernel("fill", 80 * kUs, 84 * kUs, 2)
      .thread("aten::add", 200 * kUs, 220 * kUs)
      .launch("cudaLaunchKernel", 205 * kUs, 210 * kUs, 3)
      .kernel("add", 230 * kUs, 240 * kUs, 3);
  const Trace trace = make.build();
  const SliceNote note = said(trace, "aten::masked_fill", "copies");
  CHECK(has(note, "1 of its 2 GPU activities copies, 8.00 \xC2\xB5s of 12.0 \xC2\xB5s of GPU time: aten::clone"));
  CHECK(trace.name(note.place) == "copy");
  CHECK(said(trace, "aten::clone", "copies").text.empty());
  CHECK(said(trace, "aten::add", "copies").text.empty());
}

TEST_CASE("occupancy: what limits it, and that 0 is no measurement") {
  TraceMaker make;
  make.kernel("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", 0, 10).kernel("mine", 20, 30);
  const Trace trace = make.build();
  const auto with = [&](std::string_view kernel, std::string occupancy, std::string blocks) {
    return said(trace, kernel, "occupancy",
                {{"est. achieved occupancy %", std::move(occupancy), false},
                 {"blocks per SM", std::move(blocks), false},
                 {"block", "[128, 1, 1]", false}});
  };
  const std::string_view gemm = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn";
  CHECK(has(with(gemm, "13", "0.5"), "The grid limits it: 0.5 blocks"));
  CHECK(has(with(gemm, "13", "0.5"), "matrix kernels"));
  CHECK(has(with("mine", "13", "2"), "need more threads"));
  CHECK_FALSE(has(with("mine", "80", "2"), "need more threads"));
  CHECK(has(with("mine", "0", "2"), "no measurement"));
  CHECK(said(trace, "mine", "occupancy", {}).text.empty());
  for (const char* odd : {"inf", "nan", "1e300", "-1", "", "x"}) {
    CHECK(with("mine", odd, "2").text.empty());
    CHECK(has(with("mine", "13", odd), "13 % occupancy"));
  }
}

TEST_CASE("shapes that no tensor can have are passed over") {
  TraceMaker make;
  make.thread("aten::mm", 0, 100).launch("cudaLaunchKernel", 10, 20, 1).kernel("sgemm", 30, 90, 1);
  const Trace trace = make.build();
  const std::string huge(400, '9');
  for (const std::string& dims : {"[[" + huge + ", 2], [2, " + huge + "]]", std::string("[[-5, 3], [3, -2]]"),
                                  std::string("[[2"), std::string("[[[]]"), std::string("]]]]"), std::string("[]")})
    for (const char* types : {R"(["float", "float"])", R"(["float")", "", R"(["", "x"])"})
      CHECK_FALSE(has(said(trace, "aten::mm", "roof", shapes(dims, types)), "inf"));
}

}  // namespace
}  // namespace lacuna
