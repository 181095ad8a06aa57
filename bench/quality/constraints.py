"""Measures how often constraints on labels are met, and what they cost beside the best fixed weights.

    $(python3 test/environment.py bench/requirements.txt) bench/quality/constraints.py BINARY... [--draws 101,102] [--state FILE]

Each draw is a world of 3,000 training, 1,000 validation and 1,000 test queries of 10 or 12 documents, with labels whose
latent values partly conflict:

    goals      purchases and clicks of goals.py's utilities
    latents    two labels of sums of random terms, which share a part
    three      three such labels, of which two have constraints
    ecommerce  rare clicks of the recipe ecommerce (bench/shapes), and carts of another utility

The first label is learned by lambdarank, and the others have a constraint each: a share of the largest nDCG@10 that
their objective alone has in as many rounds, at the same learning rate, on the same set. The oracle is the best round of
the best sum with fixed weights, of a grid: what misses a constraint is refused, and the first label's nDCG@10 decides.
So is the round chosen in which a constrained run is judged. (With constraint_set=training, its model is that of the best
round on validation queries, whose value on training queries says little.)
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from shapes import recipes  # noqa: E402
from shapes.ingredients import normal, sigmoid, terms  # noqa: E402

PARTS = {"train": 3_000, "vali": 1_000, "test": 1_000}
SHARES = 0.9, 0.95, 0.98, 0.995
ROUNDS, RATES = (50, 100, 300), (0.05, 0.1, 0.3)
WEIGHTS = {1: (0, 0.05, 0.1, 0.2, 0.35, 0.6, 1, 1.7, 3, 5, 9, 16, 30, 100), 2: (0, 0.15, 0.5, 1.5, 5, 15, 100)}
SETTINGS = "query_column=query num_leaves=15 num_threads=1 log_json=true output_model=model.txt".split()
FIRST = 0.01  # weight of constrained labels without a constraint's own


def goals(rng: np.random.Generator, sizes: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    x = normal(rng, sizes, 10)
    click, buy = 2 * (x[:, 0] * x[:, 1] + x[:, 2]) - 2, 2 * np.maximum(x[:, 3], x[:, 4]) - x[:, 2] - 1
    clicked = rng.random(len(x)) < sigmoid(click)
    return x, [clicked & (rng.random(len(x)) < sigmoid(buy)), clicked]


def latents(rng: np.random.Generator, sizes: np.ndarray, labels: int = 2) -> tuple[np.ndarray, list[np.ndarray]]:
    x = normal(rng, sizes, 12, of_query=2)
    shared, drawn = terms(rng, x, 8), []
    for _ in range(labels):
        own = terms(rng, x, 8)
        latent = own / own.std() + rng.uniform(-0.5, 0.8) * shared / shared.std()
        drawn.append(recipes.clicked(rng, 2.5 * latent, rng.uniform(0.05, 0.2)))
    return x, drawn


def three(rng: np.random.Generator, sizes: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    return latents(rng, sizes, 3)


def ecommerce(rng: np.random.Generator, sizes: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    rows = recipes.ecommerce(rng, sizes)
    known = np.nan_to_num(rows.matrix, nan=3.9)
    cheap = -np.log(known[:, 1]) + 0.5 * terms(rng, known[:, 4:24], 10)
    return rows.matrix, [rows.labels, recipes.clicked(rng, 1.5 * cheap, 0.06)]


WORLDS = {"goals": (goals, 10), "latents": (latents, 10), "three": (three, 10), "ecommerce": (ecommerce, 12)}


def write(folder: Path, world: str, draw: int) -> int:
    """Writes the parts of a draw, and returns the number of labels."""
    recipe, documents = WORLDS[world]
    sizes = np.full(sum(PARTS.values()), documents)
    x, labels = recipe(np.random.default_rng([draw, len(world)]), sizes)
    names = [f"l{i}" for i in range(len(labels))] + ["query"] + [f"f{i}" for i in range(x.shape[1])]
    table = np.column_stack([*labels, np.repeat(np.arange(len(sizes)), sizes), x])
    first = 0
    for part, queries in PARTS.items():
        rows = table[first * documents : (first + queries) * documents]
        np.savetxt(folder / f"{part}.csv", rows, fmt="%.5g", delimiter=",", header=",".join(names), comments="")
        first += queries
    return len(labels)


def train(binary: Path, folder: Path, labels: int, objective: str, rounds: int, rate: float, *more: str) -> dict:
    """Returns the metrics by round, as set, label, round, and which constraints the model meets."""
    metrics = [f"ndcg@10@l{i}" for i in range(labels)]
    arguments = ["train", "data=train.csv", "valid=vali.csv,test.csv", "label_columns=" + ",".join(f"l{i}" for i in range(labels)),
                 "metric=" + ",".join(metrics), f"objective={objective}", f"num_iterations={rounds}", f"learning_rate={rate}", *SETTINGS, *more]  # fmt: skip
    log = subprocess.run([binary, *arguments], cwd=folder, check=True, capture_output=True, text=True).stderr
    values, met = {}, []
    for line in log.splitlines():
        event = json.loads(line)
        match event.get("event"):
            case "iteration":
                for e in event["evaluations"]:
                    values.setdefault(e["set"], {}).setdefault(metrics.index(e["metric"]), []).append(e["value"])
            case "constraint":
                met.append(event["met"])
    arrays = {name: np.array([by[i] for i in range(labels)]) for name, by in values.items()}
    return {"values": arrays, "met": met}


def front(binary: Path, folder: Path, labels: int, rate: float, training: bool) -> tuple[list[dict], list[dict]]:
    """Returns each constrained label's own run, and those of all fixed weights."""
    more = ["is_provide_training_metric=true"] if training else []
    go = lambda objective: train(binary, folder, labels, objective, max(ROUNDS), rate, *more)["values"]
    alone = [go(f"lambdarank@l{i}:1") for i in range(1, labels)]
    fixed = []
    for weights in itertools.product(WEIGHTS[labels - 1], repeat=labels - 1):
        fixed.append(go(",".join(["lambdarank@l0:1", *(f"lambdarank@l{i + 1}:{FIRST + w}" for i, w in enumerate(weights))])))
    return alone, fixed


def oracle(fixed: list[dict], where: str, rounds: int, least: list[float]) -> tuple[float, float]:
    """Returns the first label's value on the set and on test queries in the best round that meets all constraints."""
    best = float("-inf"), float("nan")
    for run in fixed:
        values = run[where][:, :rounds]
        meets = (values[1:] >= np.array(least)[:, None]).all(axis=0)
        if meets.any():
            at = int(np.where(meets, values[0], -np.inf).argmax())
            best = max(best, (float(values[0, at]), float(run["valid_2"][0, at])))
    return best


def measure(binaries: list[Path], world: str, draw: int, sets: list[str]) -> list[dict]:
    """Returns a record for each constraint of a draw and each program, of which the first trains with fixed weights."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        labels = write(folder, world, draw)
        objective = ",".join(["lambdarank@l0:1", *(f"lambdarank@l{i}:{FIRST}" for i in range(1, labels))])
        for rate in RATES if labels == 2 else RATES[1:2]:
            alone, fixed = front(binaries[0], folder, labels, rate, "training" in sets)
            for where, rounds, share in itertools.product(sets, ROUNDS, SHARES):
                least = [round(share * float(run[where][i + 1, :rounds].max()), 5) for i, run in enumerate(alone)]
                best = oracle(fixed, where, rounds, least)
                bound = "constraint=" + ",".join(f"ndcg@10@l{i + 1}>={value}" for i, value in enumerate(least))
                more = ["is_provide_training_metric=true", "constraint_set=training"] if where == "training" else []
                for binary in binaries:
                    run = train(binary, folder, labels, objective, rounds, rate, bound, *more)
                    got = oracle([run["values"]], where, rounds, least)
                    found.append(dict(binary=binary.name, world=world, draw=draw, rate=rate, set=where, rounds=rounds, share=share, met=all(run["met"]),
                                      possible=bool(np.isfinite(best[0])), loss=best[0] - got[0], test=best[1] - got[1]))  # fmt: skip
    return found


def report(found: list[dict]) -> None:
    """Prints the shares of constraints that are met and the first label's losses, by what was asked for."""

    def row(name: str, chosen: list[dict]) -> None:
        possible = [r for r in chosen if r["possible"]]
        both = [r for r in possible if r["met"]]
        losses = [f"{np.mean([r[k] for r in both]):+.4f}" if both else "" for k in ("loss", "test")]
        extra = sum(r["met"] for r in chosen if not r["possible"])
        print(f"| {name} | {len(chosen)} | {len(possible)} | {len(both)} | {extra} | {' | '.join(losses)} |")

    print("| | tried | the oracle meets | met of these | met of others | loss of the first label | on test queries |\n|---|---|---|---|---|---|---|")
    row("all", found)
    for key in "world", "set", "share", "rounds", "rate":
        for value in dict.fromkeys(r[key] for r in found):
            row(f"{key} {value}", [r for r in found if r[key] == value])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", type=Path, nargs="+", metavar="BINARY")
    parser.add_argument("--draws", default="101,102,103")
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--sets", default="valid_1,training", help="on which constraints hold")
    parser.add_argument("--state", type=Path, help="file to which results of draws are appended, and whose results count too")
    options = parser.parse_args()
    found = []
    if options.state and options.state.exists():
        found = [json.loads(line) for line in options.state.read_text().splitlines()]
    done = {(r["world"], r["draw"]) for r in found}
    for draw, world in itertools.product(map(int, filter(None, options.draws.split(","))), options.worlds.split(",")):
        if (world, draw) not in done:
            new = measure([binary.resolve() for binary in options.binaries], world, draw, options.sets.split(","))
            if options.state:
                with options.state.open("a") as file:
                    file.writelines(json.dumps(r) + "\n" for r in new)
            found += new
    for binary in options.binaries:
        print(f"\n{binary.name}")
        report([r for r in found if r["binary"] == binary.name])


if __name__ == "__main__":
    main()
