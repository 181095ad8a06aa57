"""Times the scoring of all systems in turn, in several rounds, and reports. run.sh calls it.

Rounds are interleaved, so that other work of the machine slows all systems alike, and ratios are
taken within a round.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
os.environ["OMP_NUM_THREADS"] = "1"  # has effect only before the systems are loaded

import numpy as np

import models
import scorers
import table

import data  # this and the next of bench/
from run import cpu, output

BATCH = 20_000
BATCHES = BATCH, 100, 1
SMALL = 1, 2, 3, 4, 6, 8, 10, 12, 14, 15, 16, 17, 20, 24, 32, 48, 63, 64, 65, 80, 99  # documents; only ours is timed on these
OTHERS = scorers.LightGBM, scorers.Compiled, scorers.ONNX, scorers.XGBoost
IN_GO = "lambdamart", "leaves"


def main() -> None:
    options = parse()
    files = data.make(options.queries, 0)
    chosen = models.make(files, options.trees)
    rows = models.rows(files, BATCH)
    if len(rows) < BATCH:
        print(f"only {len(rows)} rows to score; {BATCH} want --queries 600", file=sys.stderr)
    result = about(options, rows) | dict(equal=[], runs=[], small=[])
    with tempfile.TemporaryDirectory() as folder:
        matrix = Path(folder) / "rows"
        rows.tofile(matrix)
        go = scorers.Go(matrix, rows.shape[1], chosen)
        for model in chosen:
            others = load(rows, model)
            result["equal"] += compare(go, model, others, len(rows), Path(folder) / "scores")
            for number in range(options.rounds):
                result["runs"] += one_round(go, model, others, rows, number, options.seconds)
                options.out.write_text(json.dumps(result, indent=1) + "\n")
            result["small"] += [timed(go, "lambdamart", model, n, options.seconds / 2) for n in SMALL]
            options.out.write_text(json.dumps(result, indent=1) + "\n")
        go.close()
    result["load_after"] = os.getloadavg()
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(table.all_of(result))
    print(f"kept in {options.out}", file=sys.stderr)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares scoring with other systems on this machine, one thread each.")
    parser.add_argument("--queries", type=int, default=600, help="training queries; a third as many are scored")
    parser.add_argument("--trees", type=int, help="at most so many a model, for a quick look")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="the least that a measurement takes")
    parser.add_argument("--out", type=Path, help="JSON file")
    options = parser.parse_args()
    options.out = options.out or HERE.parent / "results" / f"{datetime.date.today()}-scoring.json"
    options.out.parent.mkdir(exist_ok=True)
    return options


def load(rows: np.ndarray, model: models.Model) -> list:
    loaded = [system(rows) for system in OTHERS]
    for system in loaded:
        system.load(model)
    return loaded


def compare(go: scorers.Go, model: models.Model, others: list, rows: int, beside: Path) -> list[dict]:
    """Fails unless the scores of all systems agree on all rows within their tolerances."""
    want = others[0].batches(0, rows)().copy()
    scores = {name: go.scores(name, model, beside) for name in IN_GO} | {o.name: o.batches(0, rows)() for o in others[1:]}
    tolerance = dict.fromkeys(IN_GO, 0.0) | {o.name: o.tolerance for o in others}
    found = []
    for name, got in scores.items():
        off = float(np.abs(got - want).max() / np.abs(want).max())
        if off > tolerance[name] or tolerance[name] == 0 and got.tobytes() != want.tobytes():
            raise SystemExit(f"{name} differs from LightGBM on {model.name} by {off}, relative to the largest score")
        found.append(dict(model=model.name, system=name, difference=off, rows=rows))
    return found


def one_round(go: scorers.Go, model: models.Model, others: list, rows: np.ndarray, number: int, seconds: float) -> list[dict]:
    runs = []
    for batch in (min(b, len(rows)) for b in BATCHES):
        for name in IN_GO:
            runs.append(timed(go, name, model, batch, seconds, first(number, batch, rows)))
        for system in others:
            cost = time_batches(system, len(rows), batch, first(number, batch, rows), seconds)
            runs.append(dict(system=system.name, model=model.name, batch=batch) | cost)
        for run in runs[-len(IN_GO) - len(others) :]:
            run["round"] = number
            print(table.line(run), file=sys.stderr, flush=True)
    return runs


def first(number: int, batch: int, rows: np.ndarray) -> int:
    """Returns the first row of a round. Rounds begin at different rows, so that short measurements do not repeat the same ones."""
    return number * 997 % (len(rows) - batch + 1)


def timed(go: scorers.Go, system: str, model: models.Model, batch: int, seconds: float, first: int = 0) -> dict:
    return dict(system=system, model=model.name, batch=batch) | go.ask("time", system, model.name, batch, first, seconds)


def time_batches(system, rows: int, batch: int, first: int, seconds: float) -> dict:
    """Does the same as timeBatches in bench/timed/scoring.go. The arguments of calls are prepared before the clock starts."""
    calls = 1 if batch > 1000 else max(1, 2000 // batch)
    prepared = [system.batches((first + i * batch) % (rows - batch + 1), batch) for i in range(calls)]
    for call in prepared[: max(1, 100 // batch)]:
        call()
    documents, wall = 0, 0.0
    start, processor = time.perf_counter(), time.process_time()
    while wall < seconds:
        for call in prepared:
            call()
        documents += calls * batch
        wall = time.perf_counter() - start
    return dict(documents=documents, wall=wall, processor=time.process_time() - processor)


def about(options: argparse.Namespace, rows: np.ndarray) -> dict:
    packages = "lightgbm", "xgboost-cpu", "onnxruntime", "tl2cgen", "treelite"
    return dict(
        date=datetime.date.today().isoformat(),
        commit=output("git", "describe", "--always", "--dirty"),
        go=output("go", "env", "GOVERSION"),
        gcc=subprocess.run(["gcc", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[0],
        versions={name: metadata.version(name) for name in packages} | dict(leaves=output("go", "list", "-m", "-f", "{{.Version}}", LEAVES)),
        machine=dict(cpu=cpu(), cores=os.cpu_count(), system=platform.platform()),
        load_before=os.getloadavg(),
        queries=options.queries,
        rows=len(rows),
        rounds=options.rounds,
    )


LEAVES = "github.com/dmitryikh/leaves"

if __name__ == "__main__":
    main()
