"""Time to quality: seconds, reading included, until each system has LightGBM's final nDCG.

    bench/run.sh reach [--queries 6000] [--draws 5] [--only 'lambdamart, symmetric']

In each draw all systems train in turn. A curve has nDCG@10 on the validation part after every ten iterations,
interpolated linearly. The mark is the final value of LightGBM with its defaults. The table has the seconds until a
curve first reaches it, LightGBM's total time divided by that, and the best nDCG up to each time in BY.
"""

import argparse
import json
import os
import sys
import tempfile
from itertools import accumulate, pairwise
from math import inf, isfinite
from pathlib import Path
from statistics import mean, stdev

import data
from report import line
from run import MODULES, about, configurations, measure
from systems import Settings, ours

REFERENCE = "LightGBM"
BY = 2, 5, 10, 20, 50

Curve = list[tuple[float, float]]  # seconds since the start, nDCG@10


def main() -> None:
    options = parse()
    settings = Settings(options.iterations, options.threads, min_sum_hessian=100 * options.queries / 6000)
    systems = [(m, c) for m in MODULES for c in configurations(m)] + [("ours", c) for c in ours.FURTHER]
    systems = [(m, c) for m, c in systems if not options.only or c in options.only or c == REFERENCE]
    draws: list[dict[str, Curve]] = []
    for seed in range(options.first_seed, options.first_seed + options.draws):
        draws.append({c: curve(m, c, data.make(options.queries, seed), settings, seed) for m, c in systems})
        print(table(draws), flush=True)
        if options.out:
            options.out.write_text(json.dumps(about(options, settings) | dict(draws=draws), indent=1) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run.sh reach")
    parser.add_argument("--queries", type=int, default=6000)
    parser.add_argument("--draws", type=int, default=5, help="of the data")
    parser.add_argument("--first-seed", type=int, default=0, help="of the first draw")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", help="a system; may be repeated")
    parser.add_argument("--out", type=Path, help="JSON file for all curves")
    options = parser.parse_args()
    options.seed, options.rounds = options.first_seed, 1
    return options


def curve(module: str, system: str, files: data.Files, settings: Settings, seed: int) -> Curve:
    """Trains once and returns the curve. Training gets validation data only if a preset needs it for early stopping."""
    with tempfile.TemporaryDirectory() as folder:
        run = measure(module, system, files, settings, Path(folder), judge=True)
    print(line(dict(system=system, round=seed) | run), file=sys.stderr, flush=True)
    ends = list(accumulate(run["iterations"], initial=run["load"]))
    return [(ends[min(int(trees), len(ends) - 1)], values["10"]) for trees, values in run["ndcg"].items()]


def reached(points: Curve, mark: float) -> float:
    """Returns the seconds at which a curve first reaches the mark, or infinity if it never does."""
    if points[0][1] >= mark:
        return points[0][0]
    for (start, low), (end, high) in pairwise(points):
        if high >= mark:
            return start + (end - start) * (mark - low) / (high - low)
    return inf


def best_by(points: Curve, seconds: float) -> list[float]:
    """Returns the best nDCG@10 so far, or nothing if there is no model yet."""
    return [max(known)] if (known := [quality for time, quality in points if time <= seconds]) else []


def table(draws: list[dict[str, Curve]]) -> str:
    """Returns means over the draws; ± is a standard error."""
    head = ["system", "seconds to LightGBM's nDCG", "LightGBM's time over that", "final nDCG@10", "its time"]
    rows = [head + [f"best by {s} s" for s in BY], ["---"] * (len(head) + len(BY))]
    for system in draws[0]:
        curves = [draw[system] for draw in draws]
        ends = [draw[REFERENCE][-1] for draw in draws]
        times = [reached(c, mark) for c, (_, mark) in zip(curves, ends)]
        reach, never = [t for t in times if isfinite(t)], sum(t == inf for t in times)
        rows.append([
            system,
            spread(reach, "{:.1f}") + (f"; never in {never} of {len(draws)}" if never else ""),
            spread([end / t for t, (end, _) in zip(times, ends) if isfinite(t)], "{:.1f}"),
            spread([c[-1][1] for c in curves], "{:.4f}"),
            spread([c[-1][0] for c in curves], "{:.1f}"),
            *(spread([b for c in curves for b in best_by(c, s)], "{:.4f}") for s in BY),
        ])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def spread(values: list[float], form: str) -> str:
    if not values:
        return "–"
    error = f" ± {form.format(stdev(values) / len(values) ** 0.5)}" if len(values) > 1 else ""
    return form.format(mean(values)) + error


if __name__ == "__main__":
    main()
