"""Compares systems on all shapes: quality, time and memory.

    bench/shapes/run.sh [--size small] [--shapes a,b] [--draws 101,102,103] [--systems default,lightgbm]
                        [--threads 1,2] [--rounds 1] [--leaves 31] [--parameters 'boosting=dart']

Each training is a process of its own. In each round every system trains in turn, so that other work of the
machine slows all alike, and ratios are taken within a round. Tables go to standard output; all values go to a
JSON file, which is written after each draw.
"""

import argparse
import dataclasses
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from run import measured_with
from quality import CUTOFFS, of_query
from shapes import table
from shapes.draws import add_arguments, kept, kind_of_draw, load
from shapes.ingredients import Rows
from shapes.systems import SYSTEMS, Settings

RESULTS = Path(__file__).resolve().parent.parent / "results"


def main() -> None:
    options = parse()
    result = about(options) | dict(draws=[])
    for name in options.shapes:
        for number in options.draws:
            result["draws"].append(measured(name, number, options))
            options.out.write_text(json.dumps(result, indent=1) + "\n")
    print("\n\n".join(table.tables(result)))
    print(f"kept in {options.out}", file=sys.stderr)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/shapes/run.sh")
    add_arguments(parser, draws="101,102,103")
    parser.add_argument("--systems", type=known_systems, default=list(SYSTEMS), help=", ".join(SYSTEMS))
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1])
    parser.add_argument("--rounds", type=int, default=1, help="timed, of a draw; 0: no times")
    parser.add_argument("--times-only", action="store_true", help="neither quality nor memory")
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--iterations", type=int, default=100)
    of_both = "'name=value name=value', of ours and of LightGBM"
    parser.add_argument("--parameters", type=pairs, default={}, help=of_both)
    parser.add_argument("--limit", type=float, default=1800, help="seconds of a training at most")
    parser.add_argument("--out", type=Path, help="JSON file")
    options = parser.parse_args()
    options.out = options.out or RESULTS / f"{datetime.date.today()}-shapes-{options.size}.json"
    return options


def known_systems(text: str) -> list[str]:
    for name in (names := text.split(",")):
        if name not in SYSTEMS:
            raise argparse.ArgumentTypeError(f"no system {name!r}; there are {', '.join(SYSTEMS)}")
    return names


def pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())


def about(options: argparse.Namespace) -> dict:
    return measured_with("lightgbm", "xgboost-cpu", "numpy") | dict(
        size=options.size,
        systems=options.systems,
        settings=dataclasses.asdict(settings(options, options.threads[0])),
    )


def settings(options: argparse.Namespace, threads: int) -> Settings:
    return Settings(options.leaves, options.iterations, threads, options.parameters)


def measured(name: str, number: int, options: argparse.Namespace) -> dict:
    """Measures all systems on one draw."""
    folder = kept(name, options.size, number)
    test = load(folder, "test")
    result = dict(shape=name, draw=number, kind=kind_of_draw(number), fits={}, times=[])
    for system in [] if options.times_only else options.systems:
        result["fits"][system] = fit(system, folder, test, options)
        say(name, number, system, result["fits"][system])
    for threads in options.threads:
        for _ in range(options.rounds):
            result["times"].append(timed(name, number, folder, threads, options))
    return result


def fit(system: str, folder: Path, test: Rows, options: argparse.Namespace) -> dict:
    """Trains once for the memory, and for the quality of each query."""
    with tempfile.TemporaryDirectory() as place:
        scores = Path(place) / "scores.npy"
        result = worker("fit", system, folder, scores, settings(options, options.threads[0]), options.limit)
        if "failed" not in result:
            result["ndcg"] = ndcg(test, np.load(scores))
    return result


def ndcg(test: Rows, scores: np.ndarray) -> list[float]:
    """Returns nDCG@10 of each query with a relevant document. Ties keep their order, which says nothing."""
    starts = test.sizes.cumsum()[:-1]
    queries = zip(np.split(test.judged, starts), np.split(scores, starts))
    place = CUTOFFS.index(10)
    return [round(of_query(labels, s)[place], 6) for labels, s in queries if labels.max() > 0]


def timed(name: str, number: int, folder: Path, threads: int, options: argparse.Namespace) -> dict:
    """Times each system once, in turn."""
    result = dict(threads=threads, systems={})
    for system in options.systems:
        nowhere = Path(os.devnull)
        times = worker("time", system, folder, nowhere, settings(options, threads), options.limit)
        result["systems"][system] = times
        say(name, number, system, times)
    return result


def worker(task: str, system: str, folder: Path, scores: Path, chosen: Settings, limit: float) -> dict:
    """Runs worker.py and returns its result, or why it failed: other systems go on."""
    command = [sys.executable, "-m", "shapes.worker", task, system, folder, scores]
    command = [*map(str, command), json.dumps(dataclasses.asdict(chosen))]
    given = os.environ | dict(OMP_NUM_THREADS=str(chosen.threads))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=given)
    except subprocess.TimeoutExpired:
        return dict(failed=f"took more than {limit:.0f} s")
    if done.returncode != 0:
        return dict(failed=(done.stderr.strip() or f"exit status {done.returncode}")[-500:])
    return json.loads(done.stdout.splitlines()[-1])


def say(shape: str, number: int, system: str, result: dict) -> None:
    shown = {k: round(v, 3) for k, v in result.items() if isinstance(v, float)}
    if "ndcg" in result:
        shown["ndcg"] = round(float(np.mean(result["ndcg"])), 4)
    print(f"{shape} {number} {system}: {result.get('failed', shown)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
