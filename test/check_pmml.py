"""Checks that scorers of PMML score exported models as the model itself does, in every bit.

The scorers are JPMML (org.jpmml:pmml-evaluator-metro 1.7.7, under the AGPL-3.0, used only by this check)
and PMML4S (org.pmml4s:pmml4s_3 1.5.6, Apache-2.0). The oracle is LightGBM, which loads the model before it
is exported. Missing values are null. A feature has a name with quotes and XML in it. Without Java and Maven the exit
status is 77: left out.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas

import consumers
import ours
import sets
from exports import Case, case_of, check_refused, export, punched, same_bits, train_lightgbm
from report import Table

SCORERS = "jpmml", "pmml4s"
HOSTILE = 'a "b" <c> &amp; \'d\''
COLORS = ["red", "light 'blue'", "größer <5>", "a b", "x&y", "0", ""]  # an empty cell is a missing value
CATEGORIES = range(5, 15)  # features
DEEPEST = 900  # splits above a leaf that are written


@dataclass
class Task:
    """A model in PMML, rows for it, and the scores that they should get."""

    name: str
    path: Path
    names: list[str]
    rows: np.ndarray
    want: np.ndarray
    texts: list[list[str]] | None = None  # by feature: the texts that its integers stand for

    def write(self, folder: Path) -> Path:
        folder.mkdir()
        (folder / "model.pmml").write_bytes(self.path.read_bytes())
        (folder / "names").write_text("\n".join(self.names))
        (folder / "texts").write_text("\n".join("\t".join(column) for column in self.texts or [[]] * len(self.names)) + "\n")
        self.rows.astype(">f8").tofile(folder / "rows")
        return folder


def main() -> None:
    if not consumers.java_is_here():
        sys.exit(77)
    table = Table("model", "scorer", "rows", "other bits")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks = [*models(folder), *texts(folder), deep(folder)]
        folders = [task.write(folder / str(i)) for i, task in enumerate(tasks)]
        subprocess.run([*consumers.compiled("pmml", "PmmlScores"), *folders], check=True)
        for task, scored in zip(tasks, folders):
            for scorer in SCORERS:
                other = same_bits(np.fromfile(scored / scorer, ">f8"), task.want)
                table.row(other == 0, task.name, scorer, len(task.want), other)
        check_others(table, folder)
    table.exit()


def models(folder: Path) -> list[Task]:
    data = sets.shipped()
    train, test = sets.load(data.train), sets.load(data.test)
    model = folder / "model.txt"
    ours.train(data.train, model, num_iterations=50, num_leaves=31, min_data_in_leaf=2)
    tasks = [task("us", case_of(model, test), folder)]
    for name, matrix, parameters in (
        ("NaN", punched(train.matrix, 2), {}),
        ("average", train.matrix, {"boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1}),
        ("categorical", train.matrix, {"categorical": CATEGORIES}),
    ):
        train_lightgbm(matrix, train, model, **parameters)
        case = case_of(model, test)
        if "categorical" in parameters:  # scorers refuse fractions, which the model would truncate
            case.rows[:, CATEGORIES] = np.trunc(case.rows[:, CATEGORIES])
        tasks.append(task(name, case, folder))
    return tasks


def task(name: str, case: Case, folder: Path) -> Task:
    """Exports a model. Its first feature in use gets a hostile name."""
    names = case.booster.feature_name()
    used = sorted({s.feature for t in case.trees for s in t.splits})
    columns = [HOSTILE if i == used[0] else name for i, name in enumerate(names)]
    (folder / "names.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip(names, columns)))
    path = export(case, "pmml", folder, features=folder / "names.tsv")
    rows = case.rows[::6]
    return Task(name, path.rename(folder / f"{name}.pmml"), columns, rows, case.booster.predict(rows))  # not raw scores, which LightGBM does not average


def texts(folder: Path) -> list[Task]:
    """Texts of a categorical feature are texts in PMML too. A text that the model does not know is a missing value."""
    rng = np.random.default_rng(4)
    color, x = rng.integers(len(COLORS), size=1000), rng.normal(size=1000)
    shown = np.array(COLORS)[color]
    frame = pandas.DataFrame({"label": (color % 3 + (x > 0)).astype(int), "qid": np.arange(1000) // 10, "color": shown, "x": x})
    frame.to_csv(folder / "texts.csv", index=False)
    model, path = folder / "texts.txt", folder / "texts.pmml"
    ours.train(folder / "texts.csv", model, num_iterations=20, label_column="name:label", categorical_feature="name:color", cat_smooth=1, min_data_per_group=5)
    scores = ours.predict(folder / "texts.csv", model, folder / "scores")
    ours.run("cmd/lambdamart", "export", str(model), *ours.arguments(to="pmml", output=path))
    assert 'dataType="string"' in path.read_text()
    empty = shown == ""
    rows = np.column_stack([np.where(empty, np.nan, color), x])
    unknown = np.column_stack([np.zeros(empty.sum()), x[empty]])
    return [
        Task("texts", path, ["color", "x"], rows, scores, [COLORS, []]),
        Task("unknown texts", path, ["color", "x"], unknown, scores[empty], [["green"], []]),
    ]


def deep(folder: Path) -> Task:
    """Scorers must load the deepest tree that we write: a chain of splits at 0, -1, -2, ..."""
    splits = np.arange(DEEPEST)
    many = lambda value: " ".join([str(value)] * DEEPEST)
    lists = dict(
        num_leaves=DEEPEST + 1, num_cat=0, split_feature=many(0), split_gain=many(1), threshold=" ".join(map(str, -splits)), decision_type=many(2),
        left_child=" ".join(map(str, [*splits[1:], -1])), right_child=" ".join(map(str, -2 - splits)),
        leaf_value=" ".join(str(i / 8) for i in range(DEEPEST + 1)), leaf_weight=many(1) + " 1", leaf_count=many(1) + " 1",
        internal_value=many(0), internal_weight=many(0), internal_count=many(2), is_linear=0, shrinkage=1,
    )  # fmt: skip
    tree = "Tree=0\n" + "".join(f"{key}={value}\n" for key, value in lists.items()) + "\n\n"
    head = dict(version="v4", num_class=1, num_tree_per_iteration=1, label_index=0, max_feature_idx=0, objective="lambdarank", feature_names="a", feature_infos="[-1:1]", tree_sizes=len(tree))
    model = folder / "deep.txt"
    model.write_text("tree\n" + "".join(f"{key}={value}\n" for key, value in head.items()) + f"\n{tree}end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n\npandas_categorical:null\n")
    case = Case(model, np.linspace(-1000.0, 1000.0, 400)[:, None])
    rows = case.rows[::12]
    return Task(f"{DEEPEST} splits above a leaf", export(case, "pmml", folder), ["a"], rows, case.scores(rows))


def check_others(table: Table, folder: Path) -> None:
    """Checks models that PMML cannot represent."""
    train = sets.load(sets.shipped().train)
    for name, words, parameters in (
        ("zero_as_missing", "takes zeros for missing", {"zero_as_missing": True}),
        ("linear", "linear leaves", {"linear_tree": True}),
    ):
        train_lightgbm(train.matrix, train, folder / "other.txt", **parameters)
        check_refused(table, name, folder / "other.txt", folder, "pmml", words)


if __name__ == "__main__":
    main()
