#!/usr/bin/env python3
"""Several processes that say in their environment which rank they are, as launchers set it: one trace of all, or one
for each rank, both of which are read rank by rank. torch_test.py does the same with torchrun.
"""
import json
import subprocess
import sys
import unittest

from record_support import LACUNA, ONLY_INSIDE, Case, load

# Each rank in the background, then a process of no rank, as a launcher is.
JOB = "for r in 0 1; do env {0} {1} & done; {1}; wait"


def spoken(*arguments):
    return subprocess.run([LACUNA, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


class Ranks(Case):
    def job(self, rank, *options, output="job.json.gz"):
        """`rank`: the assignments of one process, with $r in them."""
        return self.record("sh", "-c", JOB.format(rank, f"{self.target()} simple"), options=options, output=output)

    def test_what_launchers_say(self):
        for rank, ranks in (("RANK=$r LOCAL_RANK=$r WORLD_SIZE=2 SLURM_PROCID=0 SLURM_NTASKS=2", [0, 1]),
                            ("OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=2", [0, 1]),
                            ("PMI_RANK=$((r+4)) PMI_SIZE=8", [4, 5]), ("SLURM_PROCID=$r SLURM_NTASKS=2", [0, 1]),
                            ("SLURM_PROCID=0 SLURM_NTASKS=1", []), ("RANK=$r", []), ("RANK=7 WORLD_SIZE=2", []),
                            ("RANK=x WORLD_SIZE=2", [])):
            with self.subTest(rank):
                r = self.job(rank)
                told = {e["pid"]: e["args"]["rank"] for e in r.events if e["name"] == "process_rank"}
                self.assertEqual(sorted(told.values()), ranks)
                if ranks:
                    self.assertEqual(r.trace["distributedInfo"]["ranks"], ranks)
                    self.assertEqual(r.trace["distributedInfo"]["world_size"], 8 if ranks[0] else 2)
                else:
                    self.assertNotIn("distributedInfo", r.trace)

    def test_one_trace_is_read_rank_by_rank(self):
        r = self.job("RANK=$r WORLD_SIZE=2")
        info = json.loads(spoken("info", "--json", r.path))
        self.assertEqual([(f["rank"], f["label"]) for f in info["files"]], [(None, None), (0, "rank 0"), (1, "rank 1")])
        names = {p["name"] for p in info["processes"]}
        self.assertEqual(names, {"nvtx_target", "rank 0 · nvtx_target", "rank 1 · nvtx_target"})
        self.assertEqual(info["events"], len(r.events))
        text = spoken("info", r.path)
        self.assertIn("Ranks      0, 1 of 2", text)
        pid = next(e["pid"] for e in r.events if e["name"] == "process_rank" and e["args"]["rank"] == 1)
        self.assertIn(f"rank 1 · nvtx_target {pid} (CPU)", text)
        self.assertEqual([line for line in spoken("report", r.path).splitlines() if line.startswith("Report on")],
                         [f"Report on {r.path} · rank {n}" for n in (0, 1)])

    def test_one_trace_for_each_rank(self):
        path = self.folder / "job.json.gz"
        done = subprocess.run([LACUNA, "record", "--per-rank", "-o", path, "--", "sh", "-c",
                               JOB.format("RANK=$r LOCAL_RANK=$r WORLD_SIZE=2", f"{self.target()} simple")],
                              capture_output=True, text=True, check=True)
        self.assertFalse(path.exists())
        for rank in (0, 1):
            part = self.folder / f"job-rank{rank}.json.gz"
            self.assertIn(str(part), done.stderr)
            trace = load(part)
            self.assertEqual(trace["distributedInfo"], {"rank": rank, "local_rank": rank, "world_size": 2})
            self.assertEqual([e["name"] for e in trace["traceEvents"] if e["name"] == "simple"], ["simple"])
            self.assertEqual(len({e["pid"] for e in trace["traceEvents"]}), 1)
            self.assertIn(f"Rank       {rank} of 2", spoken("info", part))
        rest = load(self.folder / "job-no-rank.json.gz")
        self.assertEqual([e["name"] for e in rest["traceEvents"] if e["name"] == "simple"], ["simple"])
        self.assertNotIn("rank", rest["distributedInfo"])
        # Side by side again.
        self.assertIn("rank 1 · nvtx_target", spoken("info", *sorted(self.folder.glob("job-rank*"))))

    def test_files_of_ranks_replace_what_lacuna_wrote_and_nothing_else(self):
        command = [LACUNA, "record", "-q", "--per-rank", "-o", self.folder / "job.json", *ONLY_INSIDE, "--", "sh", "-c",
                   JOB.format("RANK=$r LOCAL_RANK=$r WORLD_SIZE=2", f"{self.target()} simple")]
        victim = self.folder / "job-rank1.json"
        victim.write_text("print()")
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("(--force replaces it)", done.stderr)
        self.assertEqual(victim.read_text(), "print()")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["job-rank1.json", "job.json"])
        victim.unlink()
        for _ in range(2):  # the second replaces those of the first
            subprocess.run(command, capture_output=True, text=True, check=True)
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                             ["job-no-rank.json", "job-rank0.json", "job-rank1.json"])

    def test_per_rank_without_ranks(self):
        r = self.record(self.target(), "simple", options=["--per-rank"])
        self.assertIn("no process said that it is a rank", r.stderr)
        self.assertIn("simple", r.names())


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
