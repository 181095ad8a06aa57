"""Reading and binning text, from a warm and from a cold page cache.

    bench/run.sh reading [--queries 6000] [--rounds 5] [--threads 2]

lambdamart and LightGBM read the training part in turn, each in a process of its own, and train one tree. The time is the
time until the data is binned. For a cold cache, the pages of the file are dropped before each run (Linux only). The last
line has the time that reading the bytes of the file alone takes then. LightGBM gets lines without qid:, which it cannot read.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

import data
from run import cpu, measure
from systems import Settings

SYSTEMS = dict(lambdamart="ours", LightGBM="lightgbm")


def main() -> None:
    options = parse()
    files = data.make(options.queries, seed=0)
    settings = Settings(iterations=1, threads=options.threads)
    print(f"{options.threads} threads of {cpu()}; seconds, medians of {options.rounds} rounds\n")
    print("| page cache | lambdamart | LightGBM | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for state, prepare in dict(warm=read, cold=drop).items():
            rounds = [seconds(files, settings, Path(folder), prepare) for _ in range(options.rounds)]
            print(f"| {state} |{cells(rounds)}|", flush=True)
    drop(files.train)
    print(f"\nThe bytes alone, cold: {read(files.train):.2f} s")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run.sh reading")
    parser.add_argument("--queries", type=int, default=6000, help="training queries")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    return parser.parse_args()


def seconds(files: data.Files, settings: Settings, folder: Path, prepare) -> list[float]:
    """Returns the seconds that each system takes, after its file was prepared."""
    loads = []
    for system, module in SYSTEMS.items():
        prepare(files.train if module == "ours" else files.train_without_qid)
        loads.append(measure(module, system, files, settings, folder, judge=False)["load"])
    return loads


def read(path: Path) -> float:
    """Reads a file, and returns the seconds that this took."""
    start, piece = time.perf_counter(), bytearray(1 << 20)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(piece):
            pass
    return time.perf_counter() - start


def drop(path: Path) -> None:
    """Drops the pages of a file from the page cache. Pages that are not written yet would stay."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cells(rounds: list[list[float]]) -> str:
    ratios = [theirs / mine for mine, theirs in rounds]
    mine, theirs = (median(loads) for loads in zip(*rounds))
    return f" {mine:.2f} | {theirs:.2f} | {median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f}) "


if __name__ == "__main__":
    main()
