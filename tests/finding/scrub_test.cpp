#include "app/finding/scrub.h"

#include <string>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("names of PyTorch and its libraries stay; those of users become hashes, the same ones everywhere") {
  Scrubber scrub;
  for (const char* name :
       {"aten::mm", "ProfilerStep#3", "cudaLaunchKernel", "nccl:all_reduce", "MulBackward0",
        "autograd::engine::evaluate_function: AddmmBackward0", "Optimizer.step#AdamW.step",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "Torch-Compiled Region: 0/1", "detach"}) {
    CHECK(scrub.name("cpu_op", name) == name);
  }
  for (const char* name :
       {"acme::secret_op", "Secret", "Optimizer.step#AcmeOpt.step", "SecretFnBackward", "aten::mm; acme",
        "nccl:x /home/bob", "cudaSecret plan", "evaluate acme::x", "Torch-Compiled Region: acme"}) {
    INFO(name);
    const std::string is = scrub.name("user_annotation", name);
    CHECK(is.starts_with("name-"));
    CHECK(scrub.name("cpu_op", name) == is);
  }
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

TEST_CASE("Python frames keep the files of libraries, and the line of others") {
  Scrubber scrub;
  CHECK(scrub.name("python_function", "/opt/x/site-packages/torch/nn/modules/linear.py(114): forward") ==
        "torch/nn/modules/linear.py(114): forward");
  const std::string own = scrub.name("python_function", "/home/bob/acme/train.py(33): step_secret");
  CHECK(own.starts_with("path-"));
  CHECK(says(own, "(33): name-"));
  CHECK(scrub.name("python_function", "nn.Module: Linear_3") == "nn.Module: Linear_3");
  CHECK(says(scrub.name("python_function", "nn.Module: AcmeHead_3"), "nn.Module: module-"));
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
