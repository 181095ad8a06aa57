"""Peak resident memory of this process and of commands."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

# On Linux a program inherits the peak memory of the process that starts it, and Python with its
# libraries is large. So a second Python, without libraries, starts the command.
LAUNCHER = """
import os, sys
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
"""


def of_command(command: list[str]) -> tuple[float, str]:
    """Runs a command. Returns its peak memory in MiB and what it wrote to standard error."""
    launch = [sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, command)]
    done = subprocess.run(launch, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}\n{command[0]}: exit status {done.returncode}; what it said is above")
    return int(done.stdout.split()[-1]) / 1024, done.stderr


def of_this_process() -> float:
    """Returns the peak so far in MiB (Linux only)."""
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024


class Watch:
    """The largest proportional set size of this process and its children while it is watched, in MiB."""

    def __init__(self) -> None:
        self.before, self.most, self.over = now_mib(), 0.0, False
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        while not self.over:
            self.most = max(self.most, now_mib())
            time.sleep(0.02)

    def stop(self) -> tuple[float, float]:
        self.over = True
        self.thread.join()
        return self.before, max(self.most, self.before)


def pids() -> list[str]:
    """Returns this process and its children."""
    texts = of_threads("self", "children")
    return [str(os.getpid()), *(pid for pid in " ".join(texts).split() if not is_beginning(pid))]


def is_beginning(pid: str) -> bool:
    """Reports whether a child has not begun its program yet: until then all of its memory is this process's."""
    try:
        return os.readlink(f"/proc/{pid}/exe") == os.readlink("/proc/self/exe")
    except OSError:  # it has ended
        return True


def of_threads(pid: str, name: str) -> list[str]:
    """Returns the contents of a file in /proc for each thread of a process: none if the process has ended."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return read_all(Path(f"/proc/{pid}/task/{thread}/{name}") for thread in threads)


def read_all(paths: Iterable[Path]) -> list[str]:
    """Returns the contents of files in /proc, without those of threads and processes that have ended since they were listed."""
    texts = []
    for path in paths:
        try:
            texts.append(path.read_text())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return texts


def now_mib() -> float:
    texts = read_all(Path(f"/proc/{pid}/smaps_rollup") for pid in pids())
    sizes = [int(line.split()[1]) for text in texts for line in text.splitlines() if line.startswith("Pss:")]
    return sum(sizes) / 1024
