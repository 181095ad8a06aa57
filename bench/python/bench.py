"""Times the Python package beside LightGBM's and XGBoost's: fit, predict, and an objective in NumPy.

    bench.py FOLDER [--rounds N] [--queries N ...] [--iterations N] [--parts fit,predict,objective]

Each measurement is a process of its own. Rounds alternate the packages, so that what else the machine does
hits all of them alike, and ratios are taken within a round. FOLDER has mslrgen's text files, which
run.sh makes. The results are printed as tables and written to FOLDER/results.json.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from memory import Watch, of_threads, pids

PACKAGES = ("lambdamart", "lightgbm", "xgboost")
NAMES = {"lambdamart": "lambdamart", "lightgbm": "LightGBM", "xgboost": "XGBoost"}
ROWS = (1, 100, 20_000)


# One measurement


def data(folder: Path, queries: int, dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    stored = np.load(folder / f"{queries}.npz")
    return stored["X"].astype(dtype), stored["y"], stored["group"]


def store(folder: Path, queries: int) -> None:
    """Stores a text file as arrays."""
    from sklearn.datasets import load_svmlight_file

    if (folder / f"{queries}.npz").exists():
        return
    x, y, qid = load_svmlight_file(str(folder / f"{queries}.txt"), query_id=True, n_features=136)
    starts = np.flatnonzero(np.concatenate(([True], qid[1:] != qid[:-1], [True])))
    np.savez(folder / f"{queries}.npz", X=x.toarray(), y=y, group=np.diff(starts))


def estimator(package: str, leaves: int, iterations: int, objective=None):
    if package == "lightgbm":
        import lightgbm

        return lightgbm.LGBMRanker(num_leaves=leaves, n_estimators=iterations, n_jobs=1, verbose=-1, objective=objective)
    if package == "xgboost":
        import xgboost

        return xgboost.XGBRanker(max_leaves=leaves, max_depth=0, grow_policy="lossguide", tree_method="hist", n_estimators=iterations, learning_rate=0.1, n_jobs=1)
    from lambdamart import LambdaMARTRanker

    return LambdaMARTRanker(num_leaves=leaves, n_estimators=iterations, n_jobs=1, objective=objective)


def cpu_seconds() -> float:
    own, children = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def squares(y, score):
    return score - y, np.ones_like(score)


def measure(o: argparse.Namespace) -> dict:
    x, y, group = data(o.folder, o.queries[0], o.dtype)
    objective = {"custom": squares, "builtin": "regression"}.get(o.objective)
    model = estimator(o.package, o.leaves, o.iterations, objective)
    warm = estimator(o.package, 2, 1, objective)  # imports
    warm.fit(x[: group[0]], y[: group[0]], group=group[:1])
    memory = Watch() if o.memory else None
    cpu, wall = cpu_seconds(), time.perf_counter()
    model.fit(x, y, group=group)
    result = {"cpu": cpu_seconds() - cpu, "wall": time.perf_counter() - wall}
    if memory is not None:
        result["mib_before"], result["mib"] = memory.stop()
    if o.predict:
        result["predict"] = {str(n): predict_time(model, x[:n]) for n in ROWS}
    return result


def predict_time(model, rows: np.ndarray) -> dict[str, float]:
    """Returns the shortest time of predict, and the mean CPU time of this process and its children, in microseconds."""
    model.predict(rows)
    best, cpu, repeats = float("inf"), precise_cpu(), 5 if len(rows) > 1000 else 50
    for _ in range(repeats):
        began = time.perf_counter()
        model.predict(rows)
        best = min(best, time.perf_counter() - began)
    return {"wall": best * 1e6, "cpu": (precise_cpu() - cpu) / repeats * 1e6}


def precise_cpu() -> float:
    """Returns the CPU seconds of this process and its running children."""
    return sum(int(text.split()[0]) for pid in pids() for text in of_threads(pid, "schedstat")) / 1e9


# All measurements


def run(o: argparse.Namespace, package: str, **options) -> dict:
    command = [sys.executable, __file__, str(o.folder), "--measure", package]
    for name, value in {"iterations": o.iterations, **options}.items():
        command += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])


def fits(o: argparse.Namespace) -> list[dict]:
    rows = []
    for queries in o.queries:
        for leaves in 31, 255:
            for dtype in "float32", "float64":
                rounds = [{p: run(o, p, queries=queries, leaves=leaves, dtype=dtype) for p in PACKAGES} for _ in range(o.rounds)]
                memory = {p: run(o, p, queries=queries, leaves=leaves, dtype=dtype, memory=True) for p in PACKAGES}
                rows.append({"queries": queries, "leaves": leaves, "dtype": dtype, "rounds": rounds, "memory": memory})
                show_fit(rows[-1])
    return rows


def show_fit(row: dict) -> None:
    ratios = {p: [r[p]["cpu"] / r["lambdamart"]["cpu"] for r in row["rounds"]] for p in PACKAGES[1:]}
    seconds = {p: statistics.median(r[p]["cpu"] for r in row["rounds"]) for p in PACKAGES}
    parts = [f"| {row['queries']:,} queries, {row['leaves']} leaves, {row['dtype']}"]
    parts += [f"{seconds[p]:.2f}" for p in PACKAGES]
    parts += [f"{statistics.median(ratios[p]):.2f} ({min(ratios[p]):.2f} to {max(ratios[p]):.2f})" for p in PACKAGES[1:]]
    parts += [f"{row['memory'][p]['mib'] - row['memory'][p]['mib_before']:.0f}" for p in PACKAGES]
    print(" | ".join(parts) + " |", flush=True)


def predictions(o: argparse.Namespace) -> list[dict]:
    rows = []
    for leaves in 31, 255:
        rounds = [{p: run(o, p, queries=o.queries[0], leaves=leaves, dtype="float32", predict=True)["predict"] for p in PACKAGES} for _ in range(o.rounds)]
        rows.append({"leaves": leaves, "rounds": rounds})
        for n in map(str, ROWS):
            best = {p: min(r[p][n]["wall"] for r in rounds) for p in PACKAGES}
            ratios = " | ".join(f"{ratio(rounds, p, n, 'wall'):.1f}, {ratio(rounds, p, n, 'cpu'):.1f}" for p in PACKAGES[1:])
            print(f"| {int(n):,} rows × {o.iterations} trees of {leaves} leaves | " + " | ".join(f"{best[p]:,.0f}" for p in PACKAGES) + f" | {ratios} |", flush=True)
    return rows


def ratio(rounds: list[dict], package: str, n: str, kind: str) -> float:
    return statistics.median(r[package][n][kind] / r["lambdamart"][n][kind] for r in rounds)


def objectives(o: argparse.Namespace) -> list[dict]:
    """Measures the cost of an objective in NumPy: squared errors, built in and as a function."""
    rounds = []
    for _ in range(o.rounds):
        times = {(p, kind): run(o, p, queries=o.queries[0], leaves=31, dtype="float32", objective=kind)["cpu"] for p in PACKAGES[:2] for kind in ("builtin", "custom")}
        rounds.append({p: 1000 * (times[p, "custom"] - times[p, "builtin"]) / o.iterations for p in PACKAGES[:2]} | {f"{p} in all": times[p, "custom"] for p in PACKAGES[:2]})
    for p in PACKAGES[:2]:
        print(f"| {NAMES[p]} | {statistics.median(r[p] for r in rounds):+.2f} | {statistics.median(r[f'{p} in all'] for r in rounds):.2f} |", flush=True)
    return rounds


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queries", type=int, nargs="+", default=[1000, 4000])
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--parts", default="fit,predict,objective")
    parser.add_argument("--measure", dest="package", choices=PACKAGES)
    parser.add_argument("--leaves", type=int)
    parser.add_argument("--dtype")
    parser.add_argument("--objective")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--predict", action="store_true")
    return parser.parse_args()


def cpu_name() -> str:
    lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return lines[0].partition(":")[2].strip() if lines else platform.processor()


def main() -> None:
    o = arguments()
    if o.package:
        print(json.dumps(measure(o)))
        return
    for queries in o.queries:
        store(o.folder, queries)
    results: dict = {"cpu": cpu_name(), "processors": os.cpu_count(), "load before": os.getloadavg(), "iterations": o.iterations}
    print(f"{results['cpu']}, {results['processors']} processors, load {os.getloadavg()[0]:.1f}; one thread each\n", flush=True)
    if "fit" in o.parts:
        print("| fit, CPU seconds | " + " | ".join(NAMES.values()) + " | LightGBM : ours | XGBoost : ours | MiB, ours | LightGBM | XGBoost |\n|" + "---|" * 9, flush=True)
        results["fit"] = fits(o)
    if "predict" in o.parts:
        print("\n| predict, µs | " + " | ".join(NAMES.values()) + " | LightGBM : ours, wall and CPU | XGBoost : ours |\n|" + "---|" * 6, flush=True)
        results["predict"] = predictions(o)
    if "objective" in o.parts:
        print("\n| objective in NumPy | ms an iteration beyond the built-in one | CPU seconds in all |\n|---|---|---|", flush=True)
        results["objective"] = objectives(o)
    results["load after"] = os.getloadavg()
    (o.folder / "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
