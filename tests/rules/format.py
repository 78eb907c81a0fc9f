#!/usr/bin/env python3
"""Refuses files that clang-format 14 would write otherwise; --fix writes them.

    tests/rules/format.py [--fix]

Another version formats otherwise: the check is skipped there (exit status 77).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("app", "capture", "model", "render", "tests")
VERSION = "14"


def formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        if re.search(rf"version {VERSION}\.", said):
            return path
    return None


def main():
    program = formatter()
    if program is None:
        print(f"skipped: there is no clang-format {VERSION} here")
        return 77
    files = sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".cpp"))
    if not files:
        sys.exit("there are no files to look at")
    how = ["-i"] if "--fix" in sys.argv[1:] else ["--dry-run", "-Werror", "--ferror-limit=1"]
    count = os.cpu_count() or 1
    runs = [subprocess.Popen([program, *how, *files[i::count]], stderr=subprocess.PIPE, text=True) for i in range(count)]
    wrong = sorted({line.split(":")[0] for run in runs for line in run.communicate()[1].splitlines() if "error:" in line})
    for path in wrong:
        print(f"{os.path.relpath(path, ROOT)} is not as clang-format {VERSION} writes it (tests/rules/format.py --fix)")
    return 1 if wrong or any(run.returncode for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
