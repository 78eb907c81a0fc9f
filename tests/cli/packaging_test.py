#!/usr/bin/env python3
"""What a system gets beside the program says what the program says: man page, completion, MIME types, the wheel's facts.
That the packages install and run elsewhere: assets/packaging/run."""
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
PACKAGING = SOURCE / "assets/packaging"
LACUNA = os.environ["LACUNA_BIN"]


def commands():
    said = subprocess.run([LACUNA, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z-]+)", said.split("\nOptions:\n", 1)[0], re.MULTILINE)


def complete(*words):
    """What bash offers for the last word."""
    script = (f'. "{PACKAGING}/lacuna.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _lacuna; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    return subprocess.run(["bash", "-c", script, "bash", LACUNA, *words], capture_output=True, text=True,
                          cwd=SOURCE / "assets").stdout.split()


def main():
    names = commands()
    page = (PACKAGING / "lacuna.1").read_text()
    listed = re.findall(r"^\.TP\n\.B ([a-z-]+)$", page, re.MULTILINE)
    window = {"live"}  # not in a program without one
    assert set(names) | window == set(listed), (names, listed)
    offered = complete("")
    assert set(names) | window <= set(offered), offered
    assert "demo.trace.json.gz" in complete("gaps", "demo")
    assert "--arrow" in complete("export", "--ar"), complete("export", "--ar")
    assert complete("export", "--caus") == [] and "--causes" in complete("gaps", "--caus")

    types = {e.get("type"): e for e in ElementTree.parse(PACKAGING / "lacuna-mime.xml").getroot()}
    entry = (SOURCE / "assets/lacuna.desktop").read_text()
    opened = re.search(r"^MimeType=(.*)$", entry, re.MULTILINE).group(1).split(";")
    assert len(types) == 4 and set(types) <= set(opened), opened
    globs = {pattern.get("pattern") for kind in types.values() for pattern in kind if pattern.get("pattern")}
    assert "*.lacuna" in globs, globs

    version = re.search(r"project\(lacuna VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
    assert version in subprocess.run([LACUNA, "--version"], capture_output=True, text=True).stdout
    if sys.version_info >= (3, 11):
        import tomllib

        project = tomllib.loads((SOURCE / "pyproject.toml").read_text())
        pattern = project["tool"]["scikit-build"]["metadata"]["version"]["regex"]
        assert re.search(pattern, (SOURCE / "CMakeLists.txt").read_text()).group("value") == version
        package, = project["tool"]["scikit-build"]["wheel"]["packages"]
        assert (SOURCE / package / "__init__.py").exists() and (SOURCE / package / "py.typed").exists()
        # Other units than those of the release would be compiled anew for the wheel, and then once more for the tests.
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
        release, = (preset for preset in presets if preset["name"] == "release")
        defined = project["tool"]["scikit-build"]["cmake"]["define"]
        assert defined["LACUNA_UNITY"] == release["cacheVariables"]["LACUNA_UNITY"]
    print("ok")


if __name__ == "__main__":
    main()
