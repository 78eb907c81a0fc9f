#!/usr/bin/env python3
"""docs/reference is what the program says of itself."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
sys.exit(subprocess.run([sys.executable, "-B", ROOT / "docs/make_reference.py", "--check"]).returncode)
