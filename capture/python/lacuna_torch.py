"""Captures PyTorch in this process: operators, training steps, and torch.profiler taking the GPU.

Operators come from a small library that registers a RecordFunction callback (torch_operators.cpp). It is
tied to the C++ interface of one torch version, so it is built against the torch that runs here, once,
into the user's cache. Without a compiler a CUDA build of torch still names its operators through
emit_nvtx, on threads where that is entered; else the operators are missing, which is said.
"""
import atexit
import ctypes
import functools
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile

import lacuna_names

_HERE = os.path.dirname(os.path.abspath(__file__))
_SOURCE = os.path.join(_HERE, "torch_operators.cpp")
_kept = []  # what must live as long as the process


class _Unavailable(Exception):
    """Why there is no operator library, for people."""


def _cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "lacuna")


def _is_own(path, is_kind):
    """Of this user, and nobody else can write it: what others put there is not loaded."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return is_kind(found.st_mode) and found.st_uid == os.geteuid() and found.st_mode & 0o022 == 0


def _library(torch):
    """Path of the operator library for this torch, built when it is not there."""
    with open(_SOURCE, "rb") as file:
        source = file.read()
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    folder = os.path.dirname(os.path.abspath(torch.__file__))
    key = hashlib.sha256(b"\0".join([source, torch.__version__.encode(), folder.encode(), b"%d" % abi])).hexdigest()[:16]
    path = os.path.join(_cache_folder(), "torch-%s-%s.so" % (torch.__version__.split("+")[0], key))
    os.makedirs(_cache_folder(), mode=0o700, exist_ok=True)
    if not _is_own(_cache_folder(), stat.S_ISDIR):
        raise _Unavailable("%s is not a folder private to this user" % _cache_folder())
    if _is_own(path, stat.S_ISREG):
        return path
    compiler = os.environ.get("CXX") or next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), None)
    if compiler is None:
        raise _Unavailable("no C++ compiler (install g++)")
    include = os.path.join(folder, "include")
    if not os.path.exists(os.path.join(include, "ATen", "record_function.h")):
        raise _Unavailable("torch %s has no C++ headers" % torch.__version__)
    print("lacuna: building the operator hook for torch %s, once" % torch.__version__, file=sys.stderr, flush=True)
    handle, fresh = tempfile.mkstemp(suffix=".so", dir=_cache_folder())
    os.close(handle)
    # NDEBUG as in the wheels: at::RecordFunction has another layout without it.
    # The compiler must not be captured itself, nor find us in PYTHONPATH, nor be told of as if something had kept us out.
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith("LACUNA_") and k not in ("NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH")}
    environment["LACUNA_HELPER"] = "1"
    lib = os.path.join(folder, "lib")
    version = tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2])
    command = [compiler, "-std=c++20" if version >= (2, 9) else "-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared",
               "-fvisibility=hidden", "-w", "-D_GLIBCXX_USE_CXX11_ABI=%d" % abi, "-isystem", include,
               "-isystem", os.path.join(include, "torch", "csrc", "api", "include"), _SOURCE, "-o", fresh,
               "-L" + lib, "-ltorch_cpu", "-lc10", "-Wl,-rpath," + lib]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        os.unlink(fresh)
        raise _Unavailable("%s could not build against torch %s: %s"
                           % (compiler, torch.__version__, (done.stderr.strip().splitlines() or ["?"])[0]))
    os.chmod(fresh, 0o700)  # linkers make it anew, and a umask may let a group write
    os.replace(fresh, path)  # several processes may build at once; each gets a whole file
    return path


def _capture_allocations(torch, library):
    """What is to be said of it."""
    if os.environ.get("LACUNA_TORCH_ALLOCATOR") != "1":
        return ""
    if library.lacuna_torch_allocations(os.environ["LACUNA_COLLECTOR"].encode()) == 0:
        return ", allocations are not recorded: this torch has no headers of its profiler"
    # A thread has place for one listener: a profiler of the program's own gets it as long as it runs.
    import torch.autograd.profiler_legacy  # noqa: F401 (not imported with torch)

    for module, names in ((torch.autograd.profiler, ("_enable_profiler",)),
                          (torch.autograd.profiler_legacy, ("_enable_profiler_legacy",)),
                          (torch._C._autograd, ("_enable_profiler", "_enable_profiler_legacy"))):
        for name in names:
            enable = getattr(module, name, None)
            if enable is None:
                continue

            def leaving(*args, _enable=enable, **named):
                library.lacuna_torch_leave()
                return _enable(*args, **named)

            setattr(module, name, functools.wraps(enable)(leaving))
    return ", and its allocations"


def _capture_operators(torch, collector):
    try:
        library = ctypes.CDLL(_library(torch))
        collector_path = os.environ["LACUNA_COLLECTOR"].encode()
        shapes = int(os.environ.get("LACUNA_TORCH_SHAPES") == "1")
        if library.lacuna_torch_start(collector_path, shapes) == 0:
            raise _Unavailable("the operator library does not find the collector")
        _kept.append(library)
        return "PyTorch %s: operators through RecordFunction%s" % (torch.__version__, _capture_allocations(torch, library))
    except Exception as error:
        why = str(error) if isinstance(error, _Unavailable) else repr(error)
    if torch.version.cuda is not None:
        try:
            collector.lacuna_strip_torch_names(1)
            nvtx = torch.autograd.profiler.emit_nvtx(record_shapes=False)
            nvtx.__enter__()
            _kept.append(nvtx)
            return "PyTorch %s: operators of the main thread through emit_nvtx (%s)" % (torch.__version__, why)
        except Exception as error:
            collector.lacuna_strip_torch_names(0)
            why += "; emit_nvtx: %r" % error
    if os.environ.get("LACUNA_TORCH_ALLOCATOR") == "1":
        why += "; nor are allocations"
    return "PyTorch %s: operators are not recorded: %s" % (torch.__version__, why)


def _capture_steps(torch, collector):
    import lacuna_steps

    _kept.append(lacuna_steps.watch(torch, collector.lacuna_step))
    # Skipped steps run without operators; a child has steps of its own, or none.
    os.register_at_fork(after_in_child=collector.lacuna_forget_steps)


def _give_way_to_profiler(torch, collector):
    """torch.profiler needs CUPTI for itself: pause the GPU recording around it."""
    profile = torch.autograd.profiler.profile
    start, stop = profile._start_trace, profile.__exit__
    prepare = profile._prepare_trace

    @functools.wraps(prepare)
    def paused(self):
        if getattr(self, "use_device", None) == "cuda":
            collector.lacuna_gpu_pause(b"torch.profiler")
            self._lacuna_paused = True
        return prepare(self)

    @functools.wraps(stop)
    def resumed(self, *args):
        try:
            return stop(self, *args)
        finally:
            if self.__dict__.pop("_lacuna_paused", False):
                collector.lacuna_gpu_resume()

    profile._prepare_trace, profile.__exit__ = paused, resumed
    _kept.append(start)


def capture(torch):
    collector = ctypes.CDLL(os.environ["LACUNA_COLLECTOR"])
    if collector.lacuna_is_dormant():
        _sleep(torch, collector)
    elif collector.lacuna_is_capturing():
        _kept.append(collector)
        _start(torch, collector)


def _sleep(torch, collector):
    """Nothing is hooked until somebody looks; it is unhooked when nobody does any more."""
    state = {"message": None}

    def change(awake):  # on the collector's own thread
        try:
            if awake and state["message"] is None:
                state["message"] = _start(torch, collector)
            else:
                for library in _kept:
                    if hasattr(library, "lacuna_torch_sleep"):
                        library.lacuna_torch_sleep(0 if awake else 1)
                if awake:
                    collector.lacuna_say_torch(state["message"])
                    lacuna_names.tell_threads()
        except Exception as error:  # the target must not notice
            if os.environ.get("LACUNA_VERBOSE") == "1":
                print("lacuna: %r" % error, file=sys.stderr)

    call = ctypes.CFUNCTYPE(None, ctypes.c_int)(change)
    _kept.extend([collector, call])
    collector.lacuna_on_waking(call)
    atexit.register(collector.lacuna_on_waking, None)
    os.register_at_fork(after_in_child=collector.lacuna_stir)
    if collector.lacuna_is_capturing():  # woken before torch was there
        change(1)


def _start(torch, collector):
    lacuna_names.name_threads()
    message = _capture_operators(torch, collector)
    for part in (_capture_steps, _give_way_to_profiler):
        try:
            part(torch, collector)
        except Exception as error:
            message += "; %s: %r" % (part.__name__.strip("_"), error)
    message = message.encode("utf-8", "replace")
    collector.lacuna_say_torch(message)
    return message
