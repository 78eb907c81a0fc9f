#include "model/help/glossary.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

constexpr std::array kGlossary = {
    GlossaryEntry{"activity", "A kernel, a copy or a memset: what a GPU does. The CPU starts it with a launch."},
    GlossaryEntry{
        "annotation",
        "A name that the program gives to a stretch of time with record_function or NVTX. It is no work itself."},
    GlossaryEntry{
        "arithmetic intensity",
        "Floating-point operations for each byte that is moved from or to memory. A kernel with less than the "
        "GPU's own ratio of the two waits for memory."},
    GlossaryEntry{
        "compute-bound",
        "The GPU is busy nearly all the time with computation. Faster kernels, smaller types or less work help; "
        "a faster CPU does not."},
    GlossaryEntry{
        "confidence",
        "How sure a verdict is: how much of the idle time has a known cause, how many launches have their work in the "
        "file, and how many steps were measured."},
    GlossaryEntry{"critical path",
                  "The chain of work that the end had to wait for. Only changes to it can make the run shorter."},
    GlossaryEntry{
        "dead window",
        "The time from the start of an annotation to the first operator in it. In a first step it is often lazy "
        "loading and warm-up."},
    GlossaryEntry{"dormant", "Of a program: it runs with Lacuna loaded, and records nothing until it is woken."},
    GlossaryEntry{"flow", "An arrow from one slice to another that belongs to it, such as forward to backward."},
    GlossaryEntry{
        "gap",
        "A stretch in which a stream of the GPU, or all of the GPU, has nothing to do. Its cause is what kept the "
        "next work from starting."},
    GlossaryEntry{"instant", "An event without a duration, such as an allocation."},
    GlossaryEntry{"kernel", "A function that runs on the GPU, on many threads at once."},
    GlossaryEntry{
        "kernel spacing",
        "The microseconds that a GPU needs from one kernel to the next although both were launched in time. Many "
        "short kernels make this overhead large; CUDA graphs reduce it."},
    GlossaryEntry{"lane", "One row of a track. Slices that lie within others are drawn one row below them."},
    GlossaryEntry{
        "launch",
        "The call by which the CPU asks the GPU for work, such as cudaLaunchKernel. The work starts later, when "
        "the stream is free."},
    GlossaryEntry{
        "launch-bound",
        "The GPU waits because the CPU does not launch work fast enough. Fewer and larger kernels, CUDA graphs or "
        "torch.compile help."},
    GlossaryEntry{"module",
                  "A torch.nn.Module of the model, as the profiler records it with with_modules or with_stack."},
    GlossaryEntry{"occupancy",
                  "How many warps a multiprocessor holds, as part of the most that it can. Low occupancy can be right: "
                  "kernels on tensor cores need registers more than warps."},
    GlossaryEntry{"operator",
                  "A function of PyTorch such as aten::mm, which prepares and launches kernels on the CPU."},
    GlossaryEntry{
        "overhead-bound",
        "The CPU's work around the kernels takes longer than the kernels. Launch-bound is its most common kind."},
    GlossaryEntry{
        "queue",
        "Work that was launched and has not started, because its stream is still busy. A full queue is good: the "
        "GPU has something to go on with."},
    GlossaryEntry{"rank", "One process of a distributed program, mostly with one GPU."},
    GlossaryEntry{
        "replay",
        "The trace computed once more with one change, such as a wait that is gone; all else takes as long as it did. "
        "The gain of an advice is what the replay saves."},
    GlossaryEntry{
        "roofline",
        "A plot of operations a second over operations for each byte. The roof is what a GPU can reach: at the left "
        "its memory limits the speed, at the right its arithmetic units."},
    GlossaryEntry{"self", "The time of a slice without the slices inside it: what it did itself."},
    GlossaryEntry{
        "slack",
        "How much longer something could take without the end coming later. Work on the critical path has none."},
    GlossaryEntry{"slice", "Something that ran from one moment to another: a kernel, an operator, a function."},
    GlossaryEntry{
        "step",
        "One pass of the training loop, as the profiler marks it: ProfilerStep#12. Of an inference server, one call of "
        "its engine, which reads prompts (prefill), writes tokens (decode), or both (mixed)."},
    GlossaryEntry{"straggler", "A rank that enters a collective late, so that all others wait for it."},
    GlossaryEntry{
        "stream",
        "A queue of the GPU whose work runs one after the other. Work of several streams can run at the same time."},
    GlossaryEntry{"synchronisation",
                  "The CPU waits until the GPU has finished, as in .item() or cudaDeviceSynchronize. It cannot launch "
                  "anything meanwhile, so the GPU runs dry."},
    GlossaryEntry{"total", "The time of a slice from start to end, with all that is inside it."},
    GlossaryEntry{"track",
                  "All slices of one thread or one stream, one below the other where they lie within each other."},
};

}  // namespace

std::span<const GlossaryEntry> glossary() {
  return kGlossary;
}

const GlossaryEntry* find_in_glossary(std::string_view word) {
  const auto found =
      std::ranges::find_if(kGlossary, [&](const GlossaryEntry& e) { return to_lower(e.word) == to_lower(word); });
  return found == kGlossary.end() ? nullptr : &*found;
}

}  // namespace lacuna
