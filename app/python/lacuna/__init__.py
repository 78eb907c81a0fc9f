"""Lacuna from Python: traces as tables, SQL over them, recordings, and who is late in a training job.

    import lacuna
    t = lacuna.open("trace.json.gz")                 # whatever the lacuna program reads
    t.gaps.to_pandas()                               # tables in Arrow's format: slices, gaps, kernels, …
    polars.DataFrame(t.query("SELECT name, SUM(dur) AS dur FROM slice GROUP BY name"))
    t.torch_table(sort_by="self_cuda_time_total")
    t.report().tables["causes"]                      # what limits the speed: a dict, its lists also as tables
    lacuna.hta.critical_path("trace.json.gz")        # Holistic Trace Analysis's numbers, after import lacuna.hta
    lacuna.export("traces/", "tables/", format="parquet")

    with lacuna.record("train.json.gz", ["python", "train.py"]) as recording: ...

    job = lacuna.job("traces/")                      # a local pool of processes
    job = lacuna.job(urls, engine="ray")             # digests where the traces lie, on a Ray cluster

It runs the `lacuna` program ($LACUNA_BIN, else the one installed with this package, else the one on PATH). Tables need
nanoarrow or pyarrow; Ray, Dask and fsspec (for URLs such as s3://) are used where they are asked for.
In a notebook: lacuna.show("trace.json.gz") is the window in the cell; %load_ext lacuna, then %lacuna TRACE a picture.
"""
from __future__ import annotations

from typing import Any

from ._program import LacunaError
from .export import export
from .jobs import digest, job
from .recording import Recording, record
from .show import Window, show
from .table import Table
from .trace import Picture, Report, Trace, open  # noqa: A004

__all__ = ["LacunaError", "Picture", "Recording", "Report", "Table", "Trace", "Window", "digest", "export", "job",
           "open", "record", "show"]


def load_ipython_extension(ipython: Any) -> None:
    """What %load_ext lacuna calls."""
    from .notebook import register

    register(ipython)
