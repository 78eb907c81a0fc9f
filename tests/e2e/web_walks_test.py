#!/usr/bin/env python3
"""The main walks of the window, by the same scripts, in a browser: opening, moving, selecting, gaps, search, SQL, memory,
comparing, and a recording that runs. Only those named on the command line, if any."""

import os
import subprocess
import sys
import time

from browser_driver import skip_without_browser

HERE = os.path.dirname(os.path.abspath(__file__))
WALKS = ["navigation", "panels", "search", "sql", "memory", "compare", "markers", "live"]

if __name__ == "__main__":
    skip_without_browser()
    failed = []
    for walk in sys.argv[1:] or WALKS:
        began = time.monotonic()
        done = subprocess.run([sys.executable, "-B", os.path.join(HERE, f"{walk}_test.py")],
                              env={**os.environ, "LACUNA_E2E_BROWSER": "1"}, capture_output=True, text=True)
        print(f"{'ok    ' if done.returncode == 0 else 'FAILED'} {walk} ({time.monotonic() - began:.0f} s)", flush=True)
        if done.returncode not in (0, 77):
            print(done.stdout + done.stderr, flush=True)
            failed.append(walk)
    sys.exit(1 if failed else 0)
