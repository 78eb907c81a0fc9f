"""Lacuna's hook in a captured Python process, found through PYTHONPATH.

Runs the sitecustomize that would have been found without us, then waits for torch to be imported; when
that never happens it does nothing. Python's -S, -I and -E switch it off. Never raises.
"""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_other_sitecustomize():
    import importlib.machinery
    import importlib.util

    elsewhere = [p for p in sys.path if os.path.abspath(p or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)  # its errors are its own: Python reports them as without us


def _wait_for_torch():
    import importlib.abc

    class Loader(importlib.abc.Loader):
        """Loads torch as it would have been, then captures it."""

        def __init__(self, loader):
            self.loader = loader

        def create_module(self, spec):
            return self.loader.create_module(spec)

        def exec_module(self, module):
            # torch must see its own loader: importlib.resources and pickling ask for it.
            module.__spec__.loader = module.__loader__ = self.loader
            self.loader.exec_module(module)
            try:
                import lacuna_torch

                lacuna_torch.capture(module)
            except Exception as error:  # the target must not notice
                if os.environ.get("LACUNA_VERBOSE") == "1":
                    print("lacuna: PyTorch operators are not captured:", repr(error), file=sys.stderr)

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name != "torch":
                return None
            sys.meta_path.remove(self)
            import importlib.util

            spec = importlib.util.find_spec(name)
            if spec is not None and spec.loader is not None:
                spec.loader = Loader(spec.loader)
            return spec

    sys.meta_path.insert(0, Finder())


try:
    if os.environ.get("LACUNA_SOCKET") and os.environ.get("LACUNA_COLLECTOR"):
        _wait_for_torch()
except Exception:
    pass
_run_the_other_sitecustomize()
