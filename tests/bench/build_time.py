#!/usr/bin/env python3
"""What a whole build costs, and what keeps it from growing back.

  tests/bench/build_time.py [PRESET]     builds PRESET (release) from nothing in a temporary folder and prints
                                         wall and CPU time, the costliest units, and what headers expand to
  tests/bench/build_time.py --headers    only what the public headers of each library expand to (seconds)
  tests/bench/build_time.py --check      the same against the budget below; exit status 1 over it, 77 where
                                         the compiler is another one than the budget is for

The budget is in bytes after the preprocessor of one file that includes every header of a library: the same on
every run, unlike a time. A library that outgrows it includes something heavy in a header: forward-declare it,
or raise the number here and say why in the commit.
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Folder: most bytes, in thousands. For g++ 12 and the packages of Debian 12.
BUDGET_COMPILER = "12"
BUDGET = {"model": 2845, "render": 2414, "render/paint": 2220, "capture/session": 2980, "app/cli": 4290, "app/gui": 3370}

# Headers that the libraries of the window need to be read at all.
INCLUDES = ["/usr/include/imgui", "/usr/include/imgui/backends", "/usr/include/stb", "/usr/include/freetype2",
            str(ROOT / "third_party/nanoarrow/include")]


def compiler():
    return os.environ.get("CXX", "g++")


def preprocessed(lines):
    """Bytes, and bytes by the file they come from, of a source of these lines."""
    command = [compiler(), "-std=c++20", "-E", "-x", "c++", "-", f"-I{ROOT}", *(f"-isystem{i}" for i in INCLUDES),
               "-DGLFW_INCLUDE_NONE"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    by_file, current, total = {}, "", 0
    for line in done.stdout.splitlines():
        if line.startswith("# "):
            match = re.match(r'# \d+ "([^"]*)"', line)
            current = match.group(1) if match else current
        elif line.strip():
            total += len(line) + 1
            by_file[current] = by_file.get(current, 0) + len(line) + 1
    return total, by_file


def headers_of(folder):
    paths = (str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob("*.h"))
    return sorted(p for p in paths if "/os/windows/" not in p)


def library_sizes():
    sizes = {}
    for folder in BUDGET:
        headers = [h for h in headers_of(folder) if folder != "render" or not h.startswith("render/paint/")]
        sizes[folder] = preprocessed([f'#include "{h}"' for h in headers])
    return sizes


def origin(path):
    for name, part in (("Dear ImGui", "imgui"), ("nlohmann json", "nlohmann"), ("fmt", "/fmt/"), ("CLI11", "/CLI/"),
                       ("expected", "/tl/")):
        if part in path:
            return name
    if path.startswith(str(ROOT)):
        return "Lacuna"
    return "standard library" if path.startswith("/usr") else "other"


def print_headers(sizes):
    print(f"\n{'headers of':<14} {'kB':>7} {'budget':>7}   of which")
    for folder, (total, by_file) in sizes.items():
        parts = {}
        for path, size in by_file.items():
            parts[origin(path)] = parts.get(origin(path), 0) + size
        shares = ", ".join(f"{name} {size // 1000}" for name, size in sorted(parts.items(), key=lambda p: -p[1]))
        print(f"{folder:<14} {total // 1000:>7} {BUDGET[folder]:>7}   {shares}")


def check(sizes):
    version = subprocess.run([compiler(), "-dumpversion"], capture_output=True, text=True).stdout.split(".")[0].strip()
    if version != BUDGET_COMPILER:
        print(f"skipped: the budget is for g++ {BUDGET_COMPILER}, this is {compiler()} {version}")
        return 77
    over = [f"{folder}: {total // 1000} kB, budget {BUDGET[folder]} kB"
            for folder, (total, _) in sizes.items() if total > BUDGET[folder] * 1000]
    for line in over:
        print(f"headers expand to more than allowed: {line}")
    return 1 if over else 0


def build(preset):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lacuna-build-"))
    env = dict(os.environ, CCACHE_DISABLE="1")
    try:
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        for command in (["cmake", "--preset", preset, "-B", str(folder), "-DCMAKE_CXX_COMPILER_LAUNCHER="],
                        ["cmake", "--build", str(folder)]):
            done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stdout[-4000:] + done.stderr[-4000:])
        wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{preset}: {wall:.0f} s of wall, {cpu:.0f} s of CPU on {os.cpu_count()} cores")
        steps = []
        for line in (folder / ".ninja_log").read_text().splitlines()[1:]:
            fields = line.split("\t")
            steps.append((int(fields[1]) - int(fields[0]), fields[3]))
        print("\ncostliest steps, s of wall")
        for milliseconds, output in sorted(steps, reverse=True)[:15]:
            print(f"{milliseconds / 1000:8.1f}  {output}")
            unit = folder / re.sub(r"\.o$", "", output)
            if unit.is_file() and "Unity" in output:
                files = re.findall(r'#include "([^"]*)"', unit.read_text())
                print("          " + ", ".join(pathlib.Path(f).name for f in files))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset", nargs="?", default="release")
    parser.add_argument("--headers", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not (arguments.headers or arguments.check):
        build(arguments.preset)
    sizes = library_sizes()
    print_headers(sizes)
    return check(sizes) if arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
