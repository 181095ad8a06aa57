"""Checks the target elastic-ltr: Elasticsearch's own learning to rank.

eland, Elastic's package, writes a model of LightGBM in the form that Elasticsearch loads, for its regressors alone. The
same trees by our export must be the same nodes. Models are scored by Elasticsearch's own parser and TreeInferenceModel
(org.elasticsearch.plugin:x-pack-core 8.19.0 of Maven, under the Elastic License 2.0, used only by this check) if Java
and Maven are installed, and by a transcription of it, and compared with LightGBM.

The packages are installed in an environment of their own, test/requirements-serving.txt, in which this script runs itself
again.
"""

import functools
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
INSIDE = "LAMBDAMART_SERVING"


if __name__ == "__main__" and INSIDE not in os.environ:
    import environment
    import ours

    environment.run_again("requirements-serving.txt", {INSIDE: "1", "LAMBDAMART_BINARY": str(ours.built("cmd/lambdamart"))})

import lightgbm  # noqa: E402
import numpy as np  # noqa: E402

import consumers  # noqa: E402

FEATURES = 8


def data(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.random((3000, FEATURES)).astype(np.float32).astype(np.float64)  # queries' scores are float32
    x[rng.random(x.shape) < 0.15] = np.nan
    return x, np.nan_to_num(x).sum(axis=1) + rng.normal(0, 0.3, len(x))


def score(definition: dict, row: np.ndarray) -> float:
    """Scores as TreeInferenceModel.InnerNode.compare and WeightedSum do: leaves are added with compensated summation."""
    total = []
    for model in definition["trained_model"]["ensemble"]["trained_models"]:
        nodes = model["tree"]["tree_structure"]
        node = nodes[0]
        while "leaf_value" not in node:
            value = row[node["split_feature"]]
            if not math.isfinite(value):
                left = node["default_left"]
            else:
                left = value <= node["threshold"] if node["decision_type"] == "lte" else value < node["threshold"]
            node = nodes[node["left_child" if left else "right_child"]]
        total.append(node["leaf_value"])
    return math.fsum(total)


def shape(nodes: list, index: int = 0):
    """Returns a tree without the numbers of its nodes."""
    node = nodes[index]
    if "leaf_value" in node:
        return node["leaf_value"]
    test = tuple(node[key] for key in ("split_feature", "threshold", "decision_type", "default_left"))
    return (*test, shape(nodes, node["left_child"]), shape(nodes, node["right_child"]))


def exported(booster: lightgbm.Booster, folder: Path) -> dict:
    model, out = folder / "model.txt", folder / "model.json"
    booster.save_model(model)
    binary = os.environ["LAMBDAMART_BINARY"]
    command = [binary, "export", model, "to=elastic-ltr", f"output={out}", "vectors=200"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(out.read_text())


def as_eland_writes(folder: Path) -> None:
    sys.path.remove(str(FOLDER))  # its elasticsearch.py hides the package of that name
    from eland.ml.transformers import get_model_transformer

    x, y = data(1)
    names = [f"feature {i}" for i in range(FEATURES)]
    regressor = lightgbm.LGBMRegressor(n_estimators=30, num_leaves=15, verbosity=-1, n_jobs=1).fit(x, y)
    theirs = get_model_transformer(regressor, feature_names=names).transform().serialize_model()
    ours = exported(regressor.booster_, folder)
    mine, other = (d["trained_model"]["ensemble"] for d in (ours, theirs))
    assert {k: type(v) for k, v in mine.items()} == {k: type(v) for k, v in other.items()}, (mine.keys(), other.keys())
    assert mine["aggregate_output"] == other["aggregate_output"] and mine["target_type"] == other["target_type"]
    assert len(mine["trained_models"]) == len(other["trained_models"]) == 30
    for a, b in zip(mine["trained_models"], other["trained_models"]):
        assert shape(a["tree"]["tree_structure"]) == shape(b["tree"]["tree_structure"])
        keys = [{tuple(sorted(k for k in n if k != "number_samples")) for n in m["tree"]["tree_structure"]} for m in (a, b)]
        assert keys[0] == keys[1], keys
    print("ok: the trees are those that eland writes")


def scores_of_a_ranker(folder: Path) -> None:
    x, y = data(2)
    grades = np.clip(np.floor(y), 0, 4).astype(int)
    for name, rows in (("with missing values", x), ("without", np.nan_to_num(x))):
        train = lightgbm.Dataset(rows, grades, group=np.full(100, 30))
        booster = lightgbm.train({"objective": "lambdarank", "verbosity": -1, "num_leaves": 15, "num_threads": 1}, train, 40)
        definition = exported(booster, folder)
        cuts = [n["threshold"] for m in definition["trained_model"]["ensemble"]["trained_models"] for n in m["tree"]["tree_structure"] if "threshold" in n]
        test = x[:500].copy()
        test[:, 0] = np.random.default_rng(3).choice(cuts, 500)  # on thresholds
        want = booster.predict(test, raw_score=True)
        got = np.array([score(definition, row) for row in test])
        by_elasticsearch(folder, test, booster.feature_name(), want)
        compare(f"scores of a ranker that was trained {name}", got, want)


def compare(name: str, got: np.ndarray, want: np.ndarray) -> None:
    assert np.allclose(got, want, rtol=0, atol=1e-12) and np.array_equal(got.astype(np.float32), want.astype(np.float32)), np.abs(got - want).max()
    print(f"ok: {name}; the largest difference is {np.abs(got - want).max():.1g}, and none in float32")


def by_elasticsearch(folder: Path, rows: np.ndarray, names: list[str], want: np.ndarray) -> None:
    """Scores the exported model by Elasticsearch's classes."""
    if not consumers.java_is_here():
        return
    (folder / "names").write_text("\n".join(names))
    got = consumers.through([*elasticsearch(), str(folder / "model.json"), str(folder / "names")], rows, ">f8")
    compare("Elasticsearch's own scores", got, want)


@functools.lru_cache
def elasticsearch() -> list[str]:
    return consumers.compiled("elastic", "ElasticScores")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        as_eland_writes(Path(folder))
        scores_of_a_ranker(Path(folder))
