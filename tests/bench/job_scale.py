#!/usr/bin/env python3
"""What `lacuna digest` and `lacuna job` take for jobs of growing size, and from that for larger ones.

    LACUNA_BIN=build/release/app/lacuna tests/bench/job_scale.py [--sizes 256,512,1024] [--target 16384] [--workers 8,64]
        [--layers 12] [--folder DIR] [--generator ../shared/bench/gen_job.py]

Makes the traces of a job for each size (kept in DIR, and used again), reduces each rank to a digest, and all digests to the
job's answer. Times are CPU seconds of the programs, so that other work on the machine changes them little; memory is what
was resident at the peak. Growth is fitted as a constant and so much a rank, and the fit's largest error is printed with
it. What the target takes is reckoned from the fits: it was not run.
"""
import argparse
import concurrent.futures
import math
import os
import pathlib
import subprocess
import sys

LACUNA = os.environ.get("LACUNA_BIN", "lacuna")


def measured(*command):
    """CPU seconds and peak bytes of a program."""
    program = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {program.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def reduced(trace):
    digest = trace.parent / "digests" / trace.name.replace(".json.gz", ".digest")
    return (*measured(LACUNA, "digest", trace, "-o", digest), digest.stat().st_size)


def line_through(points):
    """a and b of y = a + b x that differ least from the points, as shares of them, and the largest such difference. Of one
    point: in proportion to x."""
    if len(points) == 1:
        return 0.0, points[0][1] / points[0][0], 0.0
    weights = [1 / y ** 2 for _, y in points]
    total = sum(weights)
    mx = sum(w * x for w, (x, _) in zip(weights, points)) / total
    my = sum(w * y for w, (_, y) in zip(weights, points)) / total
    b = sum(w * (x - mx) * (y - my) for w, (x, y) in zip(weights, points)) / \
        sum(w * (x - mx) ** 2 for w, (x, _) in zip(weights, points))
    a = my - b * mx
    return a, b, max(abs((a + b * x) / y - 1) for x, y in points)


def time_text(seconds):
    return f"{seconds:.1f} s" if seconds < 300 else f"{seconds / 60:.0f} min"


def main():
    source = pathlib.Path(__file__).resolve().parents[2]
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", default="256,512,1024")
    options.add_argument("--target", type=int, default=16384)
    options.add_argument("--workers", default="8,64")
    options.add_argument("--layers", type=int, default=12)
    options.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/lacuna-job-scale"))
    options.add_argument("--generator", type=pathlib.Path, default=source.parent / "shared/bench/gen_job.py")
    options = options.parse_args()
    cores = os.cpu_count() or 1
    digests, answers, memory, sizes = [], [], [], []
    print("ranks  digest CPU s/rank  its peak MB  bytes/digest  job CPU s  job peak MB", flush=True)
    for ranks in map(int, options.sizes.split(",")):
        folder = options.folder / f"{ranks}x{options.layers}"
        if not (folder / "truth.json").exists():
            subprocess.run([sys.executable, options.generator, folder, "--ranks", str(ranks), "--layers",
                            str(options.layers)], check=True, stdout=subprocess.DEVNULL)
        (folder / "digests").mkdir(exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(cores) as pool:
            each = list(pool.map(reduced, sorted(folder.glob("rank*.json.gz"))))
        digest = sum(e[0] for e in each) / ranks
        size = sum(e[2] for e in each) / ranks
        time, peak = measured(LACUNA, "job", folder / "digests", "--json")
        print(f"{ranks:5}  {digest:17.3f}  {max(e[1] for e in each) / 1e6:11.0f}  {size:12.0f}  {time:9.2f}  {peak / 1e6:11.0f}",
              flush=True)
        digests.append(digest)
        sizes.append((ranks, size * ranks))
        answers.append((ranks, time))
        memory.append((ranks, peak))
    target, each = options.target, sum(digests) / len(digests)
    fits = {}
    for name, key, points in (("job's time", "time", answers), ("job's memory", "memory", memory),
                              ("digests' size", "size", sizes)):
        a, b, error = line_through(points)
        fits[key] = a + b * target
        between = [math.log(q[1] / p[1]) / math.log(q[0] / p[0]) for p, q in zip(points, points[1:])]
        print(f"{name}: {a:.4g} + {b:.4g} a rank, off by {100 * error:.0f} % at most; from size to size it grows as "
              f"ranks to the power of {', '.join(f'{k:.2f}' for k in between) or '?'}")
    print(f"{target:,} ranks, reckoned: digests {fits['size'] / 1e6:.0f} MB in all, "
          f"the answer {time_text(fits['time'])} of CPU and {fits['memory'] / 1e9:.2f} GB")
    for workers in [cores, *map(int, options.workers.split(","))]:
        mapped = target * each / workers
        print(f"  {workers} cores reduce the traces in {time_text(mapped)}, all together "
              f"{time_text(mapped + fits['time'])}")


main()
