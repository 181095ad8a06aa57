"""Searches for differences from other tools with random data, parameters and models.

    python test/differential.py seed=1 seconds=600 state=/var/tmp/differential
    python test/differential.py seed=1 case=4711 check=lightgbm_in_ours     # one case again, with its message

A case is drawn from the seed and its number: data, parameters, and the check that it goes through
(differential_checks.py lists them). A run continues after the last case of the state for the seed. A
difference is made smaller (fewer queries, documents, features, trees, parameters) as long as it stays, and
kept in a folder of the state, found-CASE-CHECK, with the message and the data. The exit status is 1 if
there are any, also from earlier runs of the seed.
"""

import json
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

LONGEST = 60  # seconds to make a difference smaller


@dataclass
class Case:
    """Data, and choices of a check, all drawn from one generator of random numbers."""

    matrix: np.ndarray  # rows × features; column 0 is zero, as in LETOR files
    labels: np.ndarray
    weights: np.ndarray | None
    sizes: list[int]  # of queries
    rounds: int
    seed: int  # for choices within a check
    dropped: frozenset = field(default_factory=frozenset)  # parameters that keep their defaults

    def parameters(self, draw) -> dict:
        """Returns the parameters that draw makes of random numbers, without those that are dropped. The numbers do not
        depend on what is dropped."""
        drawn = draw(np.random.default_rng([self.seed, 7]))
        return {k: v for k, v in drawn.items() if k not in self.dropped}

    def rows_of(self, queries: list[int]) -> np.ndarray:
        starts = np.cumsum([0, *self.sizes])
        return np.concatenate([np.arange(starts[q], starts[q + 1]) for q in queries])

    def with_rows(self, rows: np.ndarray, sizes: list[int]) -> "Case":
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, matrix=self.matrix[rows], labels=self.labels[rows], weights=weights, sizes=sizes)

    def with_queries(self, queries: list[int]) -> "Case":
        return self.with_rows(self.rows_of(queries), [self.sizes[q] for q in queries])


def draw_case(seed: int, number: int) -> Case:
    rng = np.random.default_rng([seed, number])
    sizes = [int(n) for n in rng.integers(1, rng.choice([3, 12, 40]), rng.integers(2, 40))]
    n = sum(sizes)
    worth = rng.normal(size=n)
    columns = [draw_column(rng, worth) for _ in range(rng.integers(1, 9))]
    matrix = np.column_stack([np.zeros(n), *columns])
    if rng.random() < 0.4:
        holes = rng.random((n, len(columns))) < rng.choice([0.02, 0.3, 0.9])
        matrix[:, 1:][holes] = np.nan
    labels = np.clip(np.round(1.5 + worth + 0.5 * rng.normal(size=n)), 0, 4)
    weights = rng.choice([0.25, 1, 3], n) if rng.random() < 0.3 else None
    return Case(matrix, labels, weights, sizes, int(rng.integers(1, 12)), int(rng.integers(1 << 31)))


def draw_column(rng: np.random.Generator, worth: np.ndarray) -> np.ndarray:
    """Returns a feature. It has no nonzero values within 1e-35 of zero, because LightGBM treats these as zero."""
    n, x = len(worth), worth + rng.normal(size=len(worth))
    kinds = [
        lambda: x,
        lambda: np.round(2 * x),
        lambda: np.maximum(0, np.round(x, 2)),
        lambda: np.where(rng.random(n) < 0.9, 0, x),
        lambda: np.sign(x) * 10.0 ** rng.uniform(-30, 30, n),
        lambda: np.float32(x).astype(float) + rng.choice([0, 2.0**-26, -(2.0**-26)], n),  # between float32 values
        lambda: 1e6 + np.round(x, 3),
        lambda: np.where(x > 0, -0.0, 0.0),
        lambda: np.full(n, 7.5),
        lambda: rng.choice([-1.0, 1.0], n),
        lambda: x * 1e-20,
    ]
    return kinds[rng.integers(len(kinds))]()


def smaller(case: Case, check: str, deadline: float) -> Case:
    """Returns the smallest case found that still differs."""
    progress = True
    while progress and time.monotonic() < deadline:
        progress = False
        for candidate in reductions(case):
            if time.monotonic() > deadline:
                break
            if outcome(candidate, check)[0] == "differs":
                case, progress = candidate, True
                break
    return case


def reductions(case: Case):
    """Generates cases that are smaller in one way each, the largest steps first."""
    queries, part = list(range(len(case.sizes))), max(1, len(case.sizes) // 2)
    while part >= 1 and len(queries) > 1:
        for start in range(0, len(queries), part):
            kept = queries[:start] + queries[start + part :]
            if kept:
                yield case.with_queries(kept)
        part //= 2
    if case.rounds > 1:
        yield replace(case, rounds=case.rounds // 2)
    for column in range(1, case.matrix.shape[1]):
        if np.any(case.matrix[:, column] != 0):
            matrix = case.matrix.copy()
            matrix[:, column] = 0
            yield replace(case, matrix=matrix)
    if case.weights is not None:
        yield replace(case, weights=None)
    starts = np.cumsum([0, *case.sizes])
    for q, size in enumerate(case.sizes):
        if size > 1:
            for row in range(starts[q], starts[q + 1]):
                sizes = [*case.sizes]
                sizes[q] -= 1
                yield case.with_rows(np.delete(np.arange(len(case.labels)), row), sizes)
    for name in sorted(NAMES - case.dropped):
        yield replace(case, dropped=case.dropped | {name})


NAMES: frozenset = frozenset()  # of parameters that were drawn; set by main


def outcome(case: Case, check: str) -> tuple[str, str]:
    """Returns "same", "refused" or "differs", and a message."""
    from differential_checks import CHECKS, Refused

    with tempfile.TemporaryDirectory() as folder:
        try:
            CHECKS[check](case, Path(folder))
        except Refused as refused:
            return "refused", str(refused)
        except (AssertionError, SystemExit) as wrong:
            return "differs", str(wrong)
        except Exception:  # of another tool, or of the check
            return "differs", traceback.format_exc()
    return "same", ""


def keep(state: Path, number: int, check: str, case: Case, message: str) -> None:
    folder = state / f"found-{number}-{check}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "message.txt").write_text(message)
    weights = {} if case.weights is None else {"weights": case.weights}
    np.savez(folder / "data.npz", matrix=case.matrix, labels=case.labels, sizes=case.sizes, **weights)
    rest = {"rounds": case.rounds, "seed": case.seed, "dropped": sorted(case.dropped), "sizes": case.sizes}
    (folder / "case.json").write_text(json.dumps(rest) + "\n" + repr(np.column_stack([case.labels, case.matrix]).tolist()) + "\n")


def main() -> None:
    from differential_checks import CHECKS, parameter_names

    global NAMES
    NAMES = parameter_names()
    options = dict(word.split("=", 1) for word in sys.argv[1:])
    seed, seconds = int(options.get("seed", 1)), float(options.get("seconds", 60))
    if "case" in options:
        number = int(options["case"])
        print(*outcome(draw_case(seed, number), options["check"]))
        return
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lambdamart" / f"differential-seed{seed}"
    sys.exit(run(seed, seconds, Path(options.get("state", default)), list(CHECKS), int(options.get("cases", 1 << 60))))


def run(seed: int, seconds: float, state: Path, checks: list[str], cases: int) -> int:
    """Runs cases until the time is over or their number is reached. Returns the exit status."""
    state.mkdir(parents=True, exist_ok=True)
    record = state / f"seed{seed}.json"
    done = json.loads(record.read_text()) if record.exists() else {"next": 0, "seconds": 0, "outcomes": {}}
    counts, began = Counter(done["outcomes"]), time.monotonic()
    last = done["next"] + cases
    while time.monotonic() < began + seconds and done["next"] < last:
        number = done["next"]
        check = checks[number % len(checks)]
        case = draw_case(seed, number)
        kind, message = outcome(case, check)
        counts[f"{check} {kind}"] += 1
        if kind == "differs":
            print(f"case {number}, {check}: {message[-2000:]}", flush=True)
            case = smaller(case, check, time.monotonic() + LONGEST)
            keep(state, number, check, case, message + "\n\nmade smaller:\n" + outcome(case, check)[1])
        done["next"], done["outcomes"] = number + 1, counts
        save(record, done | {"seconds": done["seconds"] + time.monotonic() - began})
    return report(seed, json.loads(record.read_text()), counts, state)


def save(path: Path, done: dict) -> None:
    beside = path.with_suffix(".next")
    beside.write_text(json.dumps(done))
    beside.replace(path)


def report(seed: int, done: dict, counts: Counter, state: Path) -> int:
    differing = sum(n for name, n in counts.items() if name.endswith("differs"))
    for name in sorted(counts):
        print(f"{name}: {counts[name]}")
    print(f"seed {seed}: {done['next']} cases in {done['seconds']:.0f} s, {differing} of which differ" + (f"; see {state}" if differing else ""))
    return int(differing > 0)


if __name__ == "__main__":
    main()
