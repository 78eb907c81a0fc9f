#!/usr/bin/env python3
"""`lacuna schema`: each command with --json has a JSON Schema, and what the command really writes agrees with it, with no
key more or less. By the jsonschema package where it is there, and by the validator below, which knows what schemas use."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

import schema_runs

LACUNA = os.environ["LACUNA_BIN"]


def lacuna(*words, **more):
    return subprocess.run([LACUNA, *map(str, words)], capture_output=True, text=True, **more)


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_of(value, kind):
    if kind in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if kind == "integer" else (int, float))
    return isinstance(value, TYPES[kind])


def faults(value, schema, root, path="$"):
    """What of a value does not agree with a schema."""
    known = {"$schema", "$id", "title", "version", "$defs", "$ref", "anyOf", "type", "items", "properties", "required",
             "additionalProperties"}
    assert set(schema) <= known, set(schema) - known
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, path)
    if "anyOf" in schema:
        tries = [faults(value, one, root, path) for one in schema["anyOf"]]
        return [] if any(not found for found in tries) else min(tries, key=len)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of(value, kind) for kind in kinds):
        return [f"{path}: {json.dumps(value)[:60]} is not {'|'.join(kinds)}"]
    found = []
    if isinstance(value, list) and "items" in schema:
        for n, entry in enumerate(value):
            found += faults(entry, schema["items"], root, f"{path}[{n}]")
    if isinstance(value, dict):
        named, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        found += [f"{path}: {key} is missing" for key in schema.get("required", []) if key not in value]
        for key, entry in value.items():
            if key in named:
                found += faults(entry, named[key], root, f"{path}.{key}")
            elif others is False:
                found.append(f"{path}: {key} is not in the schema")
            elif isinstance(others, dict):
                found += faults(entry, others, root, f"{path}.{key}")
    return found


def commands_with_json():
    said = lacuna("--help").stdout.split("\nOptions:\n", 1)[0]
    for command in re.findall(r"^  ([a-z-]+)", said, re.MULTILINE):
        if re.search(r"^ +--json\b", lacuna(command, "--help").stdout, re.MULTILINE):
            yield command


def main():
    listed = dict(line.rsplit(" ", 1) for line in lacuna("schema").stdout.splitlines())
    assert set(listed) == set(commands_with_json()), set(listed) ^ set(commands_with_json())
    schemas = {command: json.loads(lacuna("schema", command).stdout) for command in listed}
    for command, schema in schemas.items():
        assert schema["$id"] == f"urn:lacuna:{command}:{listed[command]}" and schema["version"] == int(listed[command]) >= 1
    unknown = lacuna("schema", "nothing")
    assert unknown.returncode == 1 and "report" in unknown.stderr

    try:
        import jsonschema
    except ImportError:
        print("the jsonschema package: skipped, as it is not there; the test's own validator is used")
        official = {}
    else:
        official = {command: jsonschema.Draft202012Validator(schema) for command, schema in schemas.items()}
        for schema in schemas.values():
            jsonschema.Draft202012Validator.check_schema(schema)

    seen = {command: set() for command in schemas}
    wrong = []
    with tempfile.TemporaryDirectory() as made:
        # In a folder of its own lacuna jobs disturbs nobody's jobs, nor listens to them.
        environment = {**os.environ, "KINETO_IPC_SOCKET_DIR": made, "XDG_STATE_HOME": made}
        for command, words in schema_runs.runs(pathlib.Path(made)):
            done = lacuna(command, *words, "--json", env=environment)
            try:
                document = json.loads(done.stdout)
            except ValueError:
                raise AssertionError((command, words, done)) from None
            schema = schemas[command]
            tries = {form["$ref"]: faults(document, form, schema) for form in schema["anyOf"]}
            forms = {form for form, found in tries.items() if not found}
            if not forms:
                found = min(tries.values(), key=len)
                wrong += [f"{command} {' '.join(map(str, words))}: {fault}" for fault in found[:3]]
            elif forms <= seen[command]:
                continue
            seen[command] |= forms
            # Of each form once, as it takes longer than the command: others say the same of it; and a key too many, or one
            # that lacks, is no such document.
            if command in official:
                assert bool(forms) == official[command].is_valid(document), (command, words, tries)
            first = next(iter(document))
            for other in ({**document, "surplus": 1}, {k: v for k, v in document.items() if k != first}):
                assert faults(other, schema, schema), (command, words)
    assert not wrong, "\n" + "\n".join(dict.fromkeys(wrong))
    unseen = {form["$ref"] for command, schema in schemas.items() for form in schema["anyOf"]} - set().union(*seen.values())
    assert not unseen, f"no command of schema_runs.py writes {unseen}"


main()
