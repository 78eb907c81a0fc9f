"""A table in Arrow's format, for whatever takes Arrow tables."""
from __future__ import annotations

import io
from typing import Any

from ._program import LacunaError


class Table:
    """Rows and columns in Arrow's format.

        pyarrow.table(t), polars.DataFrame(t), pandas.DataFrame.from_arrow(t), nanoarrow.ArrayStream(t), duckdb...

    take it through the Arrow C data interface (`__arrow_c_stream__`): their columns lie in the bytes that this object
    holds, nothing is copied once more. to_pandas() and the like do it for you. Times are int64 ns; the metadata of a
    column name its unit.
    """

    def __init__(self, stream: bytes, rows: int, has_more: bool = False) -> None:
        self._stream = stream
        self._rows = rows
        #: A query with a limit had more rows than that.
        self.has_more = has_more

    def __len__(self) -> int:
        return self._rows

    @property
    def num_rows(self) -> int:
        return self._rows

    def to_ipc(self) -> bytes:
        """The table as an Arrow IPC stream."""
        return self._stream

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._reader().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        reader = self._reader()
        schema = getattr(reader, "schema", reader)
        return schema.__arrow_c_schema__()

    def _reader(self) -> Any:
        """Whichever reader of Arrow's streams is installed."""
        try:
            import pyarrow

            return pyarrow.ipc.open_stream(pyarrow.py_buffer(self._stream))
        except ImportError:
            pass
        try:
            import nanoarrow

            return nanoarrow.ArrayStream.from_readable(io.BytesIO(self._stream))
        except ImportError as error:
            raise LacunaError("tables need nanoarrow or pyarrow: pip install nanoarrow") from error

    def to_pyarrow(self) -> Any:
        """As a pyarrow.Table: its columns borrow the bytes of this one."""
        import pyarrow

        return pyarrow.ipc.open_stream(pyarrow.py_buffer(self._stream)).read_all()

    def to_pandas(self, **options: Any) -> Any:
        """As a pandas.DataFrame (needs pyarrow)."""
        return self.to_pyarrow().to_pandas(**options)

    def to_polars(self) -> Any:
        """As a polars.DataFrame."""
        import polars

        return polars.read_ipc_stream(self._stream)

    def to_pylist(self) -> list[dict[str, Any]]:
        """As a list of rows."""
        try:
            return self.to_pyarrow().to_pylist()
        except ImportError:
            import nanoarrow

            return list(nanoarrow.ArrayStream.from_readable(io.BytesIO(self._stream)).read_all().to_pylist())

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        try:
            return list(self._reader().schema.names)
        except AttributeError:
            return [field.name for field in self._reader().schema.fields]

    def __repr__(self) -> str:
        return f"<lacuna.Table of {self._rows} rows: {', '.join(self.columns)}>"
