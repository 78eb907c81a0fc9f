#!/usr/bin/env python3
"""`lacuna screenshot` without any display, compared roughly with a small picture of what it should
look like: the mean colours of a grid of cells, so that fonts and drivers may differ a little.
`screenshot_test.py --update` makes the reference anew; look at the full picture first."""

import os
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.environ.get("LACUNA_SOURCE_DIR",
                      os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")))
PROGRAM = os.environ.get("LACUNA_BIN", os.path.join(ROOT, "build", "dev", "app", "lacuna"))
DEMO = os.path.join(ROOT, "assets", "demo.trace.json.gz")
REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "screenshot_reference.png")
SIZE = (1280, 720)
GRID = (64, 36)
MEAN_LIMIT = 5.0   # of 255, over all cells and channels
CELL_LIMIT = 60.0  # for a single cell
FAR_CELLS = 40     # cells of which more than this many may not be off by 30


def read_png(path):
    """RGB, 8 bits: (width, height, rows of bytes)."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
    at, packed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += length + 12
    width, height, depth, colour = header[:4]
    assert (depth, colour) == (8, 2), "not 8-bit RGB"
    raw, stride, rows = zlib.decompress(packed), width * 3, []
    previous = bytearray(stride)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left = row[i - 3] if i >= 3 else 0
            up = previous[i]
            corner = previous[i - 3] if i >= 3 else 0
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + up) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            elif kind == 4:
                p = left + up - corner
                a, b, c = abs(p - left), abs(p - up), abs(p - corner)
                row[i] = (row[i] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
        rows.append(row)
        previous = row
    return width, height, rows


def write_png(path, width, height, rows):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    raw = b"".join(b"\0" + bytes(row) for row in rows)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def cells(path):
    """Mean colours of the grid, as rows of bytes."""
    width, height, rows = read_png(path)
    out = []
    for gy in range(GRID[1]):
        band = rows[gy * height // GRID[1]:(gy + 1) * height // GRID[1]]
        line = bytearray()
        for gx in range(GRID[0]):
            x0, x1 = gx * width // GRID[0] * 3, (gx + 1) * width // GRID[0] * 3
            for channel in range(3):
                total = sum(sum(row[x0 + channel:x1:3]) for row in band)
                line.append(round(total / (len(band) * (x1 - x0) // 3)))
        out.append(line)
    return out


def difference(a, b):
    """Mean and largest difference, and how many cells are far off."""
    total, largest, far = 0, 0, 0
    for row_a, row_b in zip(a, b):
        for x in range(GRID[0]):
            cell = [abs(row_a[x * 3 + i] - row_b[x * 3 + i]) for i in range(3)]
            total += sum(cell)
            largest = max(largest, *cell)
            far += max(cell) > 30
    return total / (GRID[0] * GRID[1] * 3), largest, far


def is_alike(a, b):
    mean, largest, far = difference(a, b)
    return mean <= MEAN_LIMIT and (largest <= CELL_LIMIT or far <= FAR_CELLS)


def shoot(folder, name, *options):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    path = os.path.join(folder, name)
    done = subprocess.run([PROGRAM, "screenshot", DEMO, "-o", path, "--size", "%dx%d" % SIZE, *options],
                          env=environment, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"FAILED: lacuna screenshot gave {done.returncode}: {done.stderr}")
    if done.stderr:
        sys.exit(f"FAILED: something was written to standard error: {done.stderr}")
    return path


def main():
    with tempfile.TemporaryDirectory(prefix="lacuna_shot_") as folder:
        picture = shoot(folder, "demo.png")
        width, height, _ = read_png(picture)
        if (width, height) != SIZE:
            sys.exit(f"FAILED: the picture is {width}x{height}")
        now = cells(picture)
        # A file that is no picture is not lost to a slip; an older picture is replaced.
        shoot(folder, "demo.png")
        trace = os.path.join(folder, "mine.json")
        with open(trace, "w") as file:
            file.write("[]")
        done = subprocess.run([PROGRAM, "screenshot", DEMO, "-o", trace], capture_output=True, text=True, timeout=120)
        if done.returncode == 0 or "is not a PNG" not in done.stderr or open(trace).read() != "[]":
            sys.exit(f"FAILED: a file that is no picture: {done.returncode}, {done.stderr}")
        if "--update" in sys.argv:
            write_png(REFERENCE, *GRID, now)
            return
        _, _, reference = read_png(REFERENCE)
        if not is_alike(now, reference):
            sys.exit("FAILED: the picture does not look like the reference: "
                     "mean %.1f, largest %d, %d cells far off" % difference(now, reference))
        # What must look different does: the comparison can fail.
        for what, options in (("light theme", ["--light"]),
                              ("zoomed view", ["--from-us", "40000", "--to-us", "41000"])):
            other = cells(shoot(folder, "other.png", *options))
            if is_alike(other, reference):
                sys.exit(f"FAILED: the {what} looks like the reference: "
                         "mean %.1f, largest %d, %d cells far off" % difference(other, reference))
        print("ok     mean difference %.2f, largest %d, %d cells far off" % difference(now, reference))


if __name__ == "__main__":
    main()
