// What slices are that PyTorch, its compiler, its profiler and the libraries write by themselves.

#include <array>
#include <string>

#include "model/notes/note_parts.h"
#include "model/trace/engine_steps.h"

namespace lacuna {
namespace {

struct KnownSlice {
  std::string_view part;  ///< of the name
  bool is_begin = true;   ///< the name begins with it
  std::string_view text;
};

// The first that fits counts.
constexpr std::array kKnown = {
    KnownSlice{
        "Torch-Compiled Region", true,
        "One call of code that torch.compile has compiled. The first number is the frame of the program, the second "
        "counts its compilations from 0."},
    KnownSlice{
        "TorchDynamo Cache Lookup", true,
        "torch.compile looks for compiled code whose guards hold for this call: what was assumed of shapes, types "
        "and globals. Each call pays for it, on the CPU."},
    KnownSlice{"Pregraph bytecode", true,
               "The Python bytecode that TorchDynamo runs before it calls the compiled graph: it collects the graph's "
               "inputs. Each call pays for it, on the CPU."},
    KnownSlice{"AOTDispatcher Runtime Wrapper Prologue", true,
               "AOTAutograd prepares the inputs of the compiled graph: it unwraps and checks them. Each call pays for "
               "it, on the CPU."},
    KnownSlice{"## inductor_kernel:", true,
               "One launch of a kernel that Inductor generated: its name, and the debug handle by which PyTorch's "
               "kernel_information.json and tlparse's provenance lead to the lines of the model that it stands for."},
    KnownSlice{"HostNode", true,
               "A function of the program that a CUDA graph runs on the CPU as one of its nodes. The stream waits for "
               "its end: the nodes after it in the graph do not begin earlier."},
    KnownSlice{"CompiledFxGraph", false,
               "One call of a graph that Inductor compiled; the letters are its key in Inductor's cache. What it "
               "launches are kernels that Inductor fused (triton_\xE2\x80\xA6), and library calls for matrix products, "
               "convolutions and attention."},
    KnownSlice{
        "CompiledFunctionBackward", false,
        "The backward pass of code that torch.compile has compiled: AOTAutograd traced it with the forward pass, "
        "and autograd runs it on its own thread."},
    KnownSlice{"CompiledFunction", true, "The forward pass of code that torch.compile has compiled for training."},
    KnownSlice{"cudaOccupancy", true,
               "A library asks how many blocks of a kernel fit on one multiprocessor, to choose how to launch it. The "
               "call runs on the CPU alone: it starts nothing and waits for nothing, and is part of what the launch "
               "behind it costs."},
    KnownSlice{
        "hipOccupancy", true,
        "A library asks how many blocks of a kernel fit on one compute unit, to choose how to launch it. The call "
        "runs on the CPU alone: it starts nothing and waits for nothing."},
    KnownSlice{
        "cudaStreamIsCapturing", true,
        "PyTorch asks whether a CUDA graph is being captured, before it allocates or synchronises. It runs on the "
        "CPU alone."},
    KnownSlice{"cudaFuncSetAttribute", true,
               "A library allows a kernel more shared memory than 48 kB, or sets how the cache is split, before it "
               "launches it. It runs on the CPU alone; the first call of a kernel may load its code."},
    KnownSlice{
        "cudaFuncGetAttributes", true,
        "A library asks what a kernel needs (registers, shared memory). It runs on the CPU alone; the first call "
        "of a kernel may load its code."},
    KnownSlice{
        "Activity Buffer Request", false,
        "The profiler takes memory for its next records, while the program waits. Without the profiler this time "
        "is not there."},
    KnownSlice{"Buffer Flush", false,
               "The profiler hands its records over, while the program may wait. Without the profiler this time is not "
               "there."},
    KnownSlice{"Lazy Function Loading", false,
               "The driver loads a kernel's code as it is launched for the first time. It happens once for each kernel "
               "of a process."},
    KnownSlice{"Runtime Triggered Module Loading", false,
               "The driver loads a library's kernels as the first of them is used. It happens once in a process."},
    KnownSlice{"ProfilerStep#", true, "One step: what the program did between two calls of prof.step()."},
    KnownSlice{
        "autograd::engine::evaluate_function", true,
        "Autograd runs one node of the backward pass, on a thread of its own. The forward operator that it belongs "
        "to has the same sequence number."},
    KnownSlice{"Optimizer.step", true, "The optimizer changes the parameters, from their gradients."},
    KnownSlice{"Optimizer.zero_grad", true, "The gradients of the step before are dropped or set to 0."},
    KnownSlice{
        "aten::item", true,
        "The program takes one number from a tensor. Where that lies on the GPU, the CPU waits until all that was "
        "launched before has run."},
    KnownSlice{
        "aten::_local_scalar_dense", true,
        "One number is copied from a tensor. Where that lies on the GPU, the CPU waits until all that was launched "
        "before has run."},
};

/// "32 requests, 32 new tokens"
std::string requests_of(const EngineStep& step, const ReportFormat& format) {
  std::string text =
      format.count(static_cast<std::uint64_t>(step.batch_size)) + (step.batch_size == 1 ? " request" : " requests");
  if (step.tokens > 0)
    text += ", " + format.count(static_cast<std::uint64_t>(step.tokens)) + (step.tokens == 1 ? " token" : " tokens");
  return text;
}

std::string engine_step_text(const EngineStep& step, const ReportFormat& format) {
  if (!step.phase) return "One step of an inference server: " + requests_of(step, format) + ".";
  switch (*step.phase) {
    case StepPhase::kPrefill:
      return "One step of an inference server: it reads prompts (prefill). " + requests_of(step, format) + ".";
    case StepPhase::kDecode:
      return "One step of an inference server: it writes tokens (decode). " + requests_of(step, format) + ".";
    case StepPhase::kMixed:
      return "One step of an inference server: it reads prompts of some requests and writes tokens of others. " +
             requests_of(step, format) + ".";
    case StepPhase::kIdle:
      break;
  }
  return "One step of an inference server that has no requests.";
}

}  // namespace

void note_known_name(const NoteFacts& facts) {
  if (is_gpu_activity(facts.category()) || facts.category() == CategoryClass::kPythonFunction) return;
  const std::string_view name = facts.name();
  if (const auto step = parse_engine_step(name)) return facts.add("name", engine_step_text(*step, facts.format));
  for (const KnownSlice& known : kKnown) {
    if (known.is_begin ? !name.starts_with(known.part) : name.find(known.part) == name.npos) continue;
    return facts.add("name", std::string(known.text));
  }
}

}  // namespace lacuna
