"""%load_ext lacuna: pictures and tables of traces in a notebook."""
from __future__ import annotations

import shlex
from typing import Any

from .table import Table
from .trace import Picture, open

USAGE = """%lacuna TRACE [START END]       a picture of the trace, or of a range (ns, as in ts)
%%lacuna TRACE                  the cell is SQL: its rows as a data frame"""


def _number(text: str) -> int:
    return int(float(text)) if "e" in text.lower() else int(text.replace("_", ""))


def lacuna_magic(line: str, cell: str | None = None) -> Any:
    """What %lacuna and %%lacuna do."""
    words = shlex.split(line)
    if not words or (cell is None and len(words) not in (1, 3)):
        print(USAGE)
        return None
    if cell is None:
        with open(words[0]) as trace:
            picture: Picture = trace.picture(*(map(_number, words[1:])))
            return picture
    with open(words) as trace:
        table: Table = trace.query(cell)
    for make in (table.to_pandas, table.to_polars):
        try:
            return make()
        except ImportError:
            continue
    return table


def register(shell: Any) -> None:
    shell.register_magic_function(lacuna_magic, "line_cell", "lacuna")
