#!/usr/bin/env python3
"""Writes docs/reference, and the commands of the man page and of bash's completion, from what the program says of itself.

    LACUNA_BIN=build/dev/app/lacuna docs/make_reference.py [--check]

--check writes nothing, names the pages that differ, and exits 1 where one does; 77 for a program without a window, which
lacks commands and keys.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

LACUNA = os.environ.get("LACUNA_BIN", "build/dev/app/lacuna")
ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "reference"
PACKAGING = ROOT / "assets" / "packaging"


def lacuna(*words, may_fail=False):
    with tempfile.TemporaryDirectory() as nobody:  # no settings of the user's
        done = subprocess.run([LACUNA, *words], capture_output=True, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": nobody, "HOME": nobody})
    assert may_fail or done.returncode == 0, done.stderr
    return done.stdout


def page(title, text):
    return f"# {title}\n\nMade by `docs/make_reference.py`; edit the program instead.\n\n{text.strip()}\n"


def commands():
    names = re.findall(r"^lacuna ([a-z-]+) -{3,}$", lacuna("--help-all"), flags=re.MULTILINE)
    parts = [("lacuna", lacuna("--help")), *((f"lacuna {name}", lacuna(name, "--help")) for name in names)]
    return "\n".join(f"## {name}\n\n```\n{said.strip()}\n```\n" for name, said in parts)


def json_keys():
    text = "What the commands write with `--json`; `lacuna schema COMMAND` prints the JSON Schema.\n"
    for line in lacuna("schema").splitlines():
        name, version = line.split()
        said = lacuna("schema", name, "--explain", may_fail=True) or lacuna("schema", name)  # a short one explains itself
        text += f"\n## lacuna {name}\n\nVersion {version}.\n\n```\n{said.strip()}\n```\n"
    return text


def keys():
    text = "| command | keys | what it does |\n|---|---|---|\n"
    for line in lacuna("--list-keys").splitlines():
        name, bound, does = re.match(r"(\S+) +(.*?)(?: {2,}(.*))?$", line).groups()
        if does is None:
            bound, does = "", bound
        text += f"| `{name}` | {'`' + bound.replace('|', chr(92) + '|') + '`' if bound else ''} | {does} |\n"
    return text


def sql():
    text = ""
    for table in re.split(r"\n\n(?=\S)", lacuna("query", "--schema").strip()):
        head, *lines = table.splitlines()
        name, _, meaning = head.partition(": ")
        text += f"\n## {name}\n\n{meaning}\n\n```\n" + "\n".join(line.removeprefix("  ") for line in lines) + "\n```\n"
    return text


def glossary():
    entries = re.split(r"\n(?=\S)", lacuna("stats", "--explain", "all").strip())
    words, causes, columns = "", "", ""
    for entry in entries:
        head, *lines = entry.splitlines()
        title, where = re.match(r"(.*) \((.*)\)$", head).groups()
        meaning, *facts = [line.strip().replace("|", "\\|") for line in lines]
        if where == "glossary":
            words += f"- **{title}**: {meaning}\n"
        elif where == "cause of a gap":
            causes += f"- **{title}**: {meaning}\n"
        else:
            names, source = (fact.partition(": ")[2] for fact in facts)
            title = title.replace("|", "\\|")
            columns += f"| {title} | {where} | {meaning} | `{names}` | {source} |\n"
    return (f"{words}\n## Columns and figures\n\n| title | where | what it means | names | defined by |\n"
            f"|---|---|---|---|---|\n{columns}\n## Causes of gaps\n\nThe first that holds, in this order.\n\n{causes}")


def listed_commands():
    """Pairs of a command and its sentence, of `lacuna --help`."""
    return re.findall(r"^  ([a-z][a-z-]*) {2,}(.*)$", lacuna("--help").split("\nOptions:\n", 1)[0], re.MULTILINE)


def man_page():
    begin, end = ".SH COMMANDS\n", ".PP\nWith\n.B \\-\\-on"
    old = (PACKAGING / "lacuna.1").read_text()
    made = "".join(f".TP\n.B {name}\n{does.replace('--', chr(92) + '-' + chr(92) + '-')}.\n" for name, does in listed_commands())
    return old[:old.index(begin) + len(begin)] + made + old[old.index(end):]


def completion():
    names = textwrap.fill(" ".join(name for name, _ in listed_commands()), 110, break_on_hyphens=False).replace("\n", "\n    ")
    return re.sub(r"(local commands=')[^']*'", lambda found: f"{found[1]}{names}'", (PACKAGING / "lacuna.bash").read_text())


def main():
    if not lacuna("--help").rstrip().splitlines()[-1].startswith("  --list-keys"):
        sys.exit(77)
    files = {PAGES / "commands.md": page("Commands", commands()),
             PAGES / "json.md": page("JSON keys", json_keys()), PAGES / "keys.md": page("Keys", keys()),
             PAGES / "sql.md": page("SQL tables", sql()), PAGES / "glossary.md": page("Glossary", glossary()),
             PACKAGING / "lacuna.1": man_page(), PACKAGING / "lacuna.bash": completion()}
    if "--check" in sys.argv[1:]:
        old = [path.name for path, text in files.items() if not path.is_file() or path.read_text() != text]
        sys.exit(f"docs/make_reference.py has to be run again: {', '.join(old)}" if old else 0)
    PAGES.mkdir(exist_ok=True)
    for path, text in files.items():
        path.write_text(text)


main()
