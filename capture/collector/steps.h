#pragma once

namespace lacuna::collector {

struct ThreadState;

/// Where the session has a schedule of steps (LACUNA_STEPS) and counts the steps of this process (SegmentHeader),
/// PyTorch's operators are switched off between the rounds of steps that are kept, so that the steps between cost
/// nothing. One step before a round and one behind it still have them: the ranks of a job are not at the same step at
/// the same time. Which steps are kept is the session's to say: this only leaves out what it would leave out.

/// The program says that a step ended on this thread (lacuna_step).
void step_ended(const ThreadState& thread);
/// A ProfilerStep# range of torch.profiler begins or ends on this thread: where there are such, they are the steps.
void profiler_step(ThreadState& thread, bool begins);
/// How operators are switched off and on: the operator library says it once.
void use_operator_switch(void (*set)(int));
/// Starts afresh in a forked child: operators are on, and no step has ended.
void forget_steps();

}  // namespace lacuna::collector
