"""Trains with all systems in turn, in several rounds, and reports. bench/run.sh calls it.

Rounds are interleaved, so that other work of the machine slows all systems alike, and ratios are
taken within a round. Every training run is a separate process.
"""

import argparse
import dataclasses
import datetime
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import data
import report
from systems import Settings

HERE = Path(__file__).resolve().parent
MODULES = "ours", "lightgbm", "xgboost", "catboost"


def main() -> None:
    options = parse()
    files = data.make(options.queries, options.seed)
    settings = Settings(options.iterations, options.threads, min_sum_hessian=options.min_sum_hessian)
    chosen = [(m, c) for m in MODULES for c in configurations(m) if not options.only or c in options.only]
    result = about(options, settings) | dict(runs=[])
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            for module, configuration in chosen:
                run = measure(module, configuration, files, settings, Path(folder), judge=number == 0)
                result["runs"].append(dict(system=configuration, round=number) | run)
                print(report.line(result["runs"][-1]), file=sys.stderr, flush=True)
                options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(report.table(result))
    options.out.with_suffix(".svg").write_text(report.plot(result))
    print(f"kept in {options.out} and {options.out.with_suffix('.svg')}", file=sys.stderr)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares training with other systems on this machine.")
    parser.add_argument("--queries", type=int, default=6000, help="training queries; the standard set has 6000")
    parser.add_argument("--seed", type=int, default=0, help="draw of the data; the standard set is 0")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--min-sum-hessian", type=float, default=100, help="of a leaf; make it smaller for smaller data")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", help="a configuration, such as 'LightGBM'; may be repeated")
    parser.add_argument("--out", type=Path, help="JSON file; the plot goes beside it")
    options = parser.parse_args()
    known = [c for m in MODULES for c in configurations(m)]
    for name in options.only or []:
        if name not in known:
            parser.error(f"no configuration {name!r}; there are {known}")
    options.out = options.out or HERE / "results" / f"{datetime.date.today()}-{options.queries}-{options.seed}.json"
    return options


def configurations(module: str) -> dict:
    return importlib.import_module(f"systems.{module}").CONFIGURATIONS


def measure(module: str, configuration: str, files: data.Files, settings: Settings, folder: Path, judge: bool) -> dict:
    """Trains, and evaluates the model after the number of iterations that it took."""
    arguments = [module, configuration, str(files.folder), str(folder / "model")]
    run = worker("train", [*arguments, json.dumps(dataclasses.asdict(settings))])
    if judge:
        taken = dataclasses.replace(settings, iterations=len(run["iterations"]))
        run["ndcg"] = worker("judge", [*arguments, json.dumps(dataclasses.asdict(taken))])
    return run


def worker(task: str, arguments: list[str]) -> dict:
    """Runs worker.py and returns the result, which is the last line it prints."""
    done = subprocess.run([sys.executable, HERE / "worker.py", task, *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}\n{task} {arguments[1]}: exit status {done.returncode}; what it said is above")
    return json.loads(done.stdout.splitlines()[-1])


def about(options: argparse.Namespace, settings: Settings) -> dict:
    return measured_with("lightgbm", "xgboost-cpu", "catboost") | dict(
        data=dict(queries=options.queries, seed=options.seed),
        settings=dataclasses.asdict(settings),
    )


def measured_with(*packages: str) -> dict:
    """Returns what a measurement depends on besides its options."""
    return dict(
        date=datetime.date.today().isoformat(),
        commit=output("git", "describe", "--always", "--dirty"),
        go=output("go", "env", "GOVERSION"),
        versions={name: metadata.version(name) for name in packages},
        machine=dict(cpu=cpu(), cores=os.cpu_count(), system=platform.platform()),
    )


def output(*command: str) -> str:
    return subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor())


if __name__ == "__main__":
    main()
