#!/usr/bin/env python3
"""Whether a `lacuna web` that was installed somewhere draws: try_web.py COMMAND..., with --idle-exit, prints its address. A
client takes the page and a window's first frames, and leaves."""
import pathlib
import struct
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
from websocket import WebSocket  # noqa: E402


def main():
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            with urllib.request.urlopen(url) as page:
                assert b"<canvas" in page.read(), "the page"
            port, token = int(url.split(":")[2].split("/")[0]), url.split("token=")[1]
            line = WebSocket(port, "/socket", ["lacuna", "token." + token])
            line.send(b"\x01" + struct.pack("<II", 1, 0) + b"\x09" + struct.pack("<fff", 1600, 900, 1))
            drawn = 0
            while drawn < 5000:  # the font's texture comes first, then frames while it is read
                message = line.receive()
                assert not isinstance(message, tuple), f"the connection was closed: {message}"
                if isinstance(message, bytes) and message[0] == 1:
                    drawn += len(message)
                    line.send(b"\x0a" + message[1:5] + struct.pack("<H", 1))
            line.close()
            assert server.wait(60) == 0, f"lacuna web ended with {server.returncode}"
        finally:
            server.kill()
    print(f"lacuna web draws: {drawn} bytes of frames came")


if __name__ == "__main__":
    main()
