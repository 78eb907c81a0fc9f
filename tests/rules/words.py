#!/usr/bin/env python3
"""Refuses names of a private vocabulary that was replaced by the field's terms, and riddles in comments of headers.

    tests/rules/words.py [ROOT]

A name is refused where a part of it (snake_case, CamelCase) is one of REFUSED. Comments and texts may use the words; in
headers, no comment has a subject that is nobody in particular (RIDDLES).
"""
import pathlib
import re
import sys

FOLDERS = ("app", "capture", "model", "render")
REFUSED = {
    "told": "remote answer (RemoteAnswers), or what is done: reported, sent, listed, known",
    "untold": "unknown",
    "sight": "remote view (RemoteTraceView)",
    "sights": "remote views",
    "settled": "sealed (Lane::sealed)",
}
RIDDLES = re.compile(r"//.*\b(nobody|somebody|whoever|whomever)\b", re.IGNORECASE)
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def refused(source):
    """Pairs of a line and a name."""
    code = NOT_CODE.sub(lambda found: "\n" * found[0].count("\n"), source)
    for number, line in enumerate(code.split("\n"), 1):
        for name in re.findall(r"[A-Za-z_]\w*", line):
            if any(part.lower() in REFUSED for part in PART.findall(name)):
                yield number, name


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    problems = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            where = path.relative_to(root)
            if any(part.lower() in REFUSED for part in PART.findall(path.stem)):
                problems.append(f"{where}: the name of the file")
            source = path.read_text(encoding="utf-8")
            problems += [f"{where}:{line}: {name}" for line, name in refused(source)]
            if path.suffix == ".h":
                problems += [f"{where}:{number}: {riddle[1]}: say who: the caller, the user, another process"
                             for number, line in enumerate(source.split("\n"), 1) if (riddle := RIDDLES.search(line))]
    if problems:
        words = "\n".join(f"  {word}: {better}" for word, better in REFUSED.items())
        sys.exit("\n".join(problems) + f"\nNames that are no longer used, and what stands for them:\n{words}")


if __name__ == "__main__":
    main()
