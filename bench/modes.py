"""Compares the speed of each way of training with LightGBM's same way.

    bench/run.sh modes
    bench/run.sh modes --queries 1000 --only goss --only dart

The data are those of bench/run.sh, binned by each program beforehand. In each round every way is
trained by both programs in turn, so that other work of the machine slows both alike, and ratios are
taken within a round. Seconds are of training only; ours include the start of the command and mapping
the bins. LightGBM has no symmetric trees, so these are compared only with our default.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import data
from systems import Settings
from systems.lightgbm import common

FEATURES = 137  # of LETOR text with 136 features that counts from 1
MONOTONE = ",".join("1" if f % 4 == 1 else "0" for f in range(FEATURES))
SYMMETRIC = "symmetric"


@dataclass(frozen=True)
class Mode:
    """A way of training, by LightGBM's names of its parameters."""

    parameters: dict = field(default_factory=dict)
    categorical: bool = False  # on data with categorical features
    rival: bool = True  # LightGBM has it


MODES = {
    "default": Mode(),
    "bagging": Mode(dict(bagging_fraction=0.5, bagging_freq=1)),
    "goss": Mode(dict(data_sample_strategy="goss")),
    "dart": Mode(dict(boosting="dart")),
    "rf": Mode(dict(boosting="rf", bagging_fraction=0.632, bagging_freq=1)),
    "extra_trees": Mode(dict(extra_trees="true")),
    "path_smooth": Mode(dict(path_smooth=10, min_data_in_leaf=2)),
    "monotone, basic": Mode(dict(monotone_constraints=MONOTONE)),
    "monotone, intermediate": Mode(dict(monotone_constraints=MONOTONE, monotone_constraints_method="intermediate")),
    "monotone, advanced": Mode(dict(monotone_constraints=MONOTONE, monotone_constraints_method="advanced")),
    "categorical": Mode(categorical=True),
    SYMMETRIC: Mode(dict(grow_policy="symmetric", num_leaves=256), rival=False),
}


def main() -> None:
    if sys.argv[1:2] == ["--lightgbm"]:
        print(json.dumps(train_lightgbm(*map(json.loads, sys.argv[2:]))))
        return
    options = parse()
    files = data.make(options.queries, 0)
    settings = Settings(options.iterations, options.threads, options.leaves, min_sum_hessian=100 * options.queries / 6000)
    chosen = {name: MODES[name] for name in options.only or MODES}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        binned = {c: Binned(files, Path(folder), c, settings) for c in {m.categorical for m in chosen.values()}}
        rounds = [{name: seconds(name, mode, binned[mode.categorical], settings) for name, mode in chosen.items()} for _ in range(options.rounds)]
    print("\n".join(table(rounds)))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run.sh modes")
    parser.add_argument("--queries", type=int, default=6000)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--leaves", type=int, default=255)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", choices=MODES)
    parser.add_argument("--folder", type=Path, help="for binned data, which are removed in the end")
    return parser.parse_args()


class Binned:
    """The training data in the form of each program."""

    def __init__(self, files: data.Files, folder: Path, categorical: bool, settings: Settings):
        features = categories(files.train) if categorical else []
        self.ours, self.lightgbm = folder / f"{categorical}.ours", folder / f"{categorical}.lightgbm"
        extra = [f"categorical_feature={','.join(map(str, features))}"] if categorical else []
        ours("bin", f"data={files.train}", f"output={self.ours}", *extra)
        lightgbm_process("bin", str(files.train_without_qid), str(self.lightgbm), common(settings), features)


def categories(path: Path, most: int = 100, wanted: int = 16, rows: int = 20_000) -> list[int]:
    """Returns the first features with integer values that have at least 3 and at most this many distinct values in the first rows."""
    values: list[set] = [set() for _ in range(FEATURES)]
    with open(path) as lines:
        for _, line in zip(range(rows), lines):
            for pair in line.split()[2:]:
                feature, value = pair.split(":")
                if len(values[int(feature)]) <= most:
                    values[int(feature)].add(float(value))
    whole = [f for f, seen in enumerate(values) if 3 <= len(seen) <= most and all(v >= 0 and v.is_integer() for v in seen)]
    return whole[:wanted]


def seconds(name: str, mode: Mode, binned: Binned, settings: Settings) -> dict:
    """Returns CPU and wall seconds of both programs."""
    times = {"ours": train_ours(mode, binned, settings)}
    if mode.rival:
        times["lightgbm"] = lightgbm_process("train", str(binned.lightgbm), common(settings) | mode.parameters, settings.iterations)
    print(name, times, file=sys.stderr, flush=True)
    return times


def ours(*command: str) -> None:
    done = subprocess.run([Path(os.environ["LAMBDAMART_BIN"]) / "lambdamart", *command], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stderr}\nlambdamart {' '.join(command)}: exit status {done.returncode}")


def train_ours(mode: Mode, binned: Binned, settings: Settings) -> tuple[float, float]:
    parameters = common(settings) | dict(num_iterations=settings.iterations, output_model=os.devnull) | mode.parameters
    for name in "verbosity", "max_bin":  # which the bins have
        del parameters[name]
    before, start = children(), time.perf_counter()
    ours("train", f"data={binned.ours}", *(f"{name}={value}" for name, value in parameters.items()))
    return children() - before, time.perf_counter() - start


def children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def lightgbm_process(*arguments):
    """Runs LightGBM in a separate process, which ends with its threads."""
    command = [sys.executable, __file__, "--lightgbm", *map(json.dumps, arguments)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1])


def train_lightgbm(task: str, path: str, *rest) -> tuple[float, float] | None:
    import lightgbm

    if task == "bin":
        to, parameters, features = rest
        lightgbm.Dataset(path, params=parameters, categorical_feature=features).construct().save_binary(to)
        return None
    parameters, iterations = rest
    dataset = lightgbm.Dataset(path, params=parameters).construct()
    cpu, start = time.process_time(), time.perf_counter()
    lightgbm.train(parameters, dataset, iterations)
    return time.process_time() - cpu, time.perf_counter() - start


def table(rounds: list[dict]) -> list[str]:
    lines = ["| way of training | ours, CPU s | LightGBM, CPU s | LightGBM over ours, CPU | wall | over our default, CPU |", "|---|---|---|---|---|---|"]
    for name in rounds[0]:
        mine = [r[name] for r in rounds]
        cells = [name, f"{median(m['ours'][0] for m in mine):.2f}"]
        if "lightgbm" in mine[0]:
            cells += [f"{median(m['lightgbm'][0] for m in mine):.2f}", *(spread([m["lightgbm"][k] / m["ours"][k] for m in mine]) for k in (0, 1))]
        else:
            cells += ["", "", ""]
        cells.append(spread([r[name]["ours"][0] / r["default"]["ours"][0] for r in rounds]) if "default" in rounds[0] else "")
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def spread(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
