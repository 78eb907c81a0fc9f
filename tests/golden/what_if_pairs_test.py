#!/usr/bin/env python3
"""What-if predictions against what a real change gave.

PyTorch runs on the CPU before and after a change (record_what_if.py): within 10 %. Jobs of gen_job.py with and without
a planted cause, everything else alike: within 3 %.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LACUNA = os.environ.get("LACUNA_BIN", "")
ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
GENERATOR = ROOT.parent.parent / "shared" / "bench" / "gen_job.py"
LOADER = "enumerate(DataLoader)#_{}DataLoaderIter.__next__"


def ask(trace, *options):
    done = subprocess.run([LACUNA, "what-if", str(trace), *options, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Pairs(unittest.TestCase):
    def check(self, before, after, within, *options):
        """The steps before, with the change, take as long as those after it."""
        predicted = ask(before, *options)
        measured = ask(after)
        self.assertEqual(predicted["steps"], measured["steps"])
        self.assertLess(abs(predicted["replayedNs"] / predicted["measuredNs"] - 1), 0.01)
        error = predicted["predictedNs"] / measured["measuredNs"] - 1
        change = measured["measuredNs"] / predicted["measuredNs"] - 1
        print(f"{pathlib.Path(before).name} {' '.join(options)}: measured change {100 * change:+.1f} %, "
              f"prediction off by {100 * error:+.2f} %")
        self.assertGreater(abs(change), within, "the change is too small to prove anything")
        self.assertLess(abs(error), within)


class RealRuns(Pairs):
    def test_a_loader_sped_up(self):
        self.check(FIXTURES / "what_if_loader_slow.pt.trace.json.gz", FIXTURES / "what_if_loader_fast.pt.trace.json.gz",
                   0.10, "--scale", LOADER.format("SingleProcess") + f"={25 / 60}")

    def test_a_loader_slowed_down(self):
        self.check(FIXTURES / "what_if_loader_fast.pt.trace.json.gz", FIXTURES / "what_if_loader_slow.pt.trace.json.gz",
                   0.10, "--scale", LOADER.format("SingleProcess") + f"={60 / 25}")

    def test_work_removed(self):
        self.check(FIXTURES / "what_if_logging.pt.trace.json.gz", FIXTURES / "what_if_quiet.pt.trace.json.gz", 0.10,
                   "--scale", "write_log=0")


@unittest.skipUnless(GENERATOR.exists(), "gen_job.py is not at hand")
class PlantedCauses(Pairs):
    """The generator's own text with one cause planted, or none; the seed gives the same job otherwise."""
    PLANTED = {
        "slow_host": "(30 * MS if k.r == slow_host and step == slow_host_step else 0)",
        "launch_bound": "20 if k.r == launch_bound and step == launch_bound_step else 1",
        "slow_gpu": "if k.r == slow_gpu: kernel_ns = int(kernel_ns * 1.35)",
    }
    WITHOUT = {"slow_host": "0", "launch_bound": "1", "slow_gpu": "pass"}

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for with_cause in (None, *cls.PLANTED):
            text = GENERATOR.read_text()
            for name, planted in cls.PLANTED.items():
                assert text.count(planted) == 1, f"gen_job.py plants {name} in another way now"
                if name != with_cause:
                    text = text.replace(planted, cls.WITHOUT[name])
            script = pathlib.Path(cls.folder.name) / f"gen_{with_cause}.py"
            script.write_text(text)
            subprocess.run([sys.executable, str(script), str(cls.job(with_cause)), "--ranks", "8", "--steps", "3",
                            "--seed", "5"], check=True, stdout=subprocess.DEVNULL)
        cls.truth = json.loads((cls.job(None) / "truth.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def job(cls, cause):
        return pathlib.Path(cls.folder.name) / f"job_{cause}"

    def rank(self, cause, rank):
        return self.job(cause) / f"rank{rank}.json.gz"

    def test_slow_loading_on_one_host(self):
        rank = self.truth["slow_host"]["rank"]
        self.check(self.rank("slow_host", rank), self.rank(None, rank), 0.03, "--no-cause", "data_loading")

    def test_slow_launches(self):
        rank = self.truth["launch_bound"]["rank"]
        self.check(self.rank("launch_bound", rank), self.rank(None, rank), 0.03, "--no-cause", "launch_bound")

    def test_a_slow_gpu(self):
        rank = self.truth["slow_gpu"]
        done = subprocess.run([LACUNA, "stats", str(self.rank("slow_gpu", rank)), "--json"], capture_output=True, text=True)
        names = {row["name"] for row in json.loads(done.stdout)["rows"] if row["name"].startswith("kernel_")}
        self.assertGreater(len(names), 3)
        scales = [option for name in sorted(names) for option in ("--scale", f"{name}={1 / 1.35}")]
        self.check(self.rank("slow_gpu", rank), self.rank(None, rank), 0.03, *scales)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
