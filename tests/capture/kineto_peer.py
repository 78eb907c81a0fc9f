#!/usr/bin/env python3
"""A stand-in for a PyTorch job with KINETO_USE_DAEMON: speaks Kineto's protocol over the real socket, with its
pauses and traps, and writes what it is asked for.

    kineto_peer.py [--how HOW] [--ask SECONDS] [--seconds SECONDS]

HOW: "" (as it should be), busy, no-steps, dies (while it records), mute (does not ask), lost (takes its first answer
for nothing: what was sent to it then it reads when it asks next), empty (no operators), slow (begins, never ends),
early (drops its first request by steps, since it has taken none)
"""
import argparse
import ctypes
import json
import mmap
import os
import pathlib
import pickle
import secrets
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = os.environ.get("KINETO_IPC_SOCKET_DIR", "")


def address(name):
    return f"{FOLDER}/{name}" if FOLDER else f"\0{name}\0"


def ancestors():
    pids, pid = [], os.getpid()
    while pid > 0:
        pids.append(pid)
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rpartition(")")[2].split()[1])
    return pids


def message(kind, body):
    return struct.pack("<Q32s", len(body), kind) + body


class Job:
    def __init__(self, options):
        self.options = options
        self.name = address("dynoconfigclient" + secrets.token_hex(16))
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.name)
        self.socket.setblocking(False)
        self.active = options.how == "busy"
        self.lost = options.how == "lost"

    def send(self, datagram):
        """As FabricManager::sync_send: with growing pauses while nobody is there."""
        pause = 0.01
        for _ in range(10):
            try:
                self.socket.sendto(datagram, address("dynolog"))
                return True
            except OSError:
                time.sleep(min(pause, self.options.ask))
                pause *= 2
        return False

    def receive(self):
        for _ in range(9):
            try:
                data = self.socket.recv(65536)
                size, kind = struct.unpack_from("<Q32s", data)
                assert size == len(data) - 40 and kind.rstrip(b"\0") == b"req", data
                return data[40:].decode()
            except BlockingIOError:
                time.sleep(0.01)
        return ""

    def ask(self):
        pids = ancestors()
        job = int(os.environ.get("SLURM_JOB_ID", "0"))
        kind = 1 if self.active else 3
        if not self.send(message(b"req", struct.pack(f"<iiq{len(pids)}i", kind, len(pids), job, *pids))):
            return
        if self.lost:  # the tenth try got through, and counts as failed
            self.lost = False
            return
        text = self.receive()
        if text:
            self.take(dict(line.split("=", 1) for line in text.splitlines()), text)

    def take(self, config, text):
        counts_steps = "PROFILE_START_ITERATION" in config
        if self.active or (counts_steps and self.options.how in ("no-steps", "early")):
            self.options.how = self.options.how.replace("early", "")
            print("ignored", flush=True)
            return
        self.active = True
        threading.Thread(target=self.record, args=(config, text), daemon=True).start()

    def snapshot(self, config, path):
        """As PyTorch does: the snapshot where it was told, and Kineto's file for a trace stays behind."""
        named = path.replace(".json", f"_{os.getpid()}.json", 1)
        pathlib.Path(named + ".tmp").touch()
        time.sleep(int(config["PROFILE_MEMORY_DURATION_MSECS"]) / 1000)
        if self.options.how == "empty":
            self.active = False
            return
        block = {"address": 4096, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": []}
        data = pickle.dumps({"segments": [{"device": 0, "address": 4096, "total_size": 1024, "stream": 0,
                                           "segment_type": "small", "blocks": [block]}], "device_traces": [[]]})
        with open(path, "wb") as file:
            half = data.index(b".") + 1 if b"." in data[:-1] else len(data) // 2
            file.write(data[:half])
            file.flush()
            time.sleep(0.7)
            if self.options.how == "dies":
                os._exit(3)
            file.write(data[half:])
        self.active = False

    def record(self, config, text):
        allowed = os.environ.get("KINETO_ONDEMAND_TRACE_DIR", "/tmp").rstrip("/") + "/"
        path = config["ACTIVITIES_LOG_FILE"]
        if not path.startswith(allowed) or ".." in path:
            path = "/tmp/libkineto_activities.json"
        if config.get("PROFILE_MEMORY") == "true":
            return self.snapshot(config, path)
        path = path.replace(".json", f"_{os.getpid()}.json", 1)
        warmup = float(config.get("ACTIVITIES_WARMUP_PERIOD_SECS", 0))
        start = int(config.get("PROFILE_START_TIME", 0)) / 1000 or time.time() + warmup
        if start - warmup < time.time() - 0.05 and "PROFILE_START_TIME" in config:
            print("too late", flush=True)
            self.active = False
            return
        time.sleep(max(0.0, start - warmup - time.time()))
        with open(path + ".tmp", "w") as file:
            time.sleep(max(0.0, start - time.time()))
            began = time.time()
            time.sleep(int(config["ACTIVITIES_DURATION_MSECS"]) / 1000 + 0.05 * int(config.get("ACTIVITIES_ITERATIONS", 0)))
            if self.options.how == "dies":
                os._exit(3)
            if self.options.how == "slow":
                time.sleep(1000)
            categories = ["python_function"] if self.options.how == "empty" else ["cpu_op", "kernel"]
            events = ",\n".join(
                f'{{"ph": "X", "cat": "{c}", "name": "aten::mm", "pid": {os.getpid()}, "tid": 1, "ts": {10 + i}, "dur": 1}}'
                for i, c in enumerate(categories))
            file.write('{"schemaVersion": 1, "baseTimeNanoseconds": %d, "began": %f, "request": %s, "traceEvents": [%s]}'
                       % (began * 1e9, began, json.dumps(text), events))
        os.rename(path + ".tmp", path)
        self.active = False

    def run(self):
        end = time.monotonic() + self.options.seconds
        while time.monotonic() < end:
            began = time.monotonic()
            if self.options.how != "mute":
                self.ask()
            time.sleep(max(0.0, self.options.ask - (time.monotonic() - began)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--how", default="")
    parser.add_argument("--ask", type=float, default=0.4)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--start", action="append", default=[], help="ranks to start, as a launcher does: RANK/SIZE")
    options = parser.parse_args()
    if "RANK" in os.environ:
        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG: ranks end with what started them
    # A job has torch's libraries mapped. The file goes at once, since many a test kills us; /proc goes on to name it.
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder, "libtorch_cpu.so")
        library.write_bytes(b"\0" * 4096)
        with open(library, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    children = []
    for place in options.start:
        rank, size = place.split("/")
        children.append(subprocess.Popen([sys.executable, *[a for a in sys.argv if not a.startswith("--start=")]],
                                         env=dict(os.environ, RANK=rank, LOCAL_RANK=rank, WORLD_SIZE=size)))
    print("ready", flush=True)
    job = Job(options)
    try:
        job.run()
    finally:
        for child in children:
            child.kill()
        mapped.close()
        if FOLDER:
            pathlib.Path(job.name).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
