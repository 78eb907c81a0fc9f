"""A transport of the tests: runs the words that follow and passes bytes between them and whoever started it, until a rule
says that the line is cut.

    cut_line.py RULES WORD...

RULES is a file with a list, as JSON. The first rule goes when it has cut a line, so that the next line is whole, or is
cut by the next rule. {"kind": K, "nth": N, "at": "before"|"middle"|"after"}: at the N-th frame of that kind that comes
from there (capture/remote/frame.h); {"lines": N} instead of "nth": at that in which so many lines have come, however
many come in one. {"sent": N}: after so many bytes that went there.
"""
import json
import os
import struct
import subprocess
import sys
import threading

RULES, WORDS = sys.argv[1], sys.argv[2:]
PREAMBLE_BYTES = 14
child = subprocess.Popen(WORDS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
counts = {}


def rule():
    try:
        with open(RULES) as file:
            rules = json.load(file)
    except (OSError, ValueError):
        return {}
    return rules[0] if rules else {}


def cut():
    with open(RULES) as file:
        rules = json.load(file)
    with open(RULES + ".new", "w") as file:
        json.dump(rules[1:], file)
    os.rename(RULES + ".new", RULES)
    os._exit(7)


def there():
    sent = 0
    while chunk := os.read(0, 16384):
        most = rule().get("sent")
        if most is not None and sent + len(chunk) >= most:
            child.stdin.write(chunk[:max(0, most - sent)])
            child.stdin.flush()
            cut()
        sent += len(chunk)
        try:
            child.stdin.write(chunk)
            child.stdin.flush()
        except OSError:
            break
    child.stdin.close()


def whole(size):
    return child.stdout.read(size)


def say(data):
    while data:
        data = data[os.write(1, data):]


def here():
    if "sent" in rule():  # no frames: whatever comes
        while chunk := child.stdout.read1(16384):
            say(chunk)
        return
    say(whole(PREAMBLE_BYTES))
    while len(head := whole(12)) == 12:
        size, kind = struct.unpack("<IH", head[:6])
        frame = head + whole(size)
        now = rule()
        if now.get("kind") == kind:
            key = json.dumps(now)
            counts[key] = counts.get(key, 0) + (frame.count(b"\n", 12) if "lines" in now else 1)
            if counts[key] >= now.get("lines", now.get("nth", 1)):
                say({"before": b"", "middle": frame[:len(frame) // 2], "after": frame}[now["at"]])
                cut()
        say(frame)


threading.Thread(target=there, daemon=True).start()
here()
os._exit(child.wait())
