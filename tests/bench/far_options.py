"""What the far_*.py have in common: a lacuna, a line to a real sshd of the test's own, and where the tests' parts are."""

import argparse
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def options_of(description, bytes_a_second, delay_ms, add):
    """Parses the command line: LACUNA, --bytes-a-second, --delay-ms, and what add(parser) adds. From here on the parts of
    the end-to-end tests can be imported, and run that lacuna. Ends the program where there is no sshd."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacuna")
    add(parser)
    parser.add_argument("--bytes-a-second", type=int, default=bytes_a_second)
    parser.add_argument("--delay-ms", type=float, default=delay_ms)
    options = parser.parse_args()
    os.environ["LACUNA_BIN"] = str(pathlib.Path(options.lacuna).resolve())
    for folder in ("tests/e2e", "tests/capture"):
        sys.path.insert(0, str(ROOT / folder))
    from remote_support import why_no_sshd
    if why_no_sshd():
        sys.exit(why_no_sshd())
    return options
