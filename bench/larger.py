"""Training on data that is larger than memory: time with a limit of memory over time without one.

    sudo python3 bench/larger.py lambdamart [queries] [iterations] [rounds] [share] [folder]

generates data of MSLR's shape (6,000 queries by default, 714,000 rows), bins it without a limit and within 160 MiB, and
then trains alternately without a limit and with a limit of a share (0.85) of the file's size. Limits are control groups
(version 1 or 2), which only root may create. The pages of the file count toward the limit; they are dropped before each
training run, so that both read them from disk. The peaks of the program's own memory and of mapped files are printed.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
BIN_LIMIT = 160 << 20


def named(bound: int | None) -> str:
    return f"{bound / 2**20:.0f} MiB" if bound else "no limit"


class Limit:
    """A control group with a limit of memory in bytes, or no control group if that is None."""

    def __init__(self, size: int | None):
        self.size, self.group = size, None

    def __enter__(self):
        if self.size is None:
            return self
        second = (GROUPS / "cgroup.controllers").exists()
        self.group = (GROUPS if second else GROUPS / "memory") / f"larger-{os.getpid()}"
        self.group.mkdir()
        (self.group / ("memory.max" if second else "memory.limit_in_bytes")).write_text(str(self.size))
        self.peak_file = self.group / ("memory.peak" if second else "memory.max_usage_in_bytes")
        return self

    def __exit__(self, *_):
        if self.group:
            self.group.rmdir()

    def run(self, *command: str) -> tuple[float, str]:
        """Runs a command in the group. Returns its elapsed seconds, and the peak of each kind of memory."""

        def join():
            if self.group:
                (self.group / "cgroup.procs").write_text(str(os.getpid()))

        start = time.monotonic()
        with subprocess.Popen(command, preexec_fn=join, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
            peak = watch(child)
            said = child.stderr.read()
        if child.returncode != 0:
            raise SystemExit(f"{said}\n{command[1]}: exit status {child.returncode} with a limit of {self.size} bytes")
        return time.monotonic() - start, peak


def watch(child: subprocess.Popen) -> str:
    """Waits for a process, and returns the peaks of its own memory and of mapped files."""
    largest = {"RssAnon": 0, "RssFile": 0}
    while child.poll() is None:
        for line in Path(f"/proc/{child.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in largest:
                largest[name] = max(largest[name], int(value.split()[0]))
        time.sleep(0.02)
    return " + ".join(f"{kilobytes / 1024:.0f}" for kilobytes in largest.values()) + " MiB"


def drop(path: Path) -> None:
    """Writes a file's pages to the disk and drops them from memory."""
    with open(path, "rb") as f:
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main(program: str, queries: int = 6000, iterations: int = 20, rounds: int = 3, share: float = 0.85, folder: str | None = None) -> None:
    place = Path(folder or tempfile.mkdtemp(prefix="larger-"))
    place.mkdir(exist_ok=True)
    try:
        text, binned, model = place / "train.txt", place / "train.bin", place / "model.txt"
        if not text.exists():
            with open(text, "w") as out:
                subprocess.run(["go", "run", "./bench/mslrgen", "-queries", str(queries), "-seed", "1"], stdout=out, check=True)
        files = set()
        for bound in None, BIN_LIMIT:
            drop(text)
            with Limit(bound) as group:  # bins are found from a part of the rows that fits into the limit
                seconds, peak = group.run(program, "bin", f"data={text}", f"output={binned}", "bin_construct_sample_cnt=50000")
            files.add(binned.read_bytes())
            print(f"bin, {named(bound)}: {seconds:.0f} s, {peak}", flush=True)
        size = binned.stat().st_size
        print(f"the file has {size / 2**20:.0f} MiB; different files: {len(files)}", flush=True)
        files.clear()
        limit = int(size * share)
        train = (program, "train", f"data={binned}", f"num_iterations={iterations}", f"output_model={model}")
        ratios, models = [], set()
        for _ in range(rounds):
            seconds = {}
            for bound in None, limit:
                drop(binned)
                with Limit(bound) as group:
                    seconds[bound], peak = group.run(*train)
                models.add(model.read_bytes())
                print(f"train, {named(bound)}: {seconds[bound]:.1f} s, {peak}", flush=True)
            ratios.append(seconds[limit] / seconds[None])
        print(f"ratio: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}); different models: {len(models)}")
    finally:
        if folder is None:
            shutil.rmtree(place)


if __name__ == "__main__":
    main(sys.argv[1], *(kind(text) for kind, text in zip((int, int, int, float, str), sys.argv[2:])))
