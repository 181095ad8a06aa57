"""Evaluates what tune could choose, within training files.

    $(python3 test/environment.py bench/quality/requirements.txt) bench/quality/nested.py --binary lambdamart [--divisions 2] [--sets …]

A division holds a third of the queries of a training file out. tune searches on three folds of the others, without query
context (13 trials) and with it (4). Each trial that was trained to the end is trained again on these others, and its scores of the held-out
queries, divided by their spread, are averaged with those of other trials: each choice of trials is a line. Printed is the mean nDCG@10 of the
held-out queries less that of the first four trials, and, for all eight first trials, by how many standard errors they are above the four on the
folds, by which a rule could decide.
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import context
from splits import Part

SETS = {
    "MSLR sample": context.DATA / "mslr-web30k-sample" / "train.txt",
    "LightGBM example": context.DATA / "lightgbm-lambdarank" / "rank.train",
    "MQ2008 fold 1": context.DATA / "mq2008" / "Fold1" / "train.txt",
    "MQ2008 fold 2": context.DATA / "mq2008" / "Fold2" / "train.txt",
}
FOLDS = 3
CONTEXT = ["query_context=rank,zscore"]
Trial = dict  # as in result.json, with "folds", out-of-fold scores by row over their spread, and "held", those of held-out queries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--divisions", type=int, default=2)
    parser.add_argument("--sets", default=";".join(SETS))
    options = parser.parse_args()
    for name in options.sets.split(";"):
        lines = [judged(SETS[name], division, options.binary.resolve()) for division in range(options.divisions)]
        print(name)
        for choice in lines[0]:
            print(f"  {choice:50}", *(f"{line[choice]:+.4f}" for line in lines), f" mean {np.mean([line[choice] for line in lines]):+.4f}", flush=True)


def judged(path: Path, division: int, binary: Path) -> dict[str, float]:
    """Returns the value of each choice in a division."""
    queries = context.read([path])
    order = random.Random(1000 + division // 3).sample(range(len(queries)), len(queries))
    held = sorted(order[division % 3 :: 3])
    others = sorted(set(order) - set(held))
    fold = {number: i % FOLDS for i, number in enumerate(random.Random(77 + division // 3).sample(others, len(others)))}
    with tempfile.TemporaryDirectory() as name:
        folder, shuffle = Path(name), random.Random(division).shuffle
        for part, chosen in (("train", others), ("held", held)):
            with open(folder / part, "w") as out:
                for number in chosen:
                    shuffle(queries[number])
                    out.writelines(f"{line}\n" for line in queries[number])
        train, test = (Part.read(folder / part, None) for part in ("train", "held"))
        numbers = np.array([fold[number] for number in others])
        (folder / "folds").write_text("".join(f"{n}\n" for n in numbers))
        run = lambda *args: subprocess.run([binary, *args, "num_threads=1", "verbosity=-1"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        raw, result = searched(run, folder, "raw", 13, division, numbers, train, [])
        wide, _ = searched(run, folder, "wide", 4, division, numbers, train, CONTEXT)
    value = lambda trials: float(np.mean(list(test.judged(np.mean([t["held"] for t in trials], axis=0)).values())))
    four, four_wide = ([t for t in trials if 1 <= t["trial"] <= 4] for trials in (raw, wide))
    by_value = sorted(raw, key=lambda t: -t["value"])
    choices = {
        "the same four with context": four_wide,
        "all eight": four + four_wide,
        "the result after 13 trials": [t for t in raw if t["trial"] in result["models"]],
        "the four and all others": raw[1:],
        "the three best": by_value[:3],
        "the best one": by_value[:1],
        "the defaults": raw[:1],
    }
    both, alone = (np.array(list(train.judged(np.mean([t["folds"] for t in trials], axis=0)).values())) for trials in (four + four_wide, four))
    errors = np.mean(both - alone) / np.std(both - alone, ddof=1) * np.sqrt(len(both))
    return {name: value(trials) - value(four) for name, trials in choices.items()} | {"all eight, in standard errors on the folds": errors}


def searched(run, folder: Path, output: str, trials: int, seed: int, numbers: np.ndarray, train: Part, more: list[str]) -> tuple[list[Trial], dict]:
    """Returns the trials that were trained to the end, and the result of a search."""
    run("tune", "data=train", "fold_file=folds", f"max_trainings={trials}", "stop_metric=ndcg@10", f"seed={seed}", f"output={output}", *more)
    result = json.loads((folder / output / "result.json").read_text())
    kept = [json.loads(path.read_text()) for path in (folder / output / "trials").glob("*.json")]
    rows = [np.flatnonzero(np.repeat(numbers, train.sizes) == fold) for fold in range(FOLDS)]
    done = []
    for trial in result["trials"]:
        own = [k for k in kept if k.get("scores") and (k["best"], k["value"]) == (trial["best_iteration"], trial["value"])]
        if not own:
            continue
        settings = [f"{name}={value}" for name, value in trial["parameters"].items()]
        run("train", "data=train", "output_model=model", f"num_iterations={trial['best_iteration']}", f"seed={seed}", *settings, *more)
        run("predict", "data=held", "input_model=model", "output_result=scores")
        folds = np.empty(len(train.labels))
        for of, scores, spread in zip(rows, own[0]["scores"], own[0]["spreads"]):
            folds[of] = np.array(scores, float) / spread
        done.append(trial | {"folds": folds, "held": np.loadtxt(folder / "scores") / np.mean(own[0]["spreads"])})
    return done, result


if __name__ == "__main__":
    main()
