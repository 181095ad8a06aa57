"""Processes of the binary: one for each training run, and some long-lived ones for everything else."""

from __future__ import annotations

import atexit
import io
import itertools
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import _binary
from ._errors import LambdaMARTError, TrainingFailed, TrainingPanic, in_python
from ._shared import File, Memory, Window

BUFFER = "LAMBDAMART_WORKER_BUFFER"
COMPACT = b"\1"  # begins a request for scores in compact form (cmd/lambdamart/internal/worker), and answers it
SCORE = struct.Struct("<c8q")


class Process:
    """A process of the binary, and the requests and events of its protocol."""

    def __init__(self, files: Sequence[Memory | File] = (), buffer: Memory | None = None) -> None:
        environment = dict(os.environ)
        if buffer is not None:
            environment[BUFFER] = buffer.path or str(buffer.fd)
            files = [*files, buffer]
        files = with_windows(files)
        self._windows = {f.number: f for f in files if isinstance(f, Window)}
        self._stderr = scratch()
        self._pending = bytearray()  # bytes read but not yet used
        # A separate session: Ctrl-C in the terminal goes only to Python, which ends this process.
        options: dict[str, Any]
        if sys.platform == "win32":  # a form that type checkers understand
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        else:
            options = {"start_new_session": True, "pass_fds": [f.fd for f in files if not f.path]}
        try:
            self._process = subprocess.Popen(
                [_binary.path(), "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, env=environment, bufsize=0, **options
            )
        except OSError as error:
            self._stderr.close()
            raise LambdaMARTError(f"{_binary.path()} cannot be run: {error}") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, op: str, payload: bytes = b"", /, **fields: Any) -> None:
        fields["op"] = op
        if payload:
            fields["payload"] = len(payload)
        assert self._process.stdin is not None
        try:
            for part in json.dumps(fields, allow_nan=False).encode() + b"\n", payload:
                data = memoryview(part)
                while data:
                    data = data[self._process.stdin.write(data) :]
        except OSError:
            if self._process.stdin.closed:  # by Ctrl-C during the call
                raise ValueError("the input of the process is closed") from None
            raise self._ended() from None

    def receive(self) -> tuple[dict[str, Any], bytes]:
        """Returns the next event and its payload. Before, it shows the matrices that the process asks for, and closes their
        windows when all are read. The event "error" is raised as a ValueError, a TrainingFailed or a TrainingPanic."""
        while True:
            event, payload = self._event()
            if event["event"] == "error":
                if kind := {"panic": TrainingPanic, "unfinished": TrainingFailed}.get(event.get("kind", "")):
                    raise kind(event["message"], payload)
                raise ValueError(event["message"])
            if event["event"] == "loaded":
                for window in self._windows.values():
                    window.close()
            elif event["event"] == "values":
                self._windows[event["set"]].show(event, payload)
                self._go()
            else:
                return event, payload

    def score(self, request: bytes) -> list[str]:
        """Sends a request for scores in compact form, and returns warnings when they are in the buffer. An error is a ValueError."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(request)  # which is too short to be divided
        except OSError:
            raise self._ended() from None
        if (answer := self._process.stdout.read(4096)) == COMPACT:
            return []
        if not answer:
            raise self._ended()
        self._pending += answer
        warnings: list[str] = self.receive()[0]["warnings"]
        return warnings

    def _go(self) -> None:
        """Answers an event, unless Ctrl-C has ended the input."""
        assert self._process.stdin is not None
        try:
            self.send("go")
        except ValueError:
            if not self._process.stdin.closed:
                raise

    def _event(self) -> tuple[dict[str, Any], bytes]:
        end = self._read_until(lambda: self._pending.find(b"\n") + 1)
        event = json.loads(self._take(end))
        if "message" in event:
            event["message"] = in_python(event["message"])
        return event, self._payload(event.get("payload", 0))

    def _payload(self, n: int) -> bytes:
        """Returns the next bytes, which may be a large model, without a second copy of them."""
        assert self._process.stdout is not None
        content = io.BytesIO()
        content.write(self._take(min(n, len(self._pending))))
        while content.tell() < n:
            data = self._process.stdout.read(min(1 << 16, n - content.tell()))
            if not data:
                raise self._ended()
            content.write(data)
        return content.getvalue()

    def _read_until(self, condition: Callable[[], int]) -> int:
        """Reads until a condition holds. The pipes are unbuffered, because a fork could inherit a locked Python buffer."""
        assert self._process.stdout is not None
        while not (result := condition()):
            data = self._process.stdout.read(1 << 16)
            if not data:
                raise self._ended()
            self._pending += data
        return result

    def _take(self, n: int) -> bytes:
        data = bytes(self._pending[:n])
        del self._pending[:n]
        return data

    def _ended(self) -> LambdaMARTError:
        """Returns the error for a process that has ended unexpectedly."""
        self._stop()
        text = ""
        if not self._stderr.closed:
            self._stderr.seek(0)
            text = self._stderr.read().decode(errors="replace").strip()
            self._stderr.close()
        return ended(self._process.returncode, text)

    def kill(self) -> None:
        """Kills the process and waits for it."""
        self._stop()
        self._stderr.close()

    def _stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._close_pipes()
        self._process.wait()

    def finish(self) -> None:
        """Ends an idle process by closing its input."""
        limit = threading.Timer(5, self._process.kill)
        limit.start()
        try:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.close()
            while self._process.stdout.read(1 << 16):
                pass
            self._process.wait()
        except OSError:
            self._process.kill()
            self._process.wait()
        finally:
            limit.cancel()
            self._close_pipes()
        self._stderr.close()

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass

    @contextmanager
    def interruptible(self) -> Iterator["Interrupt"]:
        """Lets Ctrl-C end the run after the current iteration, and a second Ctrl-C end it at once.

        Has no effect outside the main thread, or if the program has its own signal handler.
        """
        interrupt = Interrupt(self)
        ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours:
            signal.signal(signal.SIGINT, interrupt.press)
        try:
            yield interrupt
        finally:
            if ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    def end_input(self) -> None:
        """Makes a run end after the current iteration, with its result. Nothing can be sent afterwards."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def forget(self) -> None:
        """Must be called in a fork: the process belongs to the parent, so only the pipes are closed."""
        self._close_pipes()
        self._stderr.close()
        self._process.returncode = 0  # keeps the destructor from waiting or warning


def with_windows(files: Sequence[Memory | File]) -> list[Memory | File]:
    """Returns files, and the windows of those that are arrays."""
    return [*files, *(f.window for f in files if isinstance(f, Memory) and f.window is not None)]


class Interrupt:
    """Whether Ctrl-C was pressed during a run."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.pressed = False
        self.asked = False  # the process waits for an answer after each iteration, which can tell it to end

    def press(self, number: int, frame: Any) -> None:
        if self.pressed:
            signal.default_int_handler(number, frame)
        self.pressed = True
        if not self.asked:
            self._process.end_input()


@contextmanager
def running(files: Sequence[File | Memory] = ()) -> Iterator[Process]:
    """Starts a process and passes files to it. It is killed if the body raises any exception, including Ctrl-C."""
    process = Process(files)
    try:
        yield process
    except BaseException:
        process.kill()
        raise
    process.finish()


def run(*arguments: str, files: Sequence[File | Memory] = (), answer: Callable[[Process, dict[str, Any]], None] | None = None, **request: Any) -> tuple[bytes, str]:
    """Runs a command of the binary, and returns what it printed and, if that is JSON, the same as text for people. Its error
    is a ValueError.

    files: files that the command reads through descriptors. answer: called with the process and each message. The
    command ends when Python ends, and at once if Ctrl-C or an exception in answer ends this call.
    """
    with running(files) as process:
        process.send("run", args=list(arguments), **request)
        while True:
            event, payload = process.receive()
            if event["event"] == "result":
                return payload, event.get("text", "")
            if answer is not None:
                answer(process, event)


def ended(status: int, text: str) -> LambdaMARTError:
    """Returns the error for a process of the binary that has ended: its status and what it wrote to standard error."""
    why = f"signal {-status}" if status < 0 else f"exit status {status}"
    if status == -9 and not text:
        why += ", perhaps because memory ran out"
    return LambdaMARTError(f"the binary ended before it answered ({why})" + (f":\n{text[:4000]}" if text else ""))


def scratch() -> Any:
    """Returns a file for the output of a process, in memory if possible."""
    if hasattr(os, "memfd_create"):
        try:
            return os.fdopen(os.memfd_create("lambdamart-output", os.MFD_CLOEXEC), "r+b")
        except OSError:
            pass
    return tempfile.TemporaryFile()


GENERATIONS = itertools.count(1)


class Worker:
    """A long-lived process, started when it is first needed and restarted if it ended. `Workers` lends it to one thread at a time."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.thread = 0  # the thread that has it or is about to take it; 0: none
        self.uses = 0  # by that thread
        self.generation = 0  # unique number of the process; handles of models are valid in one generation
        self.unused: deque[tuple[int, int]] = deque()  # generations and handles of deleted models
        self._process: Process | None = None
        self._buffer: Memory | None = None

    def buffer(self, size: int) -> Memory:
        """Returns shared memory of at least this size. Views of it must be released before the next call."""
        self._start()
        assert self._buffer is not None
        try:
            self._buffer.grow(size)
        except OSError as error:
            self.stop()
            raise LambdaMARTError(f"{size:,} bytes of shared memory cannot be had: {error}") from error
        except BaseException:  # the old mapping may be gone without a new one
            self.stop()
            raise
        return self._buffer

    def call(self, op: str, payload: bytes = b"", /, **fields: Any) -> tuple[dict[str, Any], bytes]:
        self._start()
        self._free()
        return self._exchange(op, payload, fields)

    def score(self, model: int, rows: int, part: dict[str, int], numbers: int, single: bool, watch: int) -> list[str]:
        """Scores rows in the buffer like the request "score", in less time."""
        self._free()
        assert self._process is not None and self._buffer is not None
        try:
            return self._process.score(SCORE.pack(COMPACT, model, rows, part["from"], part["n"], part["threads"], self._buffer.size, numbers, single + 2 * part["kind"] + 8 * watch))
        except ValueError:
            raise
        except BaseException:  # as in _trusted, which takes longer
            self.stop()
            raise

    def _free(self) -> None:
        while self.unused:
            generation, handle = self.unused.popleft()
            if generation == self.generation:
                self._exchange("free", b"", {"model": handle})

    def run(self, *arguments: str, **request: Any) -> tuple[dict[str, Any], bytes, list[str]]:
        """Runs a command, and returns its result, the payload, and its warnings."""
        event, payload = self.call("run", args=list(arguments), strict=True, **request)
        warnings = []
        while event["event"] != "result":
            if event["event"] == "warning":
                warnings.append(event["message"])
            with self._trusted() as process:
                event, payload = process.receive()
        return event, payload, warnings

    def _exchange(self, op: str, payload: bytes, fields: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        with self._trusted() as process:
            assert self._buffer is not None
            process.send(op, payload, size=self._buffer.size, **fields)
            return process.receive()

    @contextmanager
    def _trusted(self) -> Iterator[Process]:
        """Lends the process. If anything but an error of the request ends the body, the process is ended as well: an answer
        may still be on its way, and would be taken for the answer to a later request."""
        assert self._process is not None
        try:
            yield self._process
        except ValueError:
            raise
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        if self._process is not None:
            return
        self.generation = next(GENERATIONS)
        try:
            self._buffer = Memory(1 << 20)
            self._process = Process([], self._buffer)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        process, self._process = self._process, None
        buffer, self._buffer = self._buffer, None
        if process is not None:
            process.kill()
        if buffer is not None:
            buffer.close()

    def forget(self) -> None:
        """Must be called in a fork: the process belongs to the parent."""
        process, self._process = self._process, None
        buffer, self._buffer = self._buffer, None
        if process is not None:
            process.forget()
        if buffer is not None:
            buffer.path = ""
            buffer.close()


class Lent:
    """A worker in the hands of a thread."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def __enter__(self) -> Worker:
        worker = self.worker
        worker.lock.acquire()
        worker.thread = threading.get_ident()
        worker.uses += 1
        return worker

    def __exit__(self, *error: Any) -> None:
        worker = self.worker
        worker.uses -= 1
        if not worker.uses:
            worker.thread = 0
        worker.lock.release()


class Workers:
    """The long-lived processes: as many as threads have needed at the same time, at most one for each processor."""

    def __init__(self) -> None:
        self._forget()
        self._most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._all: list[Worker] = []
        self._turn = itertools.count()

    def taken(self) -> "Lent":
        """Lends a worker to this thread; nested calls get the same worker."""
        return Lent(self._choose(threading.get_ident()))

    def _choose(self, thread: int) -> Worker:
        """Returns a free worker, or one to wait for."""
        with self._lock:
            for wanted in thread, 0:
                for worker in self._all:
                    if worker.thread == wanted:
                        worker.thread = thread
                        return worker
            if len(self._all) == self._most:
                return self._all[next(self._turn) % self._most]
            worker = Worker()
            worker.thread = thread
            self._all.append(worker)
            return worker

    def stop(self) -> None:
        for worker in self._all:
            worker.stop()

    def forget(self) -> None:
        """Must be called in a fork, which starts its own workers when it needs them."""
        for worker in self._all:
            worker.forget()
        self._forget()


WORKERS = Workers()
atexit.register(WORKERS.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WORKERS.forget)
