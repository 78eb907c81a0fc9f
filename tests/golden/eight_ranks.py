#!/usr/bin/env python3
"""Eight ranks of one made job, what reference.py says of each, and how long each waited for others.

    tests/golden/eight_ranks.py     writes tests/fixtures/eight_ranks/rankN.json.gz, rankN.ref.json and truth.json

All clocks are one, in whole microseconds since 1970. Each step: two kernels and a collective of the pair ("tp"), three
times, then a collective of all ("dp"). A collective ends for all of its ranks at one moment; what a rank waits is from
its own start of it to the last one's. Rank 5 computes longer than the others. The truth is summed up while the times are
made, not read back.
"""
import gzip
import json
import pathlib
import tempfile

import reference

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
RANKS, STEPS, BEGIN, SLOW = 8, 3, 1_760_000_000_000_000, 5
SECTIONS = ("counts", "kernels", "streams_all_gpu_activity", "linkage")


class Rank:
    def __init__(self, number):
        self.number, self.events, self.correlation = number, [], 100 * number
        self.cpu, self.gpu, self.waited = BEGIN + 3 * number, 0, 0

    def slice(self, category, name, start, end, pid, tid, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start,
                            "dur": end - start, "args": args})

    def launch(self):
        self.correlation += 1
        pid = 1000 + self.number
        self.slice("cpu_op", "aten::mm", self.cpu, self.cpu + 9, pid, pid)
        self.slice("cuda_runtime", "cudaLaunchKernel", self.cpu + 2, self.cpu + 6, pid, pid, correlation=self.correlation)
        self.arrow("s", pid, pid, self.cpu + 2)
        self.cpu += 10

    def arrow(self, phase, pid, tid, ts):
        self.events.append({"ph": phase, "id": self.correlation, "cat": "ac2g", "name": "ac2g", "pid": pid, "tid": tid,
                            "ts": ts, **({"bp": "e"} if phase == "f" else {})})

    def on_gpu(self, name, start, end, stream, **args):
        self.slice("kernel", name, start, end, self.number, stream, device=self.number, stream=stream,
                   correlation=self.correlation, **args)
        self.arrow("f", self.number, stream, start)
        self.gpu = end

    def compute(self, length):
        self.launch()
        start = max(self.gpu + 1, self.cpu + 2)
        self.on_gpu("gemm", start, start + length * (3 if self.number == SLOW else 1), 7)


def collective(ranks, group, name, size):
    starts = {}
    for rank in ranks:
        rank.launch()
        starts[rank.number] = max(rank.gpu + 2, rank.cpu + 2)
    last = max(starts.values())
    for rank in ranks:
        rank.waited += last - starts[rank.number]
        rank.on_gpu("ncclDevKernel_AllReduce_Sum_f32_RING_LL", starts[rank.number], last + size // 100, 20,
                    **{"Collective name": "allreduce", "dtype": "Float", "In msg nelems": size, "Out msg nelems": size,
                       "Group size": len(ranks), "Process Group Name": group, "Process Group Description": name,
                       "Process Group Ranks": json.dumps([r.number for r in ranks])})


def build():
    ranks = [Rank(number) for number in range(RANKS)]
    for step in range(STEPS):
        begins = [rank.cpu for rank in ranks]
        for layer in range(3):
            for rank in ranks:
                for part in range(2):
                    rank.compute(80 + 7 * layer + 5 * part + 3 * (rank.number * step % 4))
            for first in range(0, RANKS, 2):
                collective(ranks[first:first + 2], str(1 + first), "tp", 4096)
        collective(ranks, "9", "dp", 40960)
        for rank, begin in zip(ranks, begins):
            rank.cpu = max(rank.cpu, rank.gpu) + 5
            pid = 1000 + rank.number
            rank.slice("user_annotation", f"ProfilerStep#{step + 1}", begin, rank.cpu, pid, pid)
    return ranks


def made():
    """What belongs into the fixtures: file name -> bytes."""
    files = {}
    ranks = build()
    with tempfile.TemporaryDirectory() as folder:
        for rank in ranks:
            trace = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank.number, "world_size": RANKS},
                     "traceEvents": rank.events}
            name = f"eight_ranks/rank{rank.number}.json"
            files[name + ".gz"] = gzip.compress(json.dumps(trace, separators=(",", ":")).encode(), mtime=0)
            path = pathlib.Path(folder) / f"rank{rank.number}.json.gz"
            path.write_bytes(files[name + ".gz"])
            answers = {key: value for key, value in reference.reference(str(path)).items() if key in SECTIONS}
            files[name + ".gz.ref.json"] = (json.dumps(answers, indent=1) + "\n").encode()
    files["eight_ranks/truth.json"] = (json.dumps({"waited_ns": [rank.waited * 1000 for rank in ranks],
                                                   "last": SLOW}) + "\n").encode()
    return files


if __name__ == "__main__":
    (FIXTURES / "eight_ranks").mkdir(exist_ok=True)
    for name, data in made().items():
        (FIXTURES / name).write_bytes(data)
        print(FIXTURES / name)
