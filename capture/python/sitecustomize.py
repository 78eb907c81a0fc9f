"""Lacuna's hook in a captured Python process, found through PYTHONPATH.

Runs the sitecustomize that would have been found without us, then waits for torch or nvtx to be imported;
when that never happens it does nothing. Python's -S, -I and -E switch it off. Never raises.
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


# What to do right after a module was imported: the function of ours, by its module and name.
_AFTER = {
    "torch": ("lacuna_torch", "capture"),
    "torch.distributed.distributed_c10d": ("lacuna_names", "tell_ranks"),
    "torch.utils.data._utils.worker": ("lacuna_names", "name_workers"),
    "nvtx": ("lacuna_names", "name_threads"),
}


def _wait_for_imports():
    import importlib.abc

    class Loader(importlib.abc.Loader):
        """Loads a module as it would have been, then does what is to be done."""

        def __init__(self, loader, then):
            self.loader = loader
            self.then = then

        def create_module(self, spec):
            return self.loader.create_module(spec)

        def exec_module(self, module):
            # The module must see its own loader: importlib.resources and pickling ask for it.
            module.__spec__.loader = module.__loader__ = self.loader
            self.loader.exec_module(module)
            try:
                import importlib

                getattr(importlib.import_module(self.then[0]), self.then[1])(module)
            except Exception as error:  # the target must not notice
                if os.environ.get("LACUNA_VERBOSE") == "1":
                    print("lacuna: %s: %r" % (module.__name__, error), file=sys.stderr)

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            then = _AFTER.pop(name, None)
            if then is None:
                return None
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                spec = find(name, path, target) if find is not None and finder is not self else None
                if spec is not None:
                    if spec.loader is not None:
                        spec.loader = Loader(spec.loader, then)
                    return spec
            return None

    sys.meta_path.insert(0, Finder())


try:
    if (os.environ.get("LACUNA_SOCKET") or os.environ.get("LACUNA_DORMANT") == "1") and os.environ.get("LACUNA_COLLECTOR"):
        _wait_for_imports()
except Exception:
    pass
_run_the_other_sitecustomize()
