#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "model/trace/string_pool.h"

namespace lacuna {

/// Names known to the rules. The source of each list is given in known_names.cpp.

/// Whether it is a runtime or driver call that returns only after the GPU has done something
/// (cudaStreamSynchronize, plain cudaMemcpy, cudaFree). Asynchronous copies are judged by their
/// times, not by their name.
bool is_synchronising_call(std::string_view name);
/// Whether the call starts a copy: it may block although its name says Async (pageable memory).
bool is_copy_call(std::string_view name);
/// Whether the call allocates or frees memory through the driver (cudaMalloc, cuMemCreate, hipFree).
bool is_allocating_call(std::string_view name);
/// Whether the call, operator or frame loads, compiles or tunes code (cuModuleLoad, Dynamo, Inductor, Triton, cuDNN's
/// search).
bool is_first_use(std::string_view name);
/// Whether the call makes a stream call a function on the CPU.
bool is_host_callback(std::string_view name);
/// Whether the call starts a kernel, a copy, a set or a graph.
bool is_launching_call(std::string_view name);
/// Whether the call starts a whole graph (cudaGraphLaunch, hipGraphLaunch, urEnqueueCommandBufferExp).
bool is_graph_launch(std::string_view name);
/// Whether it is a GPU copy from host memory.
bool is_host_to_device(std::string_view name);
/// Whether it is a GPU copy within one GPU.
bool is_on_device(std::string_view name);
/// Whether kernel_class() (model/kernels) says that the kernel moves data between GPUs.
bool is_communication_kernel(std::string_view name);
/// Whether the host waits for other processes inside such a CPU slice.
bool is_host_communication(std::string_view name);
/// Whether the program waits for its next batch inside such a slice, of any category.
bool is_data_loading(std::string_view name);
/// Whether it is a Python frame of the profiler itself.
bool is_profiler_frame(std::string_view name);
/// Whether the profiler causes this overhead event; false for overhead that CUDA itself causes
/// (lazy loading of a kernel's code would happen without a profiler, too).
bool is_profiler_overhead(std::string_view overhead_event);
/// Whether CUDA loads or compiles code in this overhead event.
bool is_code_loading_overhead(std::string_view overhead_event);
/// Whether it is a name like "ProfilerStep#12".
bool is_profiler_step(std::string_view name);
/// Whether it is a record_function of PyTorch's own that files of 2021 write with the category of operators.
bool is_annotation_name(std::string_view name);
/// Whether it is a frame of C code ("<built-in method …>"): named after an object's address, so useless for
/// grouping.
bool is_builtin_frame(std::string_view name);

/// Caches the result of one of the functions above per StringId: names repeat, and it is needed
/// for every slice. Not thread-safe.
template <class Asked>
class BasicNameMemo {
 public:
  using Question = Asked;
  BasicNameMemo(const StringPool& strings, Question question)
      : strings_(&strings), question_(std::move(question)), answers_(strings.size(), kUnasked) {}
  /// Continues with a pool that begins with all strings of the previous one.
  void follow(const StringPool& strings) {
    strings_ = &strings;
    answers_.resize(strings.size(), kUnasked);
  }

  bool operator()(StringId id) {
    if (id.value >= answers_.size()) return question_(strings_->get(id));
    std::uint8_t& answer = answers_[id.value];
    if (answer == kUnasked) answer = question_(strings_->get(id)) ? 1 : 0;
    return answer == 1;
  }

 private:
  static constexpr std::uint8_t kUnasked = 2;
  const StringPool* strings_;
  Question question_;
  std::vector<std::uint8_t> answers_;
};
using NameMemo = BasicNameMemo<bool (*)(std::string_view)>;

}  // namespace lacuna
