"""Trains on MSLR-WEB30K or 10K, Istella or Yahoo's set 1, and prints the results beside published figures.

    python3 bench/public.py train FOLDER RESULTS [name=value ...]   # further arguments go to lambdamart bench
    python3 bench/public.py table RESULTS

FOLDER is an unpacked archive, unchanged. docs/public-sets.md has expected results. A training run that was stopped resumes.
Uses only the standard library, and the program that $LAMBDAMART names (default: lambdamart in PATH).
"""

import collections
import csv
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

PARTS = "train", "vali", "test"
YAHOO = {"train": "set1.train.txt", "vali": "set1.valid.txt", "test": "set1.test.txt"}

# Published nDCG at 1, 5 and 10: set, folds, blank queries (those without a relevant document), ranker, figures, source.
PUBLISHED = [
    ("MSLR-WEB30K", "Fold1", "one", "LightGBM, 500 trees of 255 leaves, each figure the best on test", (.5178, .5046, .5243), "LightGBM docs/Experiments.rst"),
    ("MSLR-WEB30K", "Fold1", "one", "the same, last iteration", (.5140, .5039, .5215), "log in guolinke/boosting_tree_benchmarks"),
    ("MSLR-WEB30K", "Fold1", "one", "the same in an older version, best on test", (.5213, .5092, .5278), "LightGBM docs/GPU-Performance.rst"),
    ("MSLR-WEB30K", "Fold1", "one", "XGBoost, hist, best on test", (.4851, .4764, .4966), "LightGBM docs/Experiments.rst"),
    ("MSLR-WEB30K", "Fold1", "one", "CatBoost YetiRank, 500 trees", (None, None, .5200), "logs of Quantized-GBDT"),
    ("MSLR-WEB30K", "all", "left out", "LightGBM, 1,000 trees of 63 leaves", (None, .4865, .5046), "lgrz/ltr-baseline"),
    ("MSLR-WEB30K", "all", "left out", "XGBoost multi:softprob", (None, .4847, .5034), "lgrz/ltr-baseline"),
    ("MSLR-WEB30K", "all", "left out", "QuickRank LambdaMART", (None, .4773, .4942), "lgrz/ltr-baseline"),
    ("MSLR-WEB10K", "Fold1", "one", "CatBoost QueryRMSE, tuned on test", (None, None, .5100), "catboost/benchmarks"),
    ("MSLR-WEB10K", "Fold1", "one", "LightGBM lambdarank, tuned on test", (None, None, .5061), "catboost/benchmarks"),
    ("MSLR-WEB10K", "Fold1", "one", "XGBoost rank:ndcg, tuned on test", (None, None, .5045), "catboost/benchmarks"),
    ("MSLR-WEB10K", "all", "left out", "LightGBM, 1,000 trees of 63 leaves", (None, .4724, .4913), "lgrz/ltr-baseline"),
    ("MSLR-WEB10K", "all", "left out", "QuickRank LambdaMART", (None, .4582, .4782), "lgrz/ltr-baseline"),
    ("Yahoo set 1", "all", "one", "LightGBM, 500 trees of 255 leaves, each figure the best on test", (.7330, .7535, .7935), "LightGBM docs/Experiments.rst"),
    ("Yahoo set 1", "all", "one", "CatBoost YetiRank, tuned on test", (None, None, .8030), "catboost/benchmarks"),
    ("Yahoo set 1", "all", "one", "LightGBM lambdarank, tuned on test", (None, None, .8013), "catboost/benchmarks"),
    ("Yahoo set 1", "all", "left out", "LightGBM, 1,000 trees of 63 leaves", (None, .7425, .7845), "lgrz/ltr-baseline"),
    ("Yahoo set 1", "all", "left out", "XGBoost multi:softprob", (None, .7439, .7858), "lgrz/ltr-baseline"),
    ("Istella-S", "all", "left out", "LightGBM, 1,000 trees of 63 leaves", (None, .7000, .7614), "lgrz/ltr-baseline"),
    ("Istella-S", "all", "left out", "QuickRank LambdaMART", (None, .6921, .7559), "lgrz/ltr-baseline"),
    ("Istella", "all", "left out", "LightGBM, 1,000 trees of 63 leaves", (None, .6684, .7165), "lgrz/ltr-baseline"),
    ("Istella", "all", "left out", "QuickRank LambdaMART", (None, .6564, .7049), "lgrz/ltr-baseline"),
]


def main() -> None:
    match sys.argv[1:]:
        case ["train", folder, results, *more]:
            train(Path(folder), Path(results), more)
        case ["table", results]:
            table(Path(results))
        case _:
            sys.exit(__doc__)


def train(folder: Path, results: Path, more: list[str]) -> None:
    name, folds = found(folder)
    data = results / "data"
    for fold, parts in folds.items():
        arrange(data / fold, parts)
    blank = {fold: queries(data / fold / "test.txt") for fold in folds}
    (results / "set.json").write_text(json.dumps({"name": name or size_of(blank), "blank": blank}))
    program = os.environ.get("LAMBDAMART", "lambdamart")
    experiment = Path(__file__).with_name("public.conf")
    sys.exit(subprocess.run([program, "bench", f"config={experiment}", f"data={data}", f"output={results / 'bench'}", *more]).returncode)


def found(folder: Path) -> tuple[str | None, dict[str, dict[str, Path]]]:
    """Returns the name of the set, None for MSLR, and the files of each fold."""
    for place in [folder, *sorted(path for path in folder.glob("*") if path.is_dir())]:
        if (yahoo := files(place, YAHOO)) and len(yahoo) == len(PARTS):
            return "Yahoo set 1", {"Fold1": yahoo}
        if folds := folds_of(place):
            return None, folds
        parts = files(place, {part: f"{part}.txt" for part in PARTS})
        if {"train", "test"} <= parts.keys():
            return ("Istella-S" if place.name == "sample" else "Istella"), {"Fold1": parts}
    sys.exit(f"{folder}: found neither Fold1/train.txt, nor set1.train.txt, nor train.txt and test.txt, here or one folder below")


def folds_of(place: Path) -> dict[str, dict[str, Path]]:
    folds = {}
    for fold in sorted(place.glob("Fold[0-9]")):
        parts = files(fold, {part: f"{part}.txt" for part in PARTS})
        if missing := [part for part in PARTS if part not in parts]:
            print(f"NOTICE: left out {fold}: it has no {', '.join(missing)}", file=sys.stderr)
        else:
            folds[fold.name] = parts
    return folds


def files(place: Path, names: dict[str, str]) -> dict[str, Path]:
    """Returns the existing files, compressed or not."""
    candidates = {part: [place / (name + end) for end in ("", ".gz")] for part, name in names.items()}
    return {part: path for part, paths in candidates.items() for path in paths if path.exists()}


def arrange(fold: Path, parts: dict[str, Path]) -> None:
    """Makes a folder with the three parts: links, or a part of the training queries where there is no validation part."""
    fold.mkdir(parents=True, exist_ok=True)
    if "vali" not in parts:
        if not (fold / "vali.txt").exists():
            print("NOTICE: there is no validation part: each tenth training query becomes one", file=sys.stderr)
            split(parts["train"], fold)
        parts = {"test": parts["test"]}
    for part, path in parts.items():
        link = fold / f"{part}.txt"
        if not link.is_symlink():
            link.symlink_to(path.resolve())


def split(path: Path, fold: Path) -> None:
    number, last = -1, None
    with opened(path) as rows, open(fold / "train.txt.part", "w") as train, open(fold / "vali.txt.part", "w") as vali:
        for row in rows:
            query = row.split(maxsplit=2)[1]
            number, last = number + (query != last), query
            (vali if number % 10 == 9 else train).write(row)
    for part in "train", "vali":  # both are complete now
        (fold / f"{part}.txt.part").rename(fold / f"{part}.txt")


def opened(path: Path):
    with open(path, "rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rt") if compressed else open(path)


def queries(path: Path) -> dict[str, bool]:
    """Returns for each query of a part whether it has no relevant document."""
    blank: dict[str, bool] = {}
    with opened(path) as rows:
        for row in rows:
            label, query = row.split(maxsplit=2)[:2]
            blank[query.removeprefix("qid:")] = blank.get(query.removeprefix("qid:"), True) and float(label) <= 0
    return blank


def size_of(blank: dict[str, dict[str, bool]]) -> str:
    return "MSLR-WEB30K" if max(map(len, blank.values())) > 3000 else "MSLR-WEB10K"


def table(results: Path) -> None:
    known = json.loads((results / "set.json").read_text())
    name, blank = known["name"], known["blank"]
    ours = means(results / "bench" / "queries.tsv", blank)
    share = sum(sum(fold.values()) for fold in blank.values()) / sum(map(len, blank.values()))
    print(f"{name}: {', '.join(blank)}; {100 * share:.1f} % of the test queries are blank: no document is relevant\n")
    fold, all_of_it = ("the first fold", f"{len(blank)} of 5 folds") if name.startswith("MSLR") else ("the test part",) * 2
    shown = [("Fold1" if fold != all_of_it else "all", "one", fold, "counts 1"), ("all", "left out", all_of_it, "is left out")]
    for folds, rule, part, counts in shown:
        rows = [(ranker, values, "measured here") for (f, r, ranker), values in ours.items() if (f, r) == (folds, rule)]
        rows += [(ranker, values, source) for s, f, r, ranker, values, source in PUBLISHED if (s, f, r) == (name, folds, rule)]
        print(f"{part}; a blank query {counts}\n\n| | nDCG@1 | @5 | @10 | source |\n|---|---|---|---|---|")
        for ranker, values, source in rows:
            print(f"| {ranker} | {' | '.join('' if v is None else f'{v:.4f}' for v in values)} | {source} |")
        print()


def means(path: Path, blank: dict[str, dict[str, bool]]) -> dict[tuple[str, str, str], list[float]]:
    """Returns the means of nDCG at 1, 5 and 10 by folds, by the rule for blank queries, and by ranker."""
    values = collections.defaultdict(list)
    with open(path) as file:
        for row in csv.DictReader(file, delimiter="\t"):
            value = [float(row[f"ndcg@{k}"]) for k in (1, 5, 10)]
            for folds in {"all", row["fold"]} & {"all", "Fold1"}:
                values[folds, "one", row["ranker"]].append(value)
                if not blank[row["fold"]][row["query"]]:
                    values[folds, "left out", row["ranker"]].append(value)
    return {key: [sum(column) / len(column) for column in zip(*rows)] for key, rows in values.items()}


if __name__ == "__main__":
    main()
