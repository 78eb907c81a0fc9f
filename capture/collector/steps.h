#pragma once

namespace lacuna::collector {

struct ThreadState;

/// If the session has a schedule of steps (LACUNA_STEPS) and counts the steps of this process (SegmentHeader),
/// PyTorch's operator hooks are switched off between the recorded rounds of steps, so that the other steps cost
/// nothing. They stay on for one step before and after each round, as the ranks of a job are not in the same step at
/// the same time. The session decides which steps are kept: this only omits events that it would drop.

/// Called when the program ends a step on this thread (lacuna_step).
void step_ended(const ThreadState& thread);
/// Called when a ProfilerStep# range of torch.profiler begins or ends on this thread: such ranges define the steps.
void profiler_step(ThreadState& thread, bool begins);
/// Sets the function that switches operator hooks off and on; the operator library calls this once.
void use_operator_switch(void (*set)(int));
/// Resets the state in a forked child: hooks are on, and no step has ended.
void forget_steps();

}  // namespace lacuna::collector
