#!/usr/bin/env python3
"""Links between documents lead somewhere, and the README stays a page that one reads: documents.py [ROOT]"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
README_LINES, README_BYTES = 150, 12_000


def anchors(path):
    """Of its headings, as GitHub makes them."""
    heads = re.findall(r"^#+ +(.*)$", re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def main():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True,
                            text=True)
    files = [ROOT / name for name in listed.stdout.split()] if listed.returncode == 0 else sorted(ROOT.glob("**/*.md"))
    wrong = []
    for path in files:
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(), flags=re.DOTALL)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            there = (path.parent / name).resolve() if name else path
            if not there.exists():
                wrong.append(f"{path.relative_to(ROOT)}: {target} does not exist")
            elif anchor and there.suffix == ".md" and anchor not in anchors(there):
                wrong.append(f"{path.relative_to(ROOT)}: {target} has no such heading")
    readme = (ROOT / "README.md").read_bytes()
    if readme.count(b"\n") > README_LINES or len(readme) > README_BYTES:
        wrong.append(f"README.md: at most {README_LINES} lines and {README_BYTES} bytes; the rest belongs into docs/")
    if not files:
        wrong.append("no documents found")
    sys.exit("\n".join(wrong) if wrong else 0)


main()
