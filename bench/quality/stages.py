"""Measures whether a second model improves with the ranks of a first one as features.

    $(python3 test/environment.py test/requirements.txt) bench/quality/stages.py [--seeds 5] [--sets …]

Trees see a document alone, and query context (context.py) adds its features' places in the query. Here what is added is the
document's place in a ranking that exists already: the share of documents below it, its z-score and its distance to the
best one, by the scores of a first model. For the training queries these scores are out of fold (5 folds); for the test
queries they are of a model of all training queries. The second model is trained on the features and these three columns. It is compared with
the first one, and with one model of twice the trees. All have 150 trees a stage and the settings of context.py, 80 % of
the queries are for training and 20 % for the test, and the table is that of context.py.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.stats

import context

TREES = 150
FOLDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", default=",".join(context.SETS))
    parser.add_argument("--binary", type=Path, help="built from this checkout if it is not given")
    options = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        binary = options.binary or context.built(Path(folder))
        for name in options.sets.split(","):
            queries = context.read(context.SETS[name])
            splits = [of_split(queries, seed, binary, Path(folder)) for seed in range(options.seeds)]
            results[name] = {arm: [split[arm] for split in splits] for arm in splits[0]}
            context.report(name, results[name])
    context.pooled(results)


def of_split(queries: list[list[str]], seed: int, binary: Path, folder: Path) -> dict[str, list[dict[str, float]]]:
    """Returns nDCG@10 of each test query for each of the models."""
    trained, _, tested = context.divided(len(queries), seed, 80)
    train, test = [queries[q] for q in trained], [queries[q] for q in tested]

    def run(*args: str) -> None:
        subprocess.run([binary, *args], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def fit(part: list[list[str]], trees: int = TREES) -> None:
        context.write(folder / "train", part)
        run("train", "data=train", "output_model=model", f"seed={seed}", f"num_iterations={trees}", *context.SETTINGS)

    def placed(part: list[list[str]]) -> list[list[str]]:
        """Returns the lines of queries with the columns of the ranking by the model."""
        context.write(folder / "rows", part)
        run("predict", "data=rows", "input_model=model", "output_result=scores", "verbosity=-1")
        scores = np.split(np.loadtxt(folder / "scores"), np.cumsum([len(lines) for lines in part])[:-1])
        return [with_places(lines, own, width) for lines, own in zip(part, scores)]

    def values(part: list[list[str]]) -> dict[str, float]:
        context.write(folder / "test", part)
        return context.evaluated(run, folder)

    width = max(int(line.rsplit(" ", 1)[-1].split(":")[0]) for lines in queries for line in map(str.strip, lines))
    second: list[list[str]] = []
    for fold in range(FOLDS):
        fit([lines for i, lines in enumerate(train) if i % FOLDS != fold])
        second += placed(train[fold::FOLDS])
    found = {}
    fit(train, 2 * TREES)
    found["twice"] = values(test)
    fit(train)
    found["raw"], test_of_second = values(test), placed(test)
    fit(second)
    return found | {"second": values(test_of_second)}


def with_places(lines: list[str], scores: np.ndarray, width: int) -> list[str]:
    spread = scores.std()
    columns = (scipy.stats.rankdata(scores) - 0.5) / len(scores), (scores - scores.mean()) / spread if spread > 0 else 0 * scores, scores.max() - scores
    return [line.strip() + "".join(f" {width + k}:{x!r}" for k, x in enumerate(map(float, place), 1)) for line, place in zip(lines, zip(*columns))]


if __name__ == "__main__":
    main()
