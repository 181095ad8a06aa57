"""Trains with random parameters by us and by LightGBM.

    python test/random_parameters.py seed=1 cases=300 state=/var/tmp/random-parameters
    python test/random_parameters.py seed=1 case=17       # one case again, with its message

The parameters are those that our table and LightGBM's both have, so that a new one takes part as soon as it is
there. In each case our training must end well or refuse its parameters with a message; LightGBM must load the
model and score it as we do, in every bit; and nDCG@10 on the training data must be within 0.02 of that of
LightGBM's own model with the same parameters. Random draws differ, and rounding decides between close splits, so a
larger difference counts only if the mean over several seeds and draws of the data has it too. It does not count if ours is better and the two agree without penalties and random
thresholds: if these leave a feature without a gainful split at a node, LightGBM does not try the feature below that
node (is_splittable in feature_histogram.hpp), although it may gain there. A case that fails is reduced by leaving
parameters out. A run continues after the last case of its state. The exit status is 1 if a case failed, also in an
earlier run.
"""

import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from pathlib import Path

import lightgbm
import numpy as np

import ours
import sets
from check_quality import query_ndcgs

NEAR = 0.02  # largest difference of nDCG@10
SEEDS = 8  # over which a larger difference must stay
QUERIES = 120
FEATURES = 14  # numbered from 1
HINDERING = "lambda_l1", "lambda_l2", "cat_l2", "min_gain_to_split", "max_delta_step", "path_smooth", "extra_trees"

# What is not drawn, and why.
LEFT_OUT = {
    "objective": "drawn for every case", "num_iterations": "drawn for every case", "seed": "drawn for every case", "num_threads": "decides nothing",
    "lambdarank_position_bias_regularization": "test/check_positions.py", "label_gain": "LightGBM's list is one of ours, and metrics have it too",
    **dict.fromkeys(("metric", "eval_at", "metric_freq", "is_provide_training_metric", "first_metric_only"), "no validation set; test/check_scores.py"),
    **dict.fromkeys(("header", "label_column", "group_column", "weight_column", "ignore_column", "snapshot_freq", "input_model", "output_model"), "files; test/check_tables.py"),
    **dict.fromkeys(("bagging_seed", "data_random_seed", "drop_seed", "feature_fraction_seed", "objective_seed", "extra_seed"), "follow seed"),
    **dict.fromkeys(("num_machines", "machines", "machine_list_filename", "local_listen_port", "time_out", "tree_learner", "pre_partition"), "one machine"),
    "refit_decay_rate": "test/check_continue.py", "linear_tree": "for regression", "two_round": "decides nothing", "verbosity": "decides nothing",
}  # fmt: skip


def some(rng, most: int = 4) -> list[int]:
    """Returns a few different features."""
    return sorted(int(f) for f in rng.choice(np.arange(1, FEATURES + 1), rng.integers(1, most + 1), replace=False))


def for_each(rng, values: list, usual) -> str:
    """Returns a list with a value for each column: the usual one, and some others."""
    chosen = some(rng)
    return ",".join(str(rng.choice(values)) if f in chosen else str(usual) for f in range(FEATURES + 1))


# Draws for parameters whose type and default do not determine suitable values.
DRAWN = {
    "learning_rate": lambda rng: round(float(rng.choice([0.03, 0.1, 0.3])), 3),
    "num_leaves": lambda rng: int(rng.integers(2, 48)),
    "max_depth": lambda rng: int(rng.choice([-1, 1, 2, 4, 8])),
    "min_data_in_leaf": lambda rng: int(rng.choice([1, 5, 20, 60])),
    "min_sum_hessian_in_leaf": lambda rng: float(rng.choice([0, 1e-3, 0.1, 1])),
    "lambda_l1": lambda rng: float(rng.choice([0, 0.1, 1])),
    "lambda_l2": lambda rng: float(rng.choice([0, 1, 10])),
    "min_gain_to_split": lambda rng: float(rng.choice([0, 0.001, 0.01])),  # LightGBM tries no feature below a leaf where it gains less
    "max_bin": lambda rng: int(rng.choice([2, 7, 63, 255, 300, 1000, 5000])),
    "max_bin_by_feature": lambda rng: for_each(rng, [2, 5, 31, 700], 255),
    "bin_construct_sample_cnt": lambda rng: int(rng.choice([200000, 50000])),
    "boosting": lambda rng: str(rng.choice(["gbdt", "gbdt", "dart"])),
    "sigmoid": lambda rng: float(rng.choice([0.5, 1, 2])),
    "lambdarank_truncation_level": lambda rng: int(rng.choice([1, 3, 10, 30])),
    "drop_rate": lambda rng: float(rng.choice([0, 0.1, 0.5])),
    "max_drop": lambda rng: int(rng.choice([-1, 1, 5, 50])),
    "max_delta_step": lambda rng: float(rng.choice([0, 0.3, 1])),  # the same, below leaves whose values are at the limit
    "path_smooth": lambda rng: float(rng.choice([0, 1, 20])),
    "categorical_feature": lambda rng: str(rng.choice(["13", "13,14"])),
    "cat_smooth": lambda rng: float(rng.choice([0, 1, 10])),
    "cat_l2": lambda rng: float(rng.choice([0, 1, 10])),
    "max_cat_threshold": lambda rng: int(rng.choice([1, 4, 32])),
    "max_cat_to_onehot": lambda rng: int(rng.choice([1, 4, 8])),
    "min_data_per_group": lambda rng: int(rng.choice([1, 20, 100])),
    "monotone_constraints": lambda rng: for_each(rng, [-1, 1], 0),
    "monotone_penalty": lambda rng: float(rng.choice([0, 0.5, 2])),
    "interaction_constraints": lambda rng: ",".join(json.dumps(some(rng, 9)).replace(" ", "") for _ in range(2)),
    "feature_contri": lambda rng: for_each(rng, [0.3, 0.9, 1.5], 1),
    "feature_fraction": lambda rng: float(rng.choice([0.4, 0.7, 1])),
    "feature_fraction_bynode": lambda rng: float(rng.choice([0.4, 0.7, 1])),
    "bagging_fraction": lambda rng: float(rng.choice([0.5, 0.8])),
    "bagging_freq": lambda rng: int(rng.choice([1, 3])),
}


def drawn(row, rng):
    """Returns a value for a parameter of the table, or None if no suitable values are known."""
    if row.name in DRAWN:
        return DRAWN[row.name](rng)
    if row.type == "true or false":
        return bool(rng.random() < 0.5)
    if row.type == "text" and "," in row.range:
        return str(rng.choice([option.strip() for option in row.range.split(",")]))
    if row.type in ("integer", "number") and re.fullmatch(r"[-.e0-9]+", row.default) and float(row.default) > 0:
        value = float(row.default) * 4 ** rng.uniform(-1, 1)
        bounds = [float(b) for b in re.findall(r"<= ([-.e0-9]+)", row.range)]
        return int(max(1, value)) if row.type == "integer" else float(f"{min([value, *bounds]):.3g}")
    return None


@lru_cache
def space() -> tuple:
    """Returns the rows of our table that LightGBM has too, under the same name."""
    os.environ["LAMBDAMART_BINARY"] = str(ours.built("cmd/lambdamart"))
    sys.path.insert(0, str(sets.ROOT / "python"))
    import lambdamart

    theirs = lightgbm.basic._ConfigAliases.aliases or lightgbm.basic._ConfigAliases._get_all_param_aliases()
    rows = [p for p in lambdamart.parameters() if p.name in theirs and p.name not in LEFT_OUT]
    unknown = [p.name for p in rows if drawn(p, np.random.default_rng(0)) is None]
    if unknown:
        print(f"not drawn, for lack of a rule (DRAWN in {Path(__file__).name}): {', '.join(unknown)}")
    return tuple(p for p in rows if p.name not in unknown)


def draw(seed: int, number: int) -> dict:
    """Returns the parameters of a case."""
    rng = np.random.default_rng([seed, number])
    fixed = {"objective": str(rng.choice(["lambdarank"] * 4 + ["rank_xendcg", "regression"])), "num_iterations": int(rng.integers(3, 50)), "seed": int(rng.integers(1000))}
    share = rng.choice([0.1, 0.3])
    chosen = {}
    for row in space():
        own = np.random.default_rng([seed, number, zlib.crc32(row.name.encode())])  # so that new parameters change no other draws
        if own.random() < share:
            chosen[row.name] = drawn(row, own)
    if fixed["objective"] == "rank_xendcg":
        chosen.pop("min_gain_to_split", None)  # its gains are so small that what LightGBM does not try decides
    return fixed | consistent(chosen)


def consistent(p: dict) -> dict:
    """Returns the parameters without combinations that LightGBM refuses."""
    if p.get("categorical_feature") and p.get("monotone_constraints"):
        signs = p["monotone_constraints"].split(",")
        signs[13:] = ["0"] * len(signs[13:])
        p["monotone_constraints"] = ",".join(signs)
    return p


@lru_cache
def data(draw: int = 0) -> tuple[Path, np.ndarray, np.ndarray, list[int]]:
    """Returns a file of the training data, its matrix, labels and the sizes of its queries, drawn anew for each number."""
    rng = np.random.default_rng(5 + draw)
    sizes = [int(n) for n in rng.integers(5, 30, QUERIES)]
    n = sum(sizes)
    x = np.round(rng.normal(size=(n, FEATURES + 1)), 3)
    x[:, 0] = 0
    x[:, 8:11] *= rng.random((n, 3)) < 0.2
    x[:, 11:13][rng.random((n, 2)) < 0.15] = np.nan
    x[:, 13:] = rng.integers(0, [6, 25], (n, 2))
    effect = rng.normal(size=25)
    worth = x[:, 1] + 0.7 * x[:, 2] * (x[:, 3] > 0) + x[:, 8] + 0.5 * np.nan_to_num(x[:, 11]) + 0.6 * effect[x[:, 14].astype(int)] + rng.normal(size=n)
    labels = np.clip(np.round(1 + 0.8 * worth), 0, 4)
    path = Path(tempfile.mkdtemp(prefix="lambdamart-")) / "train.txt"
    with open(path, "w") as out:
        for label, row in zip(labels, x):
            out.write(f"{label:g} " + " ".join(f"{i}:{float(v)!r}" for i, v in enumerate(row) if i > 0 and not v == 0) + "\n")
    Path(f"{path}.query").write_text("".join(f"{size}\n" for size in sizes))
    return path, x, labels, sizes


def ndcg(scores: np.ndarray, draw: int) -> float:
    """Returns the mean nDCG@10 of the training data; ties in the order of the data."""
    _, x, labels, sizes = data(draw)
    return float(np.mean(query_ndcgs(sets.Part(x, labels, np.array(sizes)), scores)))


class Refused(Exception):
    """Parameters that one of the two does not take."""


def written(parameters: dict, folder: Path) -> dict:
    """Returns parameters as text. What a file has is written to one."""
    values = {}
    for name, value in parameters.items():
        if name.endswith("_filename"):
            path = folder / f"{name}.json"
            path.write_text(json.dumps(value))
            value = path
        values[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return values


def our_model(parameters: dict, folder: Path, draw: int) -> Path:
    model = folder / "model.txt"
    extra = {"active_fraction": "1", "verbosity": "-1", "lambdarank_ties": "file"}
    if parameters["objective"] != "lambdarank":
        del extra["lambdarank_ties"]
    args = ours.arguments(data=data(draw)[0], output_model=model, num_threads=1, **extra, **written(parameters, folder))
    done = subprocess.run([str(ours.built("cmd/lambdamart")), "train", *args], capture_output=True, text=True)
    if done.returncode in (1, 2) and "panic" not in done.stderr:
        raise Refused("us: " + done.stderr.strip()[-400:])
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr[-3000:]}"
    return model


def our_scores(parameters: dict, folder: Path, draw: int) -> np.ndarray:
    """Returns our scores, which must equal LightGBM's scores with our model."""
    model = our_model(parameters, folder, draw)
    scores = ours.predict(data(draw)[0], model, folder / "scores.txt")
    theirs = lightgbm.Booster(model_file=str(model)).predict(data(draw)[1], num_threads=1)  # not raw, which sums up a forest
    other = int(np.sum(theirs != scores))
    assert other == 0, f"{other} of {len(scores)} scores of our model are others in LightGBM"
    return scores


@lru_cache
def beside() -> ProcessPoolExecutor:
    """Returns a separate process for LightGBM, which crashes with some parameters."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


def lightgbm_scores(parameters: dict, folder: Path, draw: int) -> np.ndarray:
    try:
        return beside().submit(scores_of_lightgbm, parameters, folder, *data(draw)[:2]).result()
    except BrokenProcessPool as error:
        beside.cache_clear()
        raise Refused("LightGBM, which died from a signal") from error
    except lightgbm.basic.LightGBMError as error:
        raise Refused(f"LightGBM: {error}") from error


def scores_of_lightgbm(parameters: dict, folder: Path, file: Path, matrix: np.ndarray) -> np.ndarray:
    given = written(parameters, folder) | {"verbosity": "-1", "num_threads": "1", "deterministic": "true", "force_row_wise": "true"}
    rounds = int(given.pop("num_iterations"))
    given.setdefault("bagging_by_query", "true" if parameters.get("bagging_freq") else "false")
    categories = [int(c) for c in given.pop("categorical_feature", "").split(",") if c]
    trained = lightgbm.train(given, lightgbm.Dataset(str(file), params=given, categorical_feature=categories), rounds)
    return trained.predict(matrix, raw_score=True)


def check(parameters: dict) -> str:
    """Returns a remark on a case that holds, or "". Raises an AssertionError for one that fails."""
    with tempfile.TemporaryDirectory() as folder:
        mine, theirs = ndcgs(parameters, Path(folder))
        if abs(mine - theirs) <= NEAR:
            return ""
        means = mean_ndcgs(parameters, Path(folder))
        if abs(means[0] - means[1]) <= NEAR:
            return f"{mine:.4f} and LightGBM's {theirs:.4f} with one seed"
        message = f"nDCG@10 on the training data is {means[0]:.4f}, LightGBM's {means[1]:.4f}, in the mean over {SEEDS} seeds"
        without = {k: v for k, v in parameters.items() if k not in HINDERING}
        assert means[0] > means[1] and without != parameters, message
        others = mean_ndcgs(without, Path(folder))
        assert abs(others[0] - others[1]) <= NEAR, message
        return f"{message}, and without what hinders splits {others[0]:.4f} and {others[1]:.4f}"


def ndcgs(parameters: dict, folder: Path, draw: int = 0) -> tuple[float, float]:
    return ndcg(our_scores(parameters, folder, draw), draw), ndcg(lightgbm_scores(parameters, folder, draw), draw)


def mean_ndcgs(parameters: dict, folder: Path) -> np.ndarray:
    """Returns both means over seeds, each on data of its own: with most parameters a seed alone changes nothing."""
    return np.mean([ndcgs(parameters | {"seed": 100 + s}, folder, s) for s in range(SEEDS)], axis=0)


def outcome(parameters: dict) -> tuple[str, str]:
    try:
        return "holds", check(parameters)
    except Refused as refused:
        return "refused", str(refused)
    except (AssertionError, SystemExit) as wrong:
        return "fails", str(wrong)


def smaller(parameters: dict) -> dict:
    """Returns a minimal set of parameters that fails."""
    for name in list(parameters):
        if name in ("objective", "num_iterations", "seed"):
            continue
        fewer = {k: v for k, v in parameters.items() if k != name}
        if outcome(fewer)[0] == "fails":
            parameters = fewer
    return parameters


def run(seed: int, cases: int, state: Path) -> int:
    """Runs cases up to the given number. Returns the exit status."""
    state.mkdir(parents=True, exist_ok=True)
    record = state / f"seed{seed}.json"
    done = json.loads(record.read_text()) if record.exists() else {"next": 0, "holds": 0, "refused": {}, "failed": {}}
    print(f"drawn: {', '.join(p.name for p in space())}")
    while done["next"] < cases:
        number = done["next"]
        parameters = draw(seed, number)
        kind, message = outcome(parameters)
        if kind == "holds":
            done["holds"] += 1
            if message:
                print(f"case {number} holds: {message}", flush=True)
        elif kind == "refused":
            done["refused"][message] = [*done["refused"].get(message, []), number]
        else:
            least = smaller(parameters)
            done["failed"][number] = [message, parameters, least, outcome(least)[1]]
            print(f"case {number}: {message}\n  {parameters}\n  made smaller: {least}: {outcome(least)[1]}", flush=True)
        done["next"] = number + 1
        beside = record.with_suffix(".next")
        beside.write_text(json.dumps(done))
        beside.replace(record)
    for message, numbers in done["refused"].items():
        print(f"refused ({len(numbers)}, such as case {numbers[0]}) by {message}")
    print(f"seed {seed}: {done['next']} cases: {done['holds']} hold, {sum(map(len, done['refused'].values()))} are refused, {len(done['failed'])} fail")
    return int(bool(done["failed"]))


def main() -> None:
    options = dict(word.split("=", 1) for word in sys.argv[1:])
    seed = int(options.get("seed", 1))
    if "case" in options:
        parameters = draw(seed, int(options["case"]))
        print(parameters, *outcome(parameters), sep="\n")
        return
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lambdamart" / "random-parameters"
    sys.exit(run(seed, int(options.get("cases", 300)), Path(options.get("state", default))))


if __name__ == "__main__":
    main()
