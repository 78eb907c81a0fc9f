"""Runs a test that lists, wakes or serves running jobs where it meets no other test's: apart.py COMMAND...

Lacuna lists all jobs of a machine, so such tests would disturb each other. Each gets namespaces of its own for
processes and network, where the system lets us (as root); else they wait for each other."""
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

UNSHARE = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
GET_FLAGS, SET_FLAGS, IS_UP = 0x8913, 0x8914, 1  # of <linux/sockios.h>, <linux/if.h>


def start_loopback():
    with socket.socket() as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        _, flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, GET_FLAGS, request))
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", flags | IS_UP))


def run_as_first_process(command):
    """Whoever loses its parent becomes a child of the first process of a namespace, which has to wait for it."""
    start_loopback()
    test = subprocess.Popen(command)
    while True:
        pid, status = os.wait()
        if pid == test.pid:
            return os.waitstatus_to_exitcode(status)


def main(arguments):
    if arguments[0] == "--inside":
        return run_as_first_process(arguments[1:])
    inside = [sys.executable, "-B", __file__, "--inside"]
    if shutil.which("unshare") and subprocess.run(
            [*UNSHARE, *inside, "true"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0:
        # Its processes have the numbers of other tests' processes: nothing that is kept by number may be shared.
        with tempfile.TemporaryDirectory(prefix="lacuna-apart-", ignore_cleanup_errors=True) as folder:
            places = {name: os.path.join(folder, name) for name in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME")}
            for place in places.values():
                os.mkdir(place, 0o700)
            environment = dict(os.environ, LACUNA_APART="1", **places)
            return subprocess.run([*UNSHARE, *inside, *arguments], env=environment).returncode
    with open(os.path.join(tempfile.gettempdir(), f"lacuna-tests-of-jobs-{os.getuid()}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return subprocess.run(arguments).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
