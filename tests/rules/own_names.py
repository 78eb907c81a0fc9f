#!/usr/bin/env python3
"""Refuses a name without linkage (in an anonymous namespace, or static) that two files of one library give to things of
their own, and one that a header of the folder declares as a function.

    tests/rules/own_names.py [ROOT]

Files of a library are compiled as units of many. There equal names clash or, as overloads, silently take each other's calls;
which files share a unit changes with each new file. The sources are scanned, not compiled: macros are not expanded.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("app", "capture", "model", "render", "tests")
# Programs, scripts' targets and libraries of files that are each compiled alone.
ALONE = ("tests/bench", "tests/fuzz", "tests/capture/targets", "tests/gpu", "capture/collector", "capture/demo",
         "capture/python")

TOKEN = re.compile(r"""
    //[^\n]* | /\*.*?\*/                                     # comments
  | (?P<text>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)+')
  | ^[ \t]*\#(?:[^\n\\]|\\.)*                                # preprocessor, with continued lines
  | \[\[.*?\]\]                                              # attributes
  | (?P<name>[A-Za-z_]\w*) | (?P<mark2>::|[{}()\[\]<>;=,*&]) | \d(?:'?[\w.])*
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

KINDS = ("class", "struct", "union", "enum")


def tokens(source):
    for found in TOKEN.finditer(source):
        if found["name"] or found["mark2"]:
            yield found["name"] or found["mark2"], found.start()


def without_brackets(words):
    """The words outside of template arguments."""
    kept, depth = [], 0
    for word in words:
        if word == "<" and kept and kept[-1] != "operator":
            depth += 1
        elif word == ">" and depth:
            depth -= 1
        elif not depth:
            kept.append(word)
    return kept


def declared(words):
    """(name, whether a function) of a declaration at namespace scope; None: it names nothing of its own."""
    words = without_brackets(words)
    while words and words[0] in ("template", "inline", "static", "constexpr", "const", "constinit", "extern"):
        words = words[1:]
    if not words or words[0] in ("namespace", "friend", "static_assert") or "operator" in words:
        return None
    if words[0] == "using":
        return (words[1], False) if len(words) > 2 and words[2] == "=" else None
    if words[0] in KINDS and "(" not in words[:4] or words[0] in KINDS and "alignas" in words[:3]:
        rest = [w for w in words[1:] if w not in ("class", "struct", "alignas", "(", ")", "final")]
        return (rest[0], False) if rest and rest[0].isidentifier() else None
    for i, word in enumerate(words):
        if word in ("(", "=", "[", "{"):
            is_function = word == "("
            break
    else:
        i, is_function = len(words), False
    if i < 2 or not words[i - 1].isidentifier() or words[i - 2] == "::" and is_function:
        return None  # a macro, or a member defined outside of its class
    return (words[i - 1], is_function)


def names(source):
    """(name, scope, whether without linkage, whether a function, place) of what is declared at namespace scope."""
    scopes = []  # names of namespaces, "" for an anonymous one, None for all other braces
    words = []
    round_depth = 0
    for word, place in tokens(source):
        if None in scopes:
            if word == "{":
                scopes.append(None)
            elif word == "}":
                scopes.pop()
                words = [] if None not in scopes else words
            continue
        if word in "()":
            round_depth += 1 if word == "(" else -1
        if word == "{" and (round_depth > 0):
            scopes.append(None)  # a default argument
            continue
        if word not in "{};" or round_depth > 0:
            words.append(word)
            continue
        if word == "{" and words[:1] == ["namespace"] or words[:2] == ["inline", "namespace"]:
            scopes.append("".join(words[1:]))
        elif word == "{" and words == ["extern"]:
            scopes.append("extern")
        else:
            found = declared(words)
            if found:
                own = "" in scopes or ("static" in words[:4])
                scope = "::".join(s for s in scopes if s)
                yield found[0], scope, own, found[1], place
            if word == "{":
                scopes.append(None)
        if word == "}" and scopes:
            scopes.pop()
        words = []


def libraries(root):
    """What is compiled together: folder -> library, by the patterns in the CMakeLists.txt above it."""
    found = {}
    patterns = r"(?:lacuna_library\((\w+)[^)]*?GLOBS|file\(GLOB (\w+) CONFIGURE_DEPENDS)((?:\s+[\w*/]+\.cpp)+)"
    for lists in [p for top in FOLDERS if top != "tests" for p in (root / top).rglob("CMakeLists.txt")]:
        for library, files, globs in re.findall(patterns, lists.read_text(encoding="utf-8")):
            for glob in globs.split():
                for path in lists.parent.glob(glob):
                    found[path.parent.relative_to(root).as_posix()] = library or files
    return found


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
    library = libraries(root)
    own = collections.defaultdict(lambda: collections.defaultdict(set))  # (library, scope, name) -> file -> lines
    public = collections.defaultdict(set)  # the same -> headers that declare a function
    of_functions = set()
    read = 0
    for top in FOLDERS:
        for path in sorted((root / top).rglob("*")):
            file = path.relative_to(root)
            folder = file.parent.as_posix()
            if path.suffix not in (".h", ".cpp") or any(folder == f or folder.startswith(f + "/") for f in ALONE):
                continue
            source = path.read_text(encoding="utf-8")
            read += 1
            for name, scope, is_own, is_function, place in names(source):
                line = source.count("\n", 0, place) + 1
                if is_own:
                    together = library.get(folder, folder) if path.suffix == ".cpp" else folder
                    own[together, scope, name][file.as_posix()].add(line)
                    if is_function:
                        of_functions.add((folder, scope, name))
                elif path.suffix == ".h" and is_function:
                    public[folder, scope, name].add(file.as_posix())
    if not read:
        sys.exit("there are no files to look at")
    refused = 0
    for (_, scope, name), files in sorted(own.items()):
        places = [f"{file}:{min(lines)}" for file, lines in sorted(files.items())]
        if len(files) > 1:
            print(f"own names: {name} is in {len(files)} files: {', '.join(places)}")
            refused += 1
        homes = {file.rpartition("/")[0] for file in files}
        headers = [h for home in homes if (home, scope, name) in of_functions for h in public[home, scope, name]]
        if headers:
            print(f"own names: {name} of {', '.join(places)} is also what {', '.join(sorted(headers))} declares")
            refused += 1
    print(f"own names: {read} files read, {len(own)} names, {refused} refused")
    sys.exit(1 if refused else 0)


main()
