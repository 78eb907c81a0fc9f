"""A small export of Nsight Systems, and what is true of it.

write(path) makes the tables from a list of what a program of two GPUs did, and returns the answers in the form of the
references beside the shared exports. They are counted from that list, nanosecond by nanosecond, and never from the
tables.
"""
import sqlite3
from collections import defaultdict

PID = 111 << 24
TABLES = """
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2025.1');
CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, gridX INTEGER, gridY INTEGER, gridZ INTEGER,
  blockX INTEGER, blockY INTEGER, blockZ INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  value INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, textId INTEGER,
  globalTid INTEGER, domainId INTEGER);
"""


class Export:
    def __init__(self, path):
        self.file = sqlite3.connect(path)
        self.file.executescript(TABLES)
        self.texts = {}
        self.gpu, self.kernels, self.calls, self.copies = defaultdict(list), [], [], []
        self.ranges, self.with_launch = defaultdict(int), 0
        self.correlation = 0

    def text(self, text):
        if text not in self.texts:
            self.texts[text] = len(self.texts) + 1
            self.file.execute("INSERT INTO StringIds VALUES(?, ?)", (self.texts[text], text))
        return self.texts[text]

    def call(self, name, start, end):
        self.correlation += 1
        self.calls.append((name, end - start))
        self.file.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, ?, ?, ?, 0)",
                          (start, end, PID + 5, self.correlation, self.text(name)))
        return self.correlation

    def kernel(self, name, start, end, device, stream, correlation):
        """`name`: the short one, by which Nsight Systems groups kernels."""
        self.gpu[device, stream].append((start, end))
        self.kernels.append((name, end - start))
        self.with_launch += 0 < correlation <= self.correlation
        self.file.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, ?, 1, ?, ?, ?, ?, ?, 4, 2, 1, 128, 1, 1)",
                          (start, end, device, stream, correlation, PID, self.text(f"void {name}<float>(float*, int)"), self.text(name)))

    def copy(self, kind, size, start, end, device, stream):
        correlation = self.call("cudaMemcpyAsync_v3020", start - 40, start - 9)
        self.gpu[device, stream].append((start, end))
        self.copies.append((kind, size, end - start))
        self.file.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(?, ?, ?, 1, ?, ?, ?, ?, ?)",
                          (start, end, device, stream, correlation, PID, size, kind))

    def fill(self, start, end, device, stream):
        correlation = self.call("cudaMemsetAsync_v3020", start - 30, start - 12)
        self.gpu[device, stream].append((start, end))
        self.file.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(?, ?, ?, 1, ?, ?, ?, 0, 64)",
                          (start, end, device, stream, correlation, PID))

    def nvtx(self, kind, text, start, end, in_pool=False):
        self.ranges[str(kind)] += 1
        self.file.execute("INSERT INTO NVTX_EVENTS VALUES(?, ?, ?, ?, ?, ?, 0)",
                          (start, end, kind, None if in_pool else text, self.text(text) if in_pool else None, PID + 5))

    def answers(self):
        def summed(pairs):
            found = defaultdict(list)
            for name, length in pairs:
                found[name].append(length)
            return [{"name": name, "count": len(all), "total_ns": sum(all), "min_ns": min(all), "max_ns": max(all)}
                    for name, all in sorted(found.items())]
        streams = []
        for (device, stream), spans in sorted(self.gpu.items()):
            busy = len({ns for start, end in spans for ns in range(start, end)})
            window = max(end for _, end in spans) - min(start for start, _ in spans)
            streams.append({"device": device, "stream": stream, "events": len(spans), "window_ns": window,
                            "busy_ns": busy, "idle_ns": window - busy})
        kinds = sorted({kind for kind, _, _ in self.copies})
        return {"streams": streams, "kernels": summed(self.kernels), "api": summed(self.calls),
                "counts": {"CUPTI_ACTIVITY_KIND_KERNEL": len(self.kernels)}, "nvtx_by_type": dict(self.ranges),
                "memcpy_by_kind": [{"copyKind": kind, "count": sum(k == kind for k, _, _ in self.copies),
                                    "bytes": sum(b for k, b, _ in self.copies if k == kind),
                                    "total_ns": sum(t for k, _, t in self.copies if k == kind)} for kind in kinds],
                "kernels_with_runtime_row": self.with_launch}


def write(path):
    export = Export(path)
    at = 1000
    for step in range(6):
        begin = at
        export.copy(1, 4096 * (step + 1), at + 60, at + 160 + 7 * step, 0, 7)
        for layer in range(5):
            for device, stream in ((0, 7), (1, 15)):
                name = f"gemm_{layer % 3}"
                correlation = export.call("cudaLaunchKernel_v7000", at + 200, at + 213 + layer)
                start = at + 230 + 11 * layer
                export.kernel(name, start, start + 50 + 13 * layer + step, device, stream, correlation)
            # On a second stream, across two of the others.
            if layer == 2:
                correlation = export.call("cudaLaunchKernel_v7000", at + 214, at + 220)
                export.kernel("reduce", at + 240, at + 400, 0, 13, correlation)
            export.nvtx(59, f"aten::mm, seq = {step}, op_id = {layer}", at + 195, at + 225)
            at += 140
        export.fill(at + 40, at + 52, 0, 7)
        export.call("cudaStreamSynchronize_v3020", at + 30, at + 250)
        export.kernel("launched_elsewhere", at + 260, at + 301, 1, 15, 100_000 + step)
        export.nvtx(59, f"step {step}", begin, at + 260, in_pool=True)
        export.nvtx(60, "loading", begin + 5, at + 90)
        export.nvtx(34, "mark", begin + 7, None)
        at += 400
    export.copy(2, 18, at + 60, at + 75, 0, 7)
    export.file.commit()
    export.file.close()
    return export.answers()
