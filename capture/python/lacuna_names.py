"""What the program calls its threads and processes, and which rank a process is, for the lanes of a recording.

Each function patches one module, once, right after it was imported. What they add never raises into the program.
"""
import ctypes
import functools
import json
import os
import sys
import threading

_collector = None


def collector():
    """The collector's library when this process is captured, else None."""
    global _collector
    if _collector is None:
        library = ctypes.CDLL(os.environ["LACUNA_COLLECTOR"])
        library.lacuna_name_thread.argtypes = [ctypes.c_uint, ctypes.c_char_p]
        library.lacuna_name_process.argtypes = [ctypes.c_char_p]
        library.lacuna_rank.argtypes = [ctypes.c_longlong] * 3 + [ctypes.c_char_p]
        _collector = library if library.lacuna_is_capturing() else False
    return _collector or None


def quiet(function):
    """For what is done beside the program's own work."""
    @functools.wraps(function)
    def attempt(*args, **kwargs):
        try:
            function(*args, **kwargs)
        except Exception as error:
            if os.environ.get("LACUNA_VERBOSE") == "1":
                print("lacuna: %s: %r" % (function.__name__, error), file=sys.stderr)
    return attempt


def before(owner, name, first):
    """`first`, with the same arguments, runs before owner.name."""
    inner = getattr(owner, name)

    @functools.wraps(inner)
    def outer(*args, **kwargs):
        first(*args, **kwargs)
        return inner(*args, **kwargs)

    setattr(owner, name, outer)


@quiet
def tell_threads():
    """Names of the threads there are, once more: for one who looks now. Made by name_threads()."""


def name_threads(_module=None):
    """Names of threading.Thread, those of threads that run already as well; and of multiprocessing's processes."""
    library = collector()
    if library is None or hasattr(threading.Thread, "_lacuna"):
        return
    threading.Thread._lacuna = True

    def tell(thread):
        if thread.native_id is not None and thread is not threading.main_thread():
            library.lacuna_name_thread(thread.native_id, thread.name.encode("utf-8", "replace"))

    def starts(thread):
        library.lacuna_name_thread(threading.get_native_id(), thread.name.encode("utf-8", "replace"))

    before(threading.Thread, "_bootstrap_inner", quiet(starts))
    given = threading.Thread.name

    def rename(thread, name):
        given.fset(thread, name)
        quiet(tell)(thread)

    threading.Thread.name = property(given.fget, rename, None, given.__doc__)
    global tell_threads

    def tell_threads():
        for thread in threading.enumerate():
            tell(thread)

    tell_threads()
    import multiprocessing.process

    # In the child, whichever way it was started.
    before(multiprocessing.process.BaseProcess, "_bootstrap", quiet(
        lambda process, *_, **__: library.lacuna_name_process(process.name.encode("utf-8", "replace"))))


@quiet
def name_workers(module):
    """DataLoader's workers, by their number. `module`: torch.utils.data._utils.worker."""
    import inspect

    library = collector()
    if library is None:
        return
    signature = inspect.signature(module._worker_loop)

    def tell(*args, **kwargs):
        number = signature.bind(*args, **kwargs).arguments["worker_id"]
        library.lacuna_name_process(b"DataLoader worker %d" % number)

    before(module, "_worker_loop", quiet(tell))


@quiet
def tell_ranks(module):
    """What torch.profiler writes as distributedInfo, once there is a process group. `module`: distributed_c10d."""
    library = collector()
    if library is None:
        return
    inner = module.init_process_group

    def tell():
        facts = {"backend": module.get_backend(), "pg_count": module.get_pg_count(),
                 "pg_config": module._get_all_pg_configs()}
        if facts["backend"] == "nccl":
            facts["nccl_version"] = ".".join(map(str, sys.modules["torch"].cuda.nccl.version()))
        local = os.environ.get("LOCAL_RANK", "")
        library.lacuna_rank(module.get_rank(), int(local) if local.isdigit() else -1, module.get_world_size(),
                            json.dumps(facts, default=str)[1:-1].encode())

    @functools.wraps(inner)
    def outer(*args, **kwargs):
        result = inner(*args, **kwargs)
        quiet(tell)()
        return result

    module.init_process_group = outer
