#include "app/finding/scrub.h"

#include <string>

#include <doctest/doctest.h>

#include "model/kernels/kernel_class.h"

using namespace lacuna;

namespace {

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("names of PyTorch and its libraries stay; those of users become hashes, the same ones everywhere") {
  Scrubber scrub;
  for (const char* name :
       {"aten::mm", "ProfilerStep#3", "nccl:all_reduce", "MulBackward0",
        "autograd::engine::evaluate_function: AddmmBackward0", "Optimizer.step#AdamW.step",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "Torch-Compiled Region: 0/1", "detach"}) {
    CHECK(scrub.name("cpu_op", name) == name);
  }
  for (const char* name : {"acme::secret_op", "Secret", "Optimizer.step#AcmeOpt.step", "SecretFnBackward",
                           "aten::mm; acme", "nccl:x /home/bob", "cudaSecret plan", "evaluate acme::x",
                           "Torch-Compiled Region: acme", "cudaRasterizeAcme", "Optimizer.step#AdamW.acme",
                           "enumerate(DataLoader)#AcmeIter.__next__", "10.1.2.3", "10.1.2.3:29500", "2001::1:2"}) {
    INFO(name);
    const std::string is = scrub.name("user_annotation", name);
    CHECK(is.starts_with("name-"));
    CHECK(scrub.name("cpu_op", name) == is);
  }
}

TEST_CASE("calls of a runtime keep their names where their category says that they are some") {
  Scrubber scrub;
  CHECK(scrub.name("cuda_runtime", "cudaLaunchKernel") == "cudaLaunchKernel");
  CHECK(scrub.name("cuda_driver", "cuMemAlloc_v2") == "cuMemAlloc_v2");
  CHECK(scrub.name("cuda_runtime", "acmeLaunch").starts_with("name-"));
}

TEST_CASE("kernels of libraries stay, unless a template argument is a user's") {
  Scrubber scrub;
  for (const char* name : {"ampere_sgemm_128x64_tn", "triton_poi_fused_add_relu_0", "Memcpy HtoD (Pinned -> Device)",
                           "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, "
                           "at::detail::Array<char*, 3>>(int, float)",
                           "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"})
    CHECK(scrub.name("kernel", name) == name);
  for (const char* name : {"acme_gemm_kernel", "void acme::kernel<float>(int)", "triton_acme_kernel",
                           "void cutlass::Kernel<acme::Secret>(int)", "amperesecret"}) {
    INFO(name);
    CHECK(scrub.name("kernel", name).starts_with("kernel-"));
  }
}

TEST_CASE("kernels of libraries by words and namespaces, with each word of an argument checked") {
  Scrubber scrub;
  for (const char* name :
       {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false>(float*, float const*, int)",
        "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, 2>(float)",
        "void at::native::unrolled_elementwise_kernel<at::native::copy_device_to_device(at::TensorIterator&, "
        "bool)::{lambda()#2}::operator()() const::{lambda()#8}::operator()() const::{lambda(float)#1}, "
        "at::detail::Array<char*, 2>, OffsetCalculator<1, unsigned int>, char*, "
        "at::native::memory::LoadWithCast<1>>(int)",
        "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1>(cudnnTensorStruct, float const*)",
        "void splitKreduce_kernel<32, 16, int, float, float>(cublasSplitKParams<float>, float const*)",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::"
        "Params)",
        "Cijk_Ailk_Bljk_HHS_BH_Bias_HA_S_SAV_UserArgs_MT256x16x64_MI16x16x1_SN_LDSB0_GRVWA8_WG64_4_1",
        "nvjet_tst_64x16_64x16_2x4_2cta_h_bz_bias_TNT", "volta_scudnn_128x64_stridedB_splitK_small_nn_v1",
        "Memcpy DtoD (Device -> Device)", "Memset (Device)"})
    CHECK(scrub.name("kernel", name) == name);
  for (const char* name :
       {"void (anonymous namespace)::acme_fwd<c10::Half>(int)", "ampere_sgemm_128x64_tn_acme", "nvjet_acme_64x16",
        "ncclDevKernel_acme", "Cijk_Ailk_Bljk_HHS_acme", "void at::native::reduce_kernel<512, AcmeOp<float>>(int)",
        "void at::native::reduce_kernel<512, acme::Sum>(int)", "void gemm::acme(int)", "Memcpy of acme",
        "at::native::f<(anonymous namespace)::acme>", "cutlass::Kernel<cutlass_80_acme>", "k0", "at::native::f<4acme>",
        "at::native::f<3ulacme>", "_Z4acmePf"}) {
    INFO(name);
    const std::string is = scrub.name("kernel", name);
    CHECK(is.starts_with("kernel-"));
    CHECK(!says(is, "acme"));
    CHECK(kernel_class(is) == kernel_class(name));
  }
}

TEST_CASE("the hash of a kernel says its class") {
  Scrubber scrub;
  for (const char* what : {"gemm", "conv2d", "flash_fwd", "layer_norm", "elementwise", "reduce_kernel", "embedding",
                           "adamw", "quantize", "moe_align", "transpose", "allreduce", "spin_kernel", "nothing"}) {
    const std::string name = "acme_" + std::string(what);
    const std::string is = scrub.name("kernel", name);
    INFO(is);
    CHECK(!says(is, "acme"));
    CHECK(kernel_class(is) == kernel_class(name));
    CHECK(scrub.replaced().at(name) == is);
    CHECK(scrub.name("kernel", name) == is);
  }
}

TEST_CASE("steps, and what PyTorch and Python write by themselves") {
  Scrubber scrub;
  for (const char* name :
       {"execute_context_0(0)_generation_4(4)", "step[DECODE bs=32]", "decode[bs=117/128 tok=117]", "Iteration 7",
        "TorchDynamo Cache Lookup", "Pregraph bytecode", "DistributedDataParallel.forward", "gloo:all_reduce",
        "nccl:send 0->1", "triton_poi_fused_add_0"})
    CHECK(scrub.name("user_annotation", name) == name);
  for (const char* name : {"step[DECODE bs=32 acme]", "decode[bs=4 acme=1]", "acme 7", "nccl:acme", "gloo:acme"}) {
    INFO(name);
    CHECK(scrub.name("user_annotation", name).starts_with("name-"));
  }
  CHECK(says(scrub.name("user_annotation", "## Call CompiledFxGraph fabc ##"), "## Call CompiledFxGraph name-"));
  for (const char* name : {"<built-in function len>", "<built-in method append of list object at 0x7fdf70626640>",
                           "<built-in method item of Tensor object at 0x7f>",
                           "<built-in method synchronize of torch.Event object at 0x7f>"})
    CHECK(scrub.name("python_function", name) == name);
  for (const char* name :
       {"<built-in function acme>", "<built-in method append of Acme object at 0x7f>",
        "<built-in method acme of type object at 0x7f>", "<built-in method acme me of list object at 0x7f>",
        "<built-in method append of list object at 0x7f /acme>", "<built-in method append of list object at 0x7f>acme",
        "<built-in method append of list object at 0xacme>"}) {
    const std::string is = scrub.name("python_function", name);
    INFO(name);
    CHECK(is.starts_with("<built-in "));
    CHECK(!says(is, "cme"));
  }
}

TEST_CASE("Python frames keep the files of libraries, and the line of others") {
  Scrubber scrub;
  CHECK(scrub.name("python_function", "/opt/x/site-packages/torch/nn/modules/linear.py(114): forward") ==
        "torch/nn/modules/linear.py(114): forward");
  const std::string own = scrub.name("python_function", "/home/bob/acme/train.py(33): step_secret");
  CHECK(own.starts_with("path-"));
  CHECK(says(own, "(33): name-"));
  CHECK(scrub.name("python_function", "nn.Module: Linear_3") == "nn.Module: Linear_3");
  CHECK(says(scrub.name("python_function", "nn.Module: AcmeHead_3"), "nn.Module: module-"));
  CHECK(says(scrub.name("python_function", "nn.Module: Linear_acme"), "nn.Module: module-"));
  CHECK(!says(scrub.name("python_function", "/home/bob/t.py(acme): f"), "acme"));
  CHECK(!says(scrub.name("python_function", "<built-in method secret of Acme object at 0x7f>"), "Acme"));
}

TEST_CASE("what a person wrote loses paths, users and hosts alone") {
  Scrubber scrub({"bob", "node7"});
  const std::string text =
      scrub.words("bob saw 3.5 ms of idle time in /home/bob/x.py, on node7.acme.com (see a/b): bad.");
  CHECK(says(text, " saw 3.5 ms of idle time in path-"));
  CHECK(says(text, "(see a/b): bad."));
  for (const char* gone : {"bob", "/home", "node7", "acme"}) CHECK(!says(text, gone));
  CHECK(!says(scrub.words("mail jane@acme.com"), "jane"));
}

TEST_CASE("events keep times and sizes to the digit, and lose args whose keys are no profiler's") {
  Scrubber scrub({"bob"});
  const std::string event = scrub.edit(
      {},
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 8, "ts": 1712195495406752.797, "dur": 0.10,
      "args": {"External id": 18446744073709551615, "Input Dims": [[2, 3], []], "secret": {"k": ["bob"]}, "Input type": ["float", ""],
      "Concrete Inputs": ["", "/home/bob/x", "True", "1e-5"], "Call stack": "a;b", "bytes": 4}, "mine": "x"})");
  CHECK(says(event, R"("ts":1712195495406752.797,"dur":0.10,"args":{"External id":18446744073709551615,)"));
  CHECK(says(event, R"("Input Dims":[[2,3],[]],"Input type":["float",""],"Concrete Inputs":["","text-)"));
  CHECK(says(event, R"(,"True","1e-5"],"bytes":4}})"));
  for (const char* gone : {"bob", "secret", "Call stack", "mine"}) CHECK(!says(event, gone));
  CHECK(scrub.left_out().at("secret") == 1);
  CHECK(scrub.left_out().size() == 3);
}

TEST_CASE("an event keeps numbers and the profiler's words, whatever its field is") {
  Scrubber scrub;
  const std::string begin =
      scrub.edit({}, R"({"ph":"b","cat":"http,acme","name":"req","id":"bob@acme/x","scope":"db7.acme",
      "id2":{"local":"acme","mine":"acme"},"bind_id":"acme","sf":"acme","s":"acme","bp":"acme","pid":"acme","tid":"0x1f",
      "tts":"acme","args":"acme"})");
  const std::string end = scrub.edit({}, R"({"ph":"e","cat":"http,acme","name":"req","id":"bob@acme/x"})");
  for (const char* gone : {"bob", "acme", "db7", "http", "mine"}) CHECK(!says(begin, gone));
  CHECK(says(begin, R"("tid":"0x1f")"));
  const std::string id = begin.substr(begin.find("\"id\":"), sizeof("'id':'name-0123456789ab'") - 1);
  CHECK(says(end, id));  // the two are still one
  CHECK(says(begin, R"("id2":{"local":"name-)"));
  CHECK(says(scrub.edit({}, R"({"ph":"s","id":"-12","bind_id":"0x7Fa","bp":"e","s":"t","sf":7})"),
             R"("id":"-12","bind_id":"0x7Fa","bp":"e","s":"t","sf":7)"));
  for (
      const char* event :
      {R"({"ph":"X","cat":"kernel,acme","name":"k","args":{"Input Dims":{"acme":1},"Input type":["acme"],"dtype":"acme"}})",
       R"({"ph":"X","name":"aten::mm","args":{"Collective name":"acme","cuda_sync_kind":"acme","device":"10.1.2.3"}})",
       R"({"ph":"M","name":"acme","args":{"acme":"acme"}})", R"({"ph":"C","name":"x","args":{"y":"acme"}})",
       R"({"ph":"acme","ts":"acme","args":["acme"]})"}) {
    INFO(event);
    CHECK(!says(scrub.edit({}, event), "acme"));
    CHECK(!says(scrub.edit({}, event), "10.1"));
  }
  const std::string types = R"({"args":{"Input type":["c10::BFloat16","unsigned char","ScalarList",""],"dtype":"Half",)"
                            R"("Collective name":"_allgather_base","cuda_sync_kind":"Stream Wait Event"}})";
  CHECK(scrub.edit({}, types) == types);
  const std::string devices = scrub.edit("deviceProperties", R"([{"id":0,"name":"AMD Instinct MI300X","uuid":"GPU-1"},
      {"id":1,"name":"NVIDIA acme"}])");
  CHECK(says(devices, R"({"id":0,"name":"AMD Instinct MI300X"})"));
  for (const char* gone : {"uuid", "GPU-1", "acme"}) CHECK(!says(devices, gone));
}

TEST_CASE("notes and queries lose names that the trace lost") {
  Scrubber scrub;
  scrub.edit("hostname", "\"node7\"");
  const std::string hash = scrub.name("user_annotation", "Acme stage");
  CHECK(scrub.words("Acme stage, on node7") == hash + ", on " + scrub.words("node7"));
  const std::string words = scrub.words("node7 runs train.py on db7.acme.com, 10.1.2.3");
  for (const char* gone : {"node7", "train", "db7", "acme", "10.1"}) CHECK(!says(words, gone));
  CHECK(scrub.words("e.g. 3.5 ms, v1.2.") == "e.g. 3.5 ms, v1.2.");
  CHECK(scrub.query("SELECT slice.name FROM slice WHERE name = 'Acme stage' OR name LIKE '%train.py'") ==
        "SELECT slice.name FROM slice WHERE name = '" + hash + "' OR name LIKE '%" + scrub.words("train.py") + "'");
}

TEST_CASE("names of processes, threads and counters, and the head of the file") {
  Scrubber scrub({"bob"});
  CHECK(says(scrub.edit({}, R"({"ph":"M","name":"process_name","pid":7,"args":{"name":"python"}})"),
             R"("name":"python"}})"));
  CHECK(says(scrub.edit({}, R"-({"ph":"M","name":"thread_name","pid":7,"args":{"name":"thread 12 (acme)"}})-"),
             "\"thread 12 (name-"));
  const std::string counter = scrub.edit({}, R"({"ph":"C","name":"acme loss","pid":7,"ts":1,"args":{"acme":0.5}})");
  CHECK(!says(counter, "acme"));
  CHECK(says(counter, ":0.5"));
  CHECK(says(scrub.edit({}, R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","args":{"Bytes":-4}})"),
             R"("cat":"cpu_instant_event","name":"[memory]","args":{"Bytes":-4})"));
  CHECK(scrub.edit("trace_name", "\"/home/bob/x\"").empty());
  CHECK(scrub.edit("hostname", "\"node7\"").empty());
  CHECK(scrub.edit("deviceProperties", R"([{"id": 0, "name": "NVIDIA H100 80GB HBM3"}])") ==
        R"([{"id":0,"name":"NVIDIA H100 80GB HBM3"}])");
  const std::string job = scrub.edit("distributedInfo", R"({"backend":"nccl","rank":3,"nccl_version":"2.20.5",
      "pg_config":[{"pg_desc":"acme_mesh","host":"bob"}]})");
  CHECK(says(job, R"({"backend":"nccl","rank":3,"nccl_version":"2.20.5","pg_config":[{"pg_desc":"text-)"));
  for (const char* gone : {"bob", "acme"}) CHECK(!says(job, gone));
}
