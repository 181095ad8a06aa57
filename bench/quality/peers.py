"""Quality of our losses, mixes and contexts beside other trainers, on all sets.

    bench/quality/run.sh [--tuned] [--seeds 5] [--first-seed 1] [--sets …] [--systems …] [--state FOLDER] [--report]

Every system gets the same parts of a set, once for each seed (splits.py), at equal settings (systems.py) or, with
--tuned, with its defaults, a preset, or tuned in the same time (tuned.py). Nothing is chosen on test queries.
Judged is nDCG@10 with gain 2^grade - 1; a query without a relevant document has the value 1.

The tables have the mean of each system on each set and, for two systems, the difference with its 95 % interval and the
probability of a paired test over queries: each query counts once, with the mean of its differences over the seeds in
which it was tested, because random splits share queries. The pooled column gives every set the same weight.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import scipy.stats

import systems as equal_settings
import tuned
from context import means, of_queries, paired
from splits import SETS, Set, Split, Values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuned", dest="systems_of", action="store_const", const=tuned, default=equal_settings, help="compare defaults, presets and tuning")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1, help="another one than 1 gives splits that have chosen nothing yet")
    parser.add_argument("--sets", help="names with semicolons between; all that are there if it is not given")
    parser.add_argument("--systems", help="names with semicolons between; all if it is not given")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser.add_argument("--state", type=Path, default=cache / "lambdamart" / "quality", help="where results are kept")
    parser.add_argument("--report", action="store_true", help="train nothing, and print what is there")
    options = parser.parse_args()
    sets = [s for s in chosen(options.sets, {s.name: s for s in SETS}).values() if is_there(s)]
    systems = chosen(options.systems, options.systems_of.SYSTEMS | options.systems_of.REFUSED) if options.systems else options.systems_of.SYSTEMS
    if not options.report:
        for s in sets:
            for seed in seeds(options):
                train(s, seed, systems, options)
    report({s.name: found(s, systems, options) for s in sets}, systems, options.systems_of)


def seeds(options: argparse.Namespace) -> range:
    return range(options.first_seed, options.first_seed + options.seeds)


def chosen(names: str | None, all: dict) -> dict:
    if names is None:
        return all
    unknown = [n for n in names.split(";") if n not in all]
    if unknown:
        sys.exit(f"there is no {unknown[0]!r}; there are {'; '.join(all)}")
    return {n: all[n] for n in names.split(";")}


def is_there(s: Set) -> bool:
    missing = [path for path in s.paths if not path.exists()]
    if missing:
        print(f"left out: {s.name}: no {missing[0]} (set LAMBDAMART_DATA to the folder that has it)")
    return not missing


def file_of(s: Set, seed: int, system: str, options: argparse.Namespace) -> Path:
    """Returns the path of a result, which depends on the definition of the set and the system."""
    key = hashlib.sha256(f"{s!r} {options.systems_of.settings_of(system, s)}".encode()).hexdigest()[:10]
    return options.state / f"{s.name} - {system} - {seed} - {key}.json".replace(":", "_").replace("/", "_")


def train(s: Set, seed: int, systems: dict, options: argparse.Namespace) -> None:
    """Trains the systems that have no result yet, each in a separate process."""
    left = [name for name in systems if not file_of(s, seed, name, options).exists()]
    if not left:
        return
    options.state.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        split = Split(s, seed, Path(folder))
        split.parts  # is read once, before processes are forked
        for name in left:
            if file_of(s, seed, name, options).exists():  # of a system before it, which trained both
                continue
            began = time.monotonic()
            process = multiprocessing.get_context("fork").Process(target=one, args=(split, systems[name], name, options))
            process.start()
            process.join()
            if process.exitcode != 0:
                sys.exit(f"{s.name}, seed {seed}: {name} failed with status {process.exitcode}")
            print(f"{s.name}, seed {seed}: {name}: {time.monotonic() - began:.0f} s", flush=True)


def one(split: Split, scores_of: Callable[[Split, Path], np.ndarray | dict[str, np.ndarray]], name: str, options: argparse.Namespace) -> None:
    """Trains a system and stores its values. A system may return the scores of several, by name."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        scores = scores_of(split, Path(folder))
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cost = {"seconds": time.monotonic() - began, "processor_seconds": sum(t.ru_utime + t.ru_stime for t in times)}
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    for of, found in (scores if isinstance(scores, dict) else {name: scores}).items():
        path = file_of(split.of, split.seed, of, options)
        beside = path.with_suffix(".making")
        beside.write_text(json.dumps({"values": split.parts["test"].judged(found), "commit": commit} | cost))
        beside.rename(path)


def found(s: Set, systems: dict, options: argparse.Namespace) -> dict[str, list[Values]]:
    """Returns the values of each system, of the seeds for which all systems have a result."""
    files = [[file_of(s, seed, system, options) for system in systems] for seed in seeds(options)]
    whole = [of_seed for of_seed in files if all(f.exists() for f in of_seed)]
    print(f"{s.name}: {len(whole)} of {len(files)} seeds have all systems")
    return {name: [json.loads(of_seed[i].read_text())["values"] for of_seed in whole] for i, name in enumerate(systems)}


def report(values: dict[str, dict[str, list[Values]]], systems: dict, of: ModuleType) -> None:
    """Prints tables of the sets with a seed for which all systems have results."""
    whole = {s: of for s, of in values.items() if all(of.values())}
    if not whole:
        return
    by_set = {name: [float(np.mean(means(of[name]))) for of in whole.values()] for name in systems}
    print("\n| nDCG@10 | " + " | ".join(whole) + " | all sets |\n|---" + "|---" * (len(whole) + 1) + "|")
    for name in sorted(systems, key=lambda n: -np.mean(by_set[n])):
        print(f"| {'**' + name + '**' if name in of.OURS else name} | " + " | ".join(f"{m:.4f}" for m in [*by_set[name], float(np.mean(by_set[name]))]) + " |")
    peers = [p for p in of.PEERS if p in systems]
    refused = [name for name in systems if name in of.REFUSED]
    if refused:
        best, why = next(iter(systems)), "the first of --systems"
    elif peers:
        best, why = max(peers, key=lambda p: np.mean(by_set[p])), "the best peer in the mean of the sets"
    else:
        return
    compared(f"less {best}, {why}", [(name, best) for name in systems if name != best], whole)
    compared("less its counterparts", [(name, p) for name, all in of.COUNTERPARTS.items() for p in all if name in systems and p in systems], whole, both=True)


def compared(title: str, pairs: list[tuple[str, str]], whole: dict[str, dict[str, list[Values]]], both: bool = False) -> None:
    """Prints the difference of each pair of systems on each set, and pooled."""
    if not pairs:
        return
    print(f"\n| {title} | " + " | ".join(whole) + " | all sets | p |\n|---" + "|---" * (len(whole) + 2) + "|")
    for name, other in pairs:
        sets = [of_queries(of[name], of[other]) for of in whole.values()]
        cells = [f"{d.mean():+.4f} ± {scipy.stats.t.ppf(0.975, len(d) - 1) * scipy.stats.sem(d):.4f}" for d in sets]
        pooled, error, p = paired(sets)
        print(f"| {name}{', ' + other if both else ''} | " + " | ".join(cells) + f" | {pooled:+.4f} ± {1.96 * error:.4f} | {p:.2g} |")


if __name__ == "__main__":
    main()
