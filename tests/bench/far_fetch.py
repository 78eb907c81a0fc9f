#!/usr/bin/env python3
"""By hand: all of a large trace is fetched over a line with a break in the middle, from a real sshd of the test's own.

    tests/bench/far_fetch.py LACUNA TRACE [--bytes-a-second 12500000] [--delay-ms 5] [--no-break]

LACUNA is a release build. The line is 100 Mbit/s and 5 ms each way, if nothing else is said; it is cut once half of what
`zstd -3` makes of the trace has come. Says after how long the file was here, whether it is equal byte for byte, what the
line carried, and in how long it could have carried that.
"""

import filecmp
import os
import pathlib
import subprocess
import sys
import time

from far_options import options_of


def add_options(parser):
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--no-break", action="store_true")


def main():
    options = options_of(__doc__, 12_500_000, 5, add_options)
    from remote_support import Machine
    packed = int(subprocess.run(f"zstd -3 -c '{options.trace}' | wc -c", shell=True, capture_output=True, text=True).stdout)
    machine = Machine(through=True)
    try:
        (machine.home / "big.json").symlink_to(options.trace.resolve())
        proxy = machine.proxy
        proxy.bytes_a_second, proxy.delay = options.bytes_a_second, options.delay_ms / 1e3
        proxy.cut_after = None if options.no_break else packed // 2
        kept = machine.folder / "here/cache/lacuna/remote"
        began = time.monotonic()
        process = subprocess.Popen([os.environ["LACUNA_BIN"], "--on", "box", "screenshot", "big.json", "-o", "a.png"],
                                   env=machine.environment(), cwd=machine.folder, stderr=subprocess.PIPE, text=True)
        while not (here := list(kept.glob("*/*:big.json"))):
            if process.poll() is not None:
                sys.exit(process.stderr.read())
            time.sleep(0.05)
        took = time.monotonic() - began
        process.kill()
        said = process.stderr.read()
        floor = proxy.passed / options.bytes_a_second
        print(f"{options.trace.stat().st_size / 1e6:.0f} MB here after {took:.1f} s; the line carried {proxy.passed / 1e6:.1f} MB "
              f"in {proxy.connections} connections (zstd -3 of it: {packed / 1e6:.1f} MB), for which it needs {floor:.1f} s; "
              f"equal byte for byte: {filecmp.cmp(here[0], options.trace, shallow=False)}; "
              f"told: {[line for line in said.splitlines() if 'again' in line]}")
    finally:
        machine.close()


if __name__ == "__main__":
    main()
