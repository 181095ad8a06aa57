"""Compares the speed of training with LightGBM's on small real data.

    bench/run.sh small

The data lie in the folder LAMBDAMART_DATA (default ../shared/data): the first fold of MQ2008 and
the MSLR sample. Trees have 31 leaves, the default of both programs, 15 and 255. The table gives the
time of an iteration, measured in interleaved rounds, and LightGBM's time divided by it.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import data
from report import iteration, reading
from run import measure
from systems import Settings

ROOT = Path(__file__).resolve().parent.parent
REAL = Path(os.environ.get("LAMBDAMART_DATA") or ROOT.parent / "shared" / "data")
SYSTEMS = [("ours", "lambdamart"), ("ours", "lambdamart, every row"), ("lightgbm", "LightGBM")]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/run.sh small")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    print("| data | leaves | system | read and bin, s | iteration, ms | LightGBM's time over this |")
    print("|---|---|---|---|---|---|")
    for name, source in ("MQ2008 fold 1", REAL / "mq2008" / "Fold1"), ("MSLR sample", REAL / "mslr-web30k-sample"):
        if not (source / "train.txt").exists():
            print(f"left out: {name}: no {source}/train.txt (set LAMBDAMART_DATA)", file=sys.stderr)
            continue
        for leaves in 15, 31, 255:
            compare(name, source, Settings(options.iterations, options.threads, leaves, min_sum_hessian=1.0), options.rounds)


def compare(name: str, source: Path, settings: Settings, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = data.Files(Path(folder))
        copy_without_comments(source / "train.txt", files.train)
        data.strip_query_ids(files.train, files.train_without_qid)
        runs = [[measure(m, c, files, settings, Path(folder), judge=False) for m, c in SYSTEMS] for _ in range(rounds)]
    for (_, system), mine in zip(SYSTEMS, zip(*runs)):
        ratios = [iteration(r[-1]) / iteration(m) for r, m in zip(runs, mine)]
        spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        cells = name, settings.leaves, system, f"{median(map(reading, mine)):.3f}", f"{1000 * median(map(iteration, mine)):.2f}", spread
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def copy_without_comments(source: Path, path: Path) -> None:
    """Copies a LETOR file without comments, which LightGBM's reader does not support."""
    with open(source, "rb") as lines, open(path, "wb") as out:
        for line in lines:
            out.write(line.split(b"#")[0].rstrip() + b"\n")


if __name__ == "__main__":
    main()
