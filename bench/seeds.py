"""Quality over several draws of the data, compared with LightGBM's.

    bench/run.sh seeds [--queries 6000] [--seeds 5]

Prints nDCG@10 on the validation part for each draw, under one convention, and
the mean difference from LightGBM with its standard error.
"""

import argparse
import os
import tempfile
from pathlib import Path
from statistics import mean, stdev

import data
from report import last
from run import measure
from systems import Settings

SYSTEMS = [("lightgbm", "LightGBM"), ("ours", "lambdamart"), ("ours", "lambdamart, every row")]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/run.sh seeds")
    parser.add_argument("--queries", type=int, default=6000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    settings = Settings(options.iterations, options.threads, min_sum_hessian=100 * options.queries / 6000)
    rows = []
    print("| seed | " + " | ".join(name for _, name in SYSTEMS) + " |\n" + "|---" * (1 + len(SYSTEMS)) + "|")
    for seed in range(options.seeds):
        rows.append(qualities(data.make(options.queries, seed), settings))
        print(f"| {seed} | " + " | ".join(f"{q:.4f}" for q in rows[-1]) + " |", flush=True)
    theirs, *ours = zip(*rows)
    print("| difference | | " + " | ".join(difference(values, theirs) for values in ours) + " |")


def qualities(files: data.Files, settings: Settings) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        runs = [measure(module, name, files, settings, Path(folder), judge=True) for module, name in SYSTEMS]
    return [last(run["ndcg"])["10"] for run in runs]


def difference(ours: tuple, theirs: tuple) -> str:
    differences = [a - b for a, b in zip(ours, theirs)]
    error = stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else float("nan")
    return f"{mean(differences):+.4f} ± {error:.4f}"


if __name__ == "__main__":
    main()
