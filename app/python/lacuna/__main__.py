"""python -m lacuna: the program, with Parquet beside Arrow, and with what serves agents."""
from __future__ import annotations

import argparse
import os
import sys

from ._program import LacunaError, program


def main(words: list[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else words
    try:
        if words[:1] == ["export"] and any(w.split("=")[0] == "--parquet" for w in words):
            return _export_parquet(words[1:])
        if words[:1] == ["mcp"]:
            from .agents.server import main as serve

            return serve(words[1:])
        found = program()
        os.execv(found, [found, *words])
    except LacunaError as error:
        print(f"lacuna: {error}", file=sys.stderr)
        return 1


def _export_parquet(words: list[str]) -> int:
    from .export import export

    parser = argparse.ArgumentParser(prog="lacuna export", description="Tables of traces as Parquet files.")
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    parser.add_argument("--parquet", required=True, metavar="DIR", help="folder for the tables")
    parser.add_argument("--tables", default="", metavar="NAMES", help="only these, separated by commas")
    parser.add_argument("--compression", default="zstd", help="as pyarrow calls it (default: zstd)")
    parser.add_argument("--force", action="store_true", help="replace files that lacuna did not write, too")
    given = parser.parse_args(words)
    tables = [name for name in given.tables.split(",") if name]
    for path in export(given.traces, given.parquet, format="parquet", tables=tables, force=given.force,
                       compression=given.compression):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
