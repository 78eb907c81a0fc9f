#pragma once

namespace lacuna::collector {

/// A training step ended in this process. Where the session has a schedule (LACUNA_STEPS) that leaves out what comes
/// now, PyTorch's operators are switched off until the next step that is kept or warms up, so that the steps between
/// cost nothing. The first step always runs with operators on: a program without steps loses none. One thread at a
/// time, in order of the steps.
void step_ended();
/// How operators are switched off and on: the operator library says it once.
void use_operator_switch(void (*set)(int));

}  // namespace lacuna::collector
