#!/usr/bin/env python3
"""The help of a command is one page with examples that work; what its JSON means is told by `lacuna schema`.
What the tutorial shows is what is printed."""

import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

LACUNA = os.environ["LACUNA_BIN"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
DEMO = SOURCE / "assets" / "demo.trace.json.gz"
MOST_LINES = 60
# Of other programs, of processes that run, of a window.
NOT_RUN = {"web", "record", "live", "attach", "screenshot"}


def lacuna(*words, cwd=None, state=None):
    environment = {**os.environ, **({"XDG_STATE_HOME": str(state)} if state else {})}
    return subprocess.run([LACUNA, *words], capture_output=True, text=True, cwd=cwd, env=environment, timeout=300)


@functools.cache
def help_of(command):
    return lacuna(command, "--help").stdout


@functools.cache
def commands():
    page = lacuna("--help").stdout.split("\nOptions:\n", 1)[0]
    return re.findall(r"^  ([a-z-]+) {2,}\S", page, re.MULTILINE)


def the_help_of_each_command_is_one_page():
    all_of_it = lacuna("--help-all").stdout
    lines = {command: len(help_of(command).splitlines()) for command in commands()}
    assert max(lines.values()) <= MOST_LINES, {command: n for command, n in lines.items() if n > MOST_LINES}
    for command in commands():
        page = help_of(command)
        assert "\nJSON keys" not in page, command
        if "lacuna schema" in page and command != "schema":
            told = lacuna("schema", command, "--explain")
            assert told.returncode == 0 and told.stdout.startswith("JSON"), (command, told)
            assert told.stdout.strip() in all_of_it, command
    assert lacuna("schema", "no-such", "--explain").returncode == 1


def examples_work():
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        shutil.copy(DEMO, place / "trace.json.gz")
        shutil.copy(SOURCE / "tests/fixtures/requests/vllm.trace.otel.json", place / "spans.json")
        for name in ("before", "after", "rank0", "rank1"):
            subprocess.run(["gzip", "-dc", DEMO], stdout=open(place / f"{name}.json", "wb"), check=True)
        (place / "ranks").mkdir()
        for rank in "01":
            shutil.copy(place / "rank0.json", place / "ranks" / f"rank{rank}.json")
        tried = 0
        for command in commands():
            examples = re.findall(r"^  (lacuna .*)$", help_of(command).split("\nExamples:\n")[-1], re.MULTILINE)
            for example in examples:
                name, *words = shlex.split(example)
                assert name == "lacuna" and words[0] == command, example
                if command in NOT_RUN:
                    continue
                done = lacuna(*words, cwd=place, state=place)
                assert done.returncode == 0 or (command == "check" and done.returncode == 3), (example, done.stderr)
                tried += 1
        assert tried > 30, tried


def the_tutorial_shows_what_is_printed():
    """Each line below a `$ lacuna …` of docs/tutorial.md is printed by that command."""
    text = (SOURCE / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^    \$ (lacuna .*)\n((?:    .*\n)+)", text, re.MULTILINE)
    for command, lines in blocks:
        done = lacuna(*shlex.split(command)[1:], cwd=SOURCE)
        printed = {" ".join(line.split()) for line in done.stdout.splitlines()}
        for line in lines.splitlines():
            assert " ".join(line.split()) in printed, (command, line, done.stdout, done.stderr)
    assert len(blocks) >= 5, blocks


if __name__ == "__main__":
    the_tutorial_shows_what_is_printed()
    assert json.loads(lacuna("schema", "gaps").stdout)["title"]
    the_help_of_each_command_is_one_page()
    examples_work()
