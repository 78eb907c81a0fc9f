#include "tests/support/perfetto_maker.h"

namespace lacuna::perfetto {
namespace {

constexpr std::int64_t kBase = 1'790'000'000'000'000'000;

Message render_stage(std::int64_t id, std::int64_t duration, std::int64_t kernel, std::int64_t correlation) {
  const auto extra = [](std::string_view key, std::int64_t value) {
    return Message().text(1, key).text(2, std::to_string(value));
  };
  Message stage;
  stage.number(1, id).number(2, duration).number(11, 0).number(13, 8).number(14, 1).number(5, 1);
  stage.number(19, kernel).number(20, 3);
  stage.message(21, Message()
                        .message(1, Message().number(1, 4).number(2, 2).number(3, 1))
                        .message(2, Message().number(1, 128).number(2, 1).number(3, 1))
                        .message(3, Message().number(1, 1).number(3, 32)));
  stage.message(6, extra("stream id", 7)).message(6, extra("correlation", correlation));
  return stage;
}

}  // namespace

std::string pytorch_trace() {
  TraceText trace;
  trace.add(packet(kBase).message(kClockSnapshot, Message()
                                                      .message(1, Message().number(1, 6).number(2, kBase))
                                                      .message(1, Message().number(1, 1).number(2, kBase))));
  trace.track(Message().number(1, 1).message(3, Message().number(1, 42).text(6, "python")));
  trace.track(Message().number(1, 2).number(5, 1).message(4, Message().number(1, 42).number(2, 7).text(5, "main")));
  trace.track(Message().number(1, 3).message(4, Message().number(1, 0).number(2, 7).text(5, "stream 7")));
  Message interned;
  interned.message(kInternedEventName, interned_name(1, "aten::mm"))
      .message(kInternedEventName, interned_name(2, "cudaLaunchKernel"))
      .message(kInternedEventName, interned_name(3, "sgemm"))
      .message(kInternedCategory, interned_name(1, "cpu_op"))
      .message(kInternedCategory, interned_name(2, "cuda_runtime"))
      .message(kInternedGpuSpecification, interned_name(1, "Kernel").number(4, 2))
      .message(kInternedGpuSpecification, interned_name(8, "[7] stream 7"))
      .message(kInternedGraphicsContext, Message().number(1, 1).number(2, 42).number(3, 4))
      .message(kInternedComputeKernel, interned_name(1, "sgemm"))
      .message(kInternedComputeArgument, interned_name(1, "registers_per_thread"));
  trace.add(packet(kBase).number(kSequenceFlags, 1).message(kInternedData, interned));
  const auto call = [](std::int64_t name, std::int64_t category) {
    return Message()
        .number(kEventType, kSliceBegin)
        .number(kEventTrack, 2)
        .number(kEventNameId, name)
        .number(kCategoryIds, category);
  };
  const auto add = [&](std::int64_t time, const Message& event) {
    trace.add(packet(kBase + time).number(kSequenceFlags, 2).message(kTrackEvent, event));
  };
  const Message dims =
      Message()
          .text(10, "Input Dims")
          .message(12, Message().message(12, Message().number(4, 8)).message(12, Message().number(4, 16)))
          .message(12, Message().message(12, Message().number(4, 16)));
  // Operators from 1 to 3 and from 3 to 6 us, the second right behind the first.
  add(1000, call(1, 1).message(kDebugAnnotations, annotation("External id", 11)).message(kDebugAnnotations, dims));
  add(3000, call(1, 1).message(kDebugAnnotations, annotation("External id", 12)));
  add(3000, end(2));
  add(6000, end(2));
  const auto launch = [&](std::int64_t correlation, std::int64_t stage) {
    return call(2, 2)
        .message(kDebugAnnotations, annotation("correlation", correlation))
        .message(kGpuCorrelation, Message().number(1, stage));
  };
  add(2000, launch(501, 1));
  add(5000, launch(502, 2));
  add(2500, end(2));
  add(5500, end(2));
  add(5123, Message()
                .number(kEventType, kSliceBegin)
                .number(kEventTrack, 3)
                .text(kEventName, "Stream Sync")
                .message(kDebugAnnotations, annotation("stream", 7))
                .message(kDebugAnnotations, annotation("device", 0))
                .message(kDebugAnnotations, annotation("cuda_sync_kind", "Stream Sync")));
  add(5200, end(3));
  trace.add(
      packet(kBase + 3000).number(kSequenceFlags, 2).message(kGpuRenderStageEvent, render_stage(1, 1000, 1, 501)));
  trace.add(
      packet(kBase + 6000).number(kSequenceFlags, 2).message(kGpuRenderStageEvent, render_stage(2, 1000, 1, 502)));
  return trace.text();
}

std::string rocprof_trace() {
  TraceText trace;
  trace.track(Message().number(1, 1).message(3, Message().number(1, 42).text(6, "app")));
  trace.track(Message().number(1, 2).number(5, 1).text(2, "THREAD 1 (7)"));
  trace.track(Message().number(1, 3).number(5, 1).text(2, "COMPUTE AGENT [4] QUEUE [1] GPU"));
  trace.track(Message().number(1, 4).number(5, 1).text(2, "COPY to AGENT [4] STREAM [0] (GPU)"));
  const auto tied = [](Message event, std::int64_t correlation) {
    return event.fixed(kFlowIds, static_cast<std::uint64_t>(1000 + correlation))
        .message(kDebugAnnotations, annotation("corr_id", correlation));
  };
  trace.event(1000, tied(begin(2, "hipLaunchKernel", "hip_api"), 5)).event(1500, end(2));
  trace.event(1600, tied(begin(2, "hipMemcpyAsync", "hip_api"), 6)).event(1800, end(2));
  trace.event(3000, tied(begin(3, "gemm", "kernel_dispatch"), 5)).event(4000, end(3));
  trace
      .event(5000, tied(begin(4, "MEMORY_COPY_HOST_TO_DEVICE", "memory_copy"), 6)
                       .message(kDebugAnnotations, annotation("copy_bytes", 4096)))
      .event(5500, end(4));
  return trace.text();
}

}  // namespace lacuna::perfetto
