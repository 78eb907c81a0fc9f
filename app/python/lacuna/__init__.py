"""Lacuna from Python: who is late in a training job, by how much, and why.

    import lacuna
    job = lacuna.job("traces/")                      # a local pool of processes
    job = lacuna.job(urls, engine="ray")             # digests where the traces lie, on a Ray cluster
    job["stragglers"][0]["cause"]

It runs the `lacuna` program ($LACUNA_BIN, else the one on PATH) and needs nothing but the standard library; Ray, Dask and
fsspec (for URLs such as s3://) are used where they are asked for.
"""
from .jobs import LacunaError, digest, job

__all__ = ["LacunaError", "digest", "job"]
