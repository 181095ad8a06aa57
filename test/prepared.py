"""Runs Python programs in forks of a process that has imported scikit-learn, which takes longer than most of them.

Otherwise they are as in an interpreter of their own: nothing of ours is imported, there is one thread, and signals have
their defaults.
"""

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path

LIMIT = 3600  # seconds, against hanging


class Process:
    """A program that runs. out and err are file descriptors."""

    def __init__(self, program: Path, out: int, err: int, **environment: str):
        results, theirs = os.pipe()
        socket.send_fds(server(), [json.dumps([str(program), environment]).encode()], [theirs, out, err])
        os.close(theirs)
        self.results = open(results)
        self.pid = int(self.results.readline())

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Returns the exit status, which is negative after a signal."""
        with self.results:
            return int(self.results.readline())


def run(code: str, **environment: str) -> tuple[int, str]:
    """Returns the exit status of a program, and what it printed to standard output and error until nothing that it
    started had them open."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(code)
        printed, out = os.pipe()
        process = Process(program, out, out, **environment)
        os.close(out)
        text, end = b"", time.monotonic() + LIMIT
        with open(printed, "rb", buffering=0) as reader:
            while select.select([reader], [], [], max(0, end - time.monotonic()))[0]:
                part = reader.read(1 << 16)
                if not part:
                    return process.wait(), text.decode()
                text += part
        process.kill()
        raise TimeoutError(f"{code}\ndid not end in {LIMIT} s: {text.decode()}")


@cache
def server() -> socket.socket:
    """Starts the process that all programs are forks of. It ends when this one has ended."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen([sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()])
    return ours


def serve(requests: socket.socket) -> None:
    import sklearn.base  # noqa: F401

    gc.freeze()  # or the first collection in each fork would copy all objects
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait
    while True:
        request, files, _, _ = socket.recv_fds(requests, 1 << 16, 3)
        if not request:
            return
        if fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            requests.close()
            child = fork()
            if child == 0:
                return become(*json.loads(request), *files)
            os.write(files[0], b"%d\n" % child)
            os.write(files[0], b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            os._exit(0)
        for file in files:
            os.close(file)


def fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the other thread is of Arrow's allocator, which is prepared for forks
        return os.fork()


def become(program: str, environment: dict[str, str], results: int, out: int, err: int) -> None:
    """Runs a program in place of this one."""
    os.dup2(out, 1)
    os.dup2(err, 2)
    for file in results, out, err:
        os.close(file)
    os.environ |= environment
    sys.argv = [program]
    sys.path[:1] = [str(Path(program).parent), *environment.get("PYTHONPATH", "").split(os.pathsep)]
    names = vars(sys.modules["__main__"])
    names["__file__"] = program
    exec(compile(Path(program).read_text(), program, "exec"), names)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
