"""Prediction from the command line, end to end: from two files to a file of scores.

    bench/run.sh predict [--queries 6000] [--rounds 5] [--threads 2]

Models of 100 and 500 trees with 255 leaves score the test part, a third as many queries. lambdamart predict and
LightGBM's library run in turn, each in a process of its own: the library loads the model and calls
LGBM_BoosterPredictForFile, which is what `lightgbm task=predict` does. Its package has no program, so a bare Python
calls it. LightGBM gets lines without qid:, which it cannot read. All scores must be equal.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import data
from run import cpu

# Exported functions return 0, or -1 after an error that LightGBM has printed.
LIGHTGBM = """
import ctypes, sys
lib, model, rows, out, parameters = (word.encode() for word in sys.argv[1:])
lib = ctypes.CDLL(lib.decode())
booster, count = ctypes.c_void_p(), ctypes.c_int()
failed = lib.LGBM_BoosterCreateFromModelfile(model, ctypes.byref(count), ctypes.byref(booster))
sys.exit(failed or lib.LGBM_BoosterPredictForFile(booster, rows, 0, 0, 0, -1, parameters, out))
"""


def main() -> None:
    options = parse()
    files = data.make(options.queries, seed=0)
    print(f"{options.threads} threads of {cpu()}; wall and user CPU seconds, medians of {options.rounds} rounds\n")
    print("| trees | lambdamart | LightGBM | ratio | CPU: lambdamart | LightGBM | ratio |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.txt"
        data.strip_query_ids(files.test, bare)
        for trees in (100, 500):
            print(compare(Path(folder), files, bare, trees, options), flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run.sh predict")
    parser.add_argument("--queries", type=int, default=6000, help="training queries")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    return parser.parse_args()


def compare(folder: Path, files: data.Files, bare: Path, trees: int, options: argparse.Namespace) -> str:
    model, mine, theirs = folder / "model.txt", folder / "mine.txt", folder / "theirs.txt"
    program, threads = Path(os.environ["LAMBDAMART_BIN"]) / "lambdamart", f"num_threads={options.threads}"
    subprocess.run([program, "train", f"data={files.train}", f"output_model={model}", "num_leaves=255",
                    f"num_iterations={trees}", "verbosity=-1"], check=True)  # fmt: skip
    ours = [program, "predict", f"data={files.test}", f"input_model={model}", f"output_result={mine}", "verbosity=-1", threads]
    library = Path(importlib.util.find_spec("lightgbm").origin).parent / "lib" / "lib_lightgbm.so"
    lightgbm = [sys.executable, "-I", "-S", "-c", LIGHTGBM, library, model, bare, theirs, threads]
    rounds = [(timed(ours), timed(lightgbm)) for _ in range(options.rounds)]
    if [float(line) for line in open(mine)] != [float(line) for line in open(theirs)]:
        raise SystemExit(f"{trees} trees: scores differ")
    return f"| {trees} |" + "|".join(cells([(a[i], b[i]) for a, b in rounds]) for i in (0, 1)) + "|"


def timed(command: list) -> tuple[float, float]:
    """Returns the wall time and the user CPU time of a command, in seconds."""
    command = [str(word) for word in command]
    start = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    _, status, usage = os.wait4(os.posix_spawn(command[0], command, os.environ, file_actions=quiet), 0)
    if status != 0:
        raise SystemExit(f"{command[0]}: exit status {os.waitstatus_to_exitcode(status)}; what it said is above")
    return time.perf_counter() - start, usage.ru_utime


def cells(pairs: list[tuple[float, float]]) -> str:
    ratios = [theirs / mine for mine, theirs in pairs]
    mine, theirs = (median(pair[i] for pair in pairs) for i in (0, 1))
    return f" {mine:.2f} | {theirs:.2f} | {median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f}) "


if __name__ == "__main__":
    main()
