"""A worker process of a sweep: reads lists of rows, runs them, answers line by line.

It is started as a program of its own, not as a copy of the client: a script needs no
`if __name__ == "__main__"`, and nothing that the client has open is shared. The client speaks in
pickles (its own objects), the worker answers with the lines of the record, which are plain data.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from typing import IO, Any

from cornerlaw.analysis.sweeps.measures import MissingMeasure
from cornerlaw.analysis.sweeps.record import RowWriter, encode_row
from cornerlaw.analysis.sweeps.task import Task

# what is not a row has a negative number
READY, MISSING, BROKEN = -1, -2, -3
HEADER = struct.Struct("<Q")


def send(stream: IO[bytes], message: Any) -> None:
    """Write a pickle with its length before it."""
    content = message if isinstance(message, bytes) else pickle.dumps(message)
    stream.write(HEADER.pack(len(content)) + content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Return the next pickle, None where the other side is gone."""
    head = stream.read(HEADER.size)
    if len(head) < HEADER.size:
        return None
    size = HEADER.unpack(head)[0]
    content = stream.read(size)
    return pickle.loads(content) if len(content) == size else None


def limit_memory(gigabytes: float) -> None:
    """Let the process have so much memory of its own; asking for more is a MemoryError."""
    if sys.platform != "win32":
        import resource

        most = int(gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def note(code: int, text: str = "") -> bytes:
    """Return a line that is no row."""
    return encode_row({"row": code, "message": text})


def main() -> None:
    """Serve one client until it says so or is gone."""
    # Ctrl-C is the business of the client, which ends its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what functions of the user print must not get between the lines
    requests = sys.stdin.buffer
    try:
        first = receive(requests)
        if first is None:
            return
        task, folder, memory_limit = first
        if memory_limit is not None:
            limit_memory(memory_limit)
        writer = None if folder is None else RowWriter(folder)
        answers.write(note(READY))
        _serve(task, writer, requests, answers)
    except BrokenPipeError:
        return  # the client is gone; what is finished is in the record
    except Exception as error:
        answers.write(note(BROKEN, f"{type(error).__name__}: {error}"))


def _serve(task: Task, writer: RowWriter | None, requests: Any, answers: Any) -> None:
    """Run every list of rows that comes."""
    while True:
        batch = receive(requests)
        if not batch:
            break
        for k, values in batch:
            try:
                line = encode_row(task.row(k, values))
            except MissingMeasure as error:
                answers.write(note(MISSING, str(error)))
                return
            if writer is not None:
                writer.write(line)
            answers.write(line)
    if writer is not None:
        writer.close()
