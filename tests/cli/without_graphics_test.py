#!/usr/bin/env python3
"""The program starts where neither OpenGL nor GLFW is installed: commands answer, and `lacuna web` serves its page; what
draws here says what is missing."""

import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request

PROGRAM = os.environ["LACUNA_BIN"]
DEMO = os.path.join(os.environ["LACUNA_SOURCE_DIR"], "assets", "demo.trace.json.gz")
GRAPHICS = ("libGL.so", "libEGL.so", "libGLX", "libglfw", "libX11", "libwayland")

# What is mounted over the libraries, in a namespace of its own, is no library: as if they were not there.
HIDE = """
for name in libGL.so.1 libEGL.so.1 libglfw.so.3 libX11.so.6; do
  for folder in /usr/lib/*-linux-gnu /usr/lib /usr/lib64; do
    if [ -e "$folder/$name" ]; then mount --bind /dev/null "$(readlink -f "$folder/$name")"; fi
  done
done
exec "$@"
"""


def fail(message):
    print(f"FAILED: {message}")
    sys.exit(1)


def main():
    needed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout
    for name in GRAPHICS:
        if name in needed:
            fail(f"the program needs {name} to start")
    help_text = subprocess.run([PROGRAM, "web", "--help"], capture_output=True, text=True).stdout
    if "built without a window" in subprocess.run([PROGRAM, "web", "--idle-exit", "1s"], capture_output=True,
                                                  text=True).stderr:
        return print("this lacuna has no window")
    if "--idle-exit" not in help_text:
        fail("lacuna web --help")
    hidden = ["unshare", "-m", "sh", "-c", HIDE, "sh"]
    if not shutil.which("unshare") or subprocess.run([*hidden, "true"], capture_output=True).returncode != 0:
        print("libraries cannot be hidden here (unshare -m takes root): only what the program is linked with was looked at")
        return None
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*hidden, PROGRAM, "screenshot", DEMO, "-o", os.path.join(folder, "a.png")],
                              capture_output=True, text=True)
        if done.returncode == 0 or "libGL.so.1" not in done.stderr or "lacuna web" not in done.stderr:
            fail(f"a screenshot without OpenGL: {done.returncode} {done.stderr}")
        with subprocess.Popen([*hidden, PROGRAM, "web", DEMO], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder}) as server:
            try:
                with urllib.request.urlopen(server.stdout.readline().strip()) as page:
                    if b"<canvas" not in page.read():
                        fail("the page")
            finally:
                server.terminate()
        if server.returncode != 0:
            fail(f"lacuna web ended with {server.returncode}")
    return print("commands and lacuna web do without graphics libraries")


if __name__ == "__main__":
    main()
