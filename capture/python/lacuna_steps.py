"""Training steps of this process for Lacuna: one series, whatever the program uses.

prof.step() of torch.profiler counts while a profiler runs that was stepped; else the steps of one optimizer. Where
torch.profiler makes ProfilerStep ranges of its own, the viewer takes those and leaves ours out.
"""
import functools
import weakref

_MOST_OTHERS = 3  # steps of another optimizer without one of ours: the program has gone on to that one


class Steps:
    def __init__(self, emit):
        self._emit_number = emit
        self._count = 0
        self._optimizer = None      # weak reference to the one whose steps count
        self._others = 0
        self._by_profiler = False   # prof.step() counts now
        self._since_start = 0       # steps of an optimizer since the profiler started

    def _emit(self):
        self._emit_number(self._count)
        self._count += 1

    def optimizer_stepped(self, optimizer, args=None, kwargs=None):
        if self._by_profiler:
            return
        current = self._optimizer() if self._optimizer is not None else None
        if current is not optimizer:
            self._others += 1
            if current is not None and self._others < _MOST_OTHERS:
                return
            self._optimizer = weakref.ref(optimizer)
        self._others = 0
        self._since_start += 1
        self._emit()

    def profiler_started(self):
        self._by_profiler = False
        self._since_start = 0

    def profiler_stepped(self):
        # The optimizer's step just before the first prof.step() was the end of the same one.
        is_told = not self._by_profiler and self._since_start > 0
        self._by_profiler = True
        if not is_told:
            self._emit()

    def profiler_stopped(self):
        self._by_profiler = False


def _after(method, then):
    @functools.wraps(method)
    def wrapped(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        finally:
            then()

    return wrapped


def watch(torch, emit):
    """Calls emit(number) at the end of each step. Returns what must live as long as the process."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    steps = Steps(emit)
    handle = register_optimizer_step_post_hook(steps.optimizer_stepped)
    profile = torch.profiler.profile
    profile.start = _after(profile.start, steps.profiler_started)
    profile.step = _after(profile.step, steps.profiler_stepped)
    profile.stop = _after(profile.stop, steps.profiler_stopped)
    return steps, handle
