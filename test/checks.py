"""Runs checks for test.sh, three at a time, the first ones first.

    python test/checks.py FOLDER golden python mpi

Each runs in a fork of this process, which has already imported and loaded what most of them need: that takes longer than many checks. The folder
gets the exit status of each, NAME.status, and left_out, with the lines of all outputs that say what was left out.
"""

import gc
import os
import runpy
import sys
import time
import warnings
from pathlib import Path

import lightgbm  # noqa: F401

import sets

HERE = Path(__file__).resolve().parent
AT_ONCE = 3  # most of a check is one thread, and some wait: for ranks of MPI to start, and for processes to be killed


def main() -> None:
    folder, names, running = Path(sys.argv[1]), sys.argv[2:], {}
    # Python 3.12 warns of forks: the other thread is of Arrow's allocator, which is prepared for them.
    warnings.filterwarnings("ignore", r"This process \(pid=\d+\) is multi-threaded", DeprecationWarning)
    for data in sets.shipped(), sets.real()[0]:
        for path in data.train, data.test:
            if path.exists():
                sets.load(path)
    gc.freeze()  # or the first collection in each fork would copy all objects
    while names or running:
        if names and len(running) < AT_ONCE:
            name = names.pop(0)
            log = folder / f"{name}.log"
            child = os.fork()
            if child == 0:
                return become(name, log)
            running[child] = name, log, time.monotonic()
            continue
        child, status, used = os.wait3(0)
        name, log, began = running.pop(child)
        (folder / f"{name}.status").write_text(str(os.waitstatus_to_exitcode(status)))
        took, cpu = time.monotonic() - began, used.ru_utime + used.ru_stime
        print(f"# {name}: {took:.0f} s, {cpu:.0f} s of CPU", flush=True)
        show(log, folder)


def become(name: str, log: Path) -> None:
    """Runs a check in place of this program, with its output in a file."""
    for stream, path, flags in (0, os.devnull, os.O_RDONLY), (1, log, os.O_WRONLY | os.O_CREAT):
        os.dup2(os.open(path, flags, 0o666), stream)
    os.dup2(1, 2)
    program = HERE / ("golden.py" if name == "golden" else f"check_{name}.py")
    sys.argv = [str(program), *["check"] * (name == "golden")]
    runpy.run_path(sys.argv[0], run_name="__main__")


def show(log: Path, folder: Path) -> None:
    """Prints the output of a check when it has ended, so that outputs of checks that run at the same time are not mixed. A program that
    fails may print any bytes."""
    with open(folder / "left_out", "ab") as left_out:
        for line in log.read_bytes().splitlines():
            out = left_out if line.startswith(b"left out: ") else sys.stdout.buffer
            out.write(line + b"\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
