// The bundled demo workload: a small "training" program that shows what Lacuna is for. Loader threads
// prepare batches; the main thread trains on them in three phases:
//
//   input-bound     batches come too slowly: training waits for the loaders, the GPU idles
//   compute-bound   batches wait in the queue: the GPU is busy, launches run ahead of it
//   synchronising   the loss is read back in every step: the GPU idles between steps
//
// Everything is marked with NVTX ranges. With an NVIDIA GPU the work runs there (gpu.h); without one on
// the CPU. Usage: lacuna-demo [STEPS of each phase, default 20]

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/demo/gpu.h"

namespace {

using Batch = std::vector<float>;
using Milliseconds = std::chrono::milliseconds;

/// An NVTX range for a scope, in the demo's domain where it has a colour.
class Range {
 public:
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

void name_this_thread(const std::string& name) {
  nvtxNameOsThreadA(static_cast<std::uint32_t>(syscall(SYS_gettid)), name.c_str());
}

/// Keeps this core busy, as real work would.
float compute(float seed, Milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  float x = seed;
  while (std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 1000; ++i) x = x * 0.9999f + 0.0001f;
  return x;
}

/// Batches on their way from the loaders to training.
class Queue {
 public:
  void put(Batch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return batches_.size() < kMost || is_closed_; });
    batches_.push_back(std::move(batch));
    changed_.notify_all();
  }
  Batch take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !batches_.empty(); });
    Batch batch = std::move(batches_.front());
    batches_.pop_front();
    changed_.notify_all();
    return batch;
  }
  void close() {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
    batches_.clear();
    changed_.notify_all();
  }
  bool is_closed() {
    const std::scoped_lock lock(mutex_);
    return is_closed_;
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  bool is_closed_ = false;
};

void load_batches(int number, Queue& queue, Milliseconds each) {
  name_this_thread("loader " + std::to_string(number));
  nvtxDomainHandle_t domain = nvtxDomainCreateA("loader");
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xff4c9f70;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, "decode batch");
  event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  for (std::uint64_t i = 0; !queue.is_closed(); ++i) {
    event.payload.ullValue = i;
    nvtxDomainRangePushEx(domain, &event);
    Batch batch(Gpu::kBytes / sizeof(float) / 16, compute(0.5f, each));
    nvtxDomainRangePop(domain);
    queue.put(std::move(batch));
  }
}

float train_step(Gpu& gpu, const Batch& batch, bool reads_loss, int kernels) {
  const Range step("training step");
  {
    const Range copy("copy batch to device");
    gpu.upload(batch.data(), batch.size() * sizeof(float));
  }
  {
    const Range forward("forward");
    for (int i = 0; i < kernels; ++i) gpu.launch(4000);
    if (!gpu.is_there()) compute(batch.front(), Milliseconds(2));
  }
  {
    const Range backward("backward");
    for (int i = 0; i < 2 * kernels; ++i) gpu.launch(4000);
    if (!gpu.is_there()) compute(batch.front(), Milliseconds(4));
  }
  if (!reads_loss) return 0;
  const Range loss("loss.item()");
  return gpu.read_back();
}

struct Phase {
  const char* name;
  int loaders;
  Milliseconds load_time;
  bool reads_loss;
};

void run(Gpu& gpu, const Phase& phase, int steps) {
  const nvtxRangeId_t whole = nvtxRangeStartA(phase.name);
  Queue queue;
  std::vector<std::thread> loaders;
  for (int i = 0; i < phase.loaders; ++i) loaders.emplace_back(load_batches, i, std::ref(queue), phase.load_time);
  for (int i = 0; i < steps; ++i) {
    nvtxRangePushA("wait for batch");
    const Batch batch = queue.take();
    nvtxRangePop();
    train_step(gpu, batch, phase.reads_loss, 8);
  }
  gpu.synchronize();
  queue.close();
  for (std::thread& loader : loaders) loader.join();
  nvtxRangeEnd(whole);
  nvtxMarkA("phase done");
}

}  // namespace

int main(int argc, char** argv) {
  int steps = 20;
  char* end = nullptr;
  if (argc > 1) steps = static_cast<int>(std::min(std::max(std::strtol(argv[1], &end, 10), 0L), 1'000'000L));
  if (argc > 2 || (argc > 1 && (*end != '\0' || steps == 0))) {
    std::fprintf(stderr, "lacuna-demo: '%s' is no number of steps; lacuna-demo [STEPS] (default: 20 of each phase)\n",
                 argv[argc > 2 ? 2 : 1]);
    return 2;
  }
  name_this_thread("training");
  Gpu gpu;
  std::printf("demo: %d steps of each phase, %s\n", steps,
              gpu.is_there() ? "on the GPU" : "on the CPU: no CUDA driver or device");
  const Phase phases[] = {{"input-bound", 1, Milliseconds(15), false},
                          {"compute-bound", 2, Milliseconds(1), false},
                          {"synchronising", 2, Milliseconds(1), true}};
  for (const Phase& phase : phases) run(gpu, phase, steps);
  return 0;
}
