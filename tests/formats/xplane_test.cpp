#include "model/formats/formats.h"
#include "tests/formats/format_support.h"
#include "tests/formats/plane_maker.h"

namespace lacuna::test {
namespace {

std::string jax_on_a_gpu() {
  PlaneMaker gpu("/device:GPU:0", 1);
  const auto gemm = gpu.event_name("gemm_fusion_dot_1", {}, {{"tf_op", std::string("&jit(step)/dot_general")}});
  const auto copy = gpu.event_name("MemcpyD2H"), module = gpu.event_name("jit_step(12)");
  const auto summed = gpu.event_name("summed");
  gpu.line(13, "Stream #13(Compute)", 1000);
  gpu.event(gemm, 0, 400'000,
            {{"correlation_id", std::int64_t{100}},
             {"hlo_op", std::string("&dot.1")},
             {"hlo_module", std::string("jit_step")},
             {"kernel_details", std::string("regs:32 static_shared:16 dynamic_shared:64 grid:4,2,1 block:128,1,1")},
             {"occ", 0.5},
             {"stream", std::int64_t{99}}});
  gpu.event(gemm, 1'000'999, 500'001, {{"correlation_id", std::int64_t{101}}});
  gpu.line(14, "Stream #14(MemcpyD2H)", 2000);
  gpu.event(copy, 600'000, 100'000,
            {{"memcpy_details", std::string("kind_src:device kind_dst:host size:400 async:1")}});
  gpu.line(77, "XLA Modules", 1000);
  gpu.event(module, 0, 1'600'000);
  gpu.line(78, "XLA Ops", 1000);
  gpu.event(gemm, 0, 400'000);
  gpu.sum(summed, 3);

  PlaneMaker host("/host:CPU");
  const auto launch = host.event_name("cuLaunchKernel"), call = host.event_name("PjitFunction(step)");
  const auto python = host.event_name("$train.py:3 main"), step = host.event_name("train");
  host.line(5, "python", 500);
  host.event(python, 0, 3'000'000);
  host.event(step, 100'000, 2'000'000, {{"step_num", std::int64_t{7}}});
  host.event(call, 200'000, 1'800'000);
  host.event(launch, 400'000, 50'000, {{"correlation_id", std::int64_t{100}}, {"device_id", std::int64_t{0}}});
  host.event(launch, 1'400'000, 50'000, {{"correlation_id", std::int64_t{101}}, {"device_id", std::int64_t{0}}});
  return space_of({gpu.bytes(), host.bytes(), PlaneMaker("Task Environment").bytes()});
}

TEST_CASE("XProf: streams, launches, annotations and threads of JAX on a GPU") {
  const TemporaryFolder folder;
  const auto trace = import_path(folder.write("host.xplane.pb", jax_on_a_gpu()));
  REQUIRE(trace.has_value());
  CHECK(trace->sources()[0].format == "XProf");
  CHECK(describe_trace(*trace) ==
        "/host:CPU/python: python_function $train.py:3 main 500+3000 {}\n"
        "/host:CPU/python: user_annotation train 600+2000 {step_num=7}\n"
        "/host:CPU/python: cpu_op PjitFunction(step) 700+1800 {}\n"
        "/host:CPU/python: cuda_driver cuLaunchKernel 900+50 {correlation=100 device_id=0}\n"
        "GPU 0/Stream #13(Compute): kernel gemm_fusion_dot_1 1000+400 {device=0 stream=13 correlation=100 hlo_op=dot.1 "
        "hlo_module=jit_step kernel_details=regs:32 static_shared:16 dynamic_shared:64 grid:4,2,1 block:128,1,1 "
        "grid=[4,2,1] block=[128,1,1] registers per thread=32 shared memory=80 occ=0.5 stat stream=99 "
        "tf_op=jit(step)/dot_general}\n"
        "GPU 0/XLA Modules annotations: gpu_user_annotation jit_step(12) 1000+1600 {device=0 stream=77}\n"
        "GPU 0/XLA Ops annotations: gpu_user_annotation gemm_fusion_dot_1 1000+400 {device=0 stream=78 "
        "tf_op=jit(step)/dot_general}\n"
        "/host:CPU/python: cuda_driver cuLaunchKernel 1900+50 {correlation=101 device_id=0}\n"
        "GPU 0/Stream #13(Compute): kernel gemm_fusion_dot_1 2000+501 {device=0 stream=13 correlation=101 "
        "tf_op=jit(step)/dot_general}\n"
        "GPU 0/Stream #14(MemcpyD2H): gpu_memcpy Memcpy DtoH 2600+100 {device=0 stream=14 "
        "memcpy_details=kind_src:device kind_dst:host size:400 async:1 bytes=400}\n");
  const auto streams = analyze_streams(*trace);
  REQUIRE(streams.size() == 2);
  CHECK(trace->links().launches().size() == 2);
  CHECK(describe_gaps(*trace, streams[0]) == "1400+600 launch-bound");
  const ImportReport& report = trace->sources()[0].report;
  CHECK(report.count(Finding::kSubNanosecondRounded) == 1);
  CHECK(report.count(Finding::kTimestampInvalid) == 1);  // the sum over several
  CHECK(report.count(Finding::kUnterminated) == 0);
}

TEST_CASE("XProf: a TPU's operators are its work, times since 1970 are that, and each plane is a process") {
  constexpr std::int64_t kNow = 1'760'000'000'123'456'789;
  PlaneMaker tpu("/device:TPU:0"), other("/device:TPU:0 SparseCore 0"), cpu("/device:CPU:0");
  for (PlaneMaker* plane : {&tpu, &other, &cpu}) {
    const auto fusion = plane->event_name("%fusion.1 = f32[8] fusion(...)", "fusion.1");
    plane->line(1, "Steps", kNow);
    plane->event(fusion, 0, 9'000);
    plane->line(2, "XLA Ops", kNow);
    plane->event(fusion, 1'000, 2'000);
    plane->event(fusion, 5'000, 2'000);
  }
  const TemporaryFolder folder;
  const auto trace = import_path(folder.write("host.xplane.pb", space_of({tpu.bytes(), other.bytes(), cpu.bytes()})));
  REQUIRE(trace.has_value());
  CHECK(trace->sources()[0].has_base_time);
  std::string found;
  for (const StreamActivity& stream : analyze_streams(*trace))
    found += fmt::format("{}/{} {} busy {}, ", trace->text(trace->process(trace->track(stream.track).process).name),
                         trace->text(trace->track(stream.track).name), stream.events, stream.busy);
  CHECK(found == "TPU 0/XLA Ops 2 busy 4, TPU 0 SparseCore 0/XLA Ops 2 busy 4, ");
  const std::string text = describe_trace(*trace);
  CHECK(text.find(fmt::format("TPU 0/XLA Ops: kernel fusion.1 {}+2", kNow + 1)) != std::string::npos);
  CHECK(text.find("long_name=%fusion.1 = f32[8] fusion(...)") != std::string::npos);
  CHECK(text.find("/device:CPU:0/XLA Ops: cpu_op fusion.1") != std::string::npos);
}

TEST_CASE("XProf is told by its first plane's name, and a file without events is none") {
  const auto title_of = [](std::string text) {
    return std::string(recognise_format({.bytes = make_memory_bytes(std::move(text))}).title);
  };
  CHECK(title_of(jax_on_a_gpu()) == "XProf");
  CHECK(title_of(space_of({PlaneMaker("Task Environment").bytes()})) == "XProf");
  CHECK(title_of(space_of({PlaneMaker("anything").bytes()})) != "XProf");
  CHECK(title_of(std::string("\x0a\x08\x12\x06\x0a\x04\x08\x01\x10\x01", 10)) !=
        "XProf");  // a process tree of Perfetto
  CHECK(title_of("\x0a") != "XProf");
  const TemporaryFolder folder;
  const auto trace = import_path(folder.write("a.xplane.pb", space_of({PlaneMaker("Task Environment").bytes()})));
  REQUIRE(!trace);
  CHECK(trace.error().cause.find("without events") != std::string::npos);
}

TEST_CASE("XProf cut off or damaged ends with words or with what could be read") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.xplane.pb", whole = jax_on_a_gpu();
  check_damage(path, whole, 1);
  // Cut off inside a plane, what is left of it is shown and the loss told.
  const auto cut = import_path(folder.write("cut.xplane.pb", whole.substr(0, whole.size() / 4)));
  REQUIRE(cut.has_value());
  CHECK(cut->sources()[0].report.total(Severity::kDataLoss) > 0);
  // A plane that claims more than there is takes no memory for it.
  const auto huge = import_path(folder.write("huge.xplane.pb", "\x0a\xff\xff\xff\xff\xff\xff\x3f\x12\x09/host:CPU"));
  CHECK(!huge.has_value());
}

}  // namespace
}  // namespace lacuna::test
