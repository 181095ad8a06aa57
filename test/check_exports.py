"""Checks that engines score exported models as the model itself does.

Models are trained by us and by LightGBM. Rows are those of the data, rows with NaN, and rows with values
on thresholds and just above them. The oracle is LightGBM, which loads the model before it is exported.
Engines that compute in float32 get rows of float32 values; their expected sum is computed from
LightGBM's leaves.

  lightgbm v3, v4   LightGBM          every bit
  go, c, java       go, cc, javac     every bit
  xgboost           treelite          within 1e-5: treelite adds in another type
  onnx              ONNX Runtime      within the tolerance that the test vectors state, in
                                      float32 and float64; the order of every test query
  calibrations      ONNX Runtime      every bit of isotonic probabilities of its scores, and
                                      within 1e-15 of Platt's; the oracle is NumPy
"""

import json
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np

import consumers
import ours
import sets
from exports import Case, case_of, cases, check_refused, export, rounded, same_bits, train_lightgbm
from report import Table

JAVA = [("java", {}, consumers.from_java)] if shutil.which("javac") else []


def whole_categories(case: Case, columns: range) -> Case:
    """Returns the case with whole numbers as categories: ONNX takes others for none."""
    for rows in case.rows, case.test:
        rows[:, columns] = np.trunc(rows[:, columns])
    return case


HELD = {("categorical", "xgboost"), ("categorical", "onnx")}  # by engines that hold little else that LightGBM has


def check_exact(table: Table, name: str, case: Case, folder: Path) -> None:
    """Checks the targets that can represent every model and compute in float64."""
    want = case.scores(case.rows)
    for to, parameters, consumer in (
        ("lightgbm", {"version": "v3"}, consumers.from_lightgbm),
        ("lightgbm", {"version": "v4"}, consumers.from_lightgbm),
        ("c", {}, consumers.from_c),
        ("go", {}, consumers.from_go),
        *JAVA,
    ):
        got = consumer(export(case, to, folder, **parameters), case.rows)
        other = same_bits(got, want)
        table.row(other == 0, name, " ".join([to, *parameters.values()]), len(want), other, 0, "")


def check_treelite(table: Table, name: str, case: Case, folder: Path) -> None:
    rows = rounded(case.rows)
    for to, load, kind, bound in (
        ("lightgbm", "load_lightgbm_model", np.float64, 1e-12),
        ("xgboost", "load_xgboost_model", np.float32, 1e-5),
    ):
        got = consumers.from_treelite(export(case, to, folder), rows.astype(kind), load)
        worst = float(np.max(np.abs(got - case.scores(rows))))
        table.row(worst <= bound, name, f"{to} (treelite)", len(rows), "", worst, bound)


def check_onnx(table: Table, name: str, case: Case, folder: Path, sizes: np.ndarray) -> None:
    for kind, rows in ("float32", rounded(case.rows)), ("float64", case.rows):
        path = export(case, "onnx", folder, number_type=kind)
        bound = json.loads(Path(f"{path}.vectors.json").read_text())["tolerance"]
        got = consumers.from_onnxruntime(path, rows, np.dtype(kind))
        worst = float(np.max(np.abs(got - case.scores(rows))))
        turned = queries_reordered(case, path, kind, sizes)
        table.row(worst <= bound and turned == 0, name, f"onnx {kind}", len(rows), f"{turned} queries", worst, bound)


def queries_reordered(case: Case, path: Path, kind: str, sizes: np.ndarray) -> int:
    """Returns the number of test queries whose documents are in another order than the model's."""
    rows = rounded(case.test) if kind == "float32" else case.test
    got, want = consumers.from_onnxruntime(path, rows, np.dtype(kind)), case.scores(rows)
    starts, turned = np.cumsum(sizes) - sizes, 0
    for start, size in zip(starts, sizes):
        query = slice(start, start + size)
        by_model = np.argsort(-want[query], kind="stable")
        turned += bool(np.any(np.diff(got[query][by_model]) > 0))  # a document scores higher than its predecessor
    return turned


def check_others(table: Table, data: sets.Set, folder: Path) -> None:
    """Checks models that most engines cannot represent."""
    train, test = sets.load(data.train), sets.load(data.test)
    for name, words, parameters in (
        ("zero_as_missing", "takes zeros for missing", {"zero_as_missing": True}),
        ("categorical", "a categorical split", {"categorical": range(5, 15)}),
        ("linear", "linear leaves", {"linear_tree": True}),
    ):
        model = folder / "other.txt"
        train_lightgbm(train.matrix, train, model, **parameters)
        check_exact(table, name, case_of(model, test), folder)
        for to in "elasticsearch", "xgboost", "solr", "onnx":
            if (name, to) not in HELD:
                check_refused(table, name, model, folder, to, words)
            elif to == "xgboost":
                check_treelite(table, name, case_of(model, test), folder)
            else:
                check_onnx(table, name, whole_categories(case_of(model, test), range(5, 15)), folder, test.sizes)


def check_calibrated(table: Table, data: sets.Set, folder: Path) -> None:
    """Checks the second output of ONNX graphs of calibrated models, at the scores of the calibration, between and beyond."""
    model, test = folder / "calibrated.txt", sets.load(data.test)
    ours.train(data.train, model, num_iterations=20)
    case, text = case_of(model, test), model.read_text()
    for kind in "float32", "float64":
        scores = np.unique(consumers.from_onnxruntime(export(case, "onnx", folder, number_type=kind), case.rows, np.dtype(kind)))[5:-5:3].astype(float)
        shares = np.sort(np.random.default_rng(1).random(len(scores)).round(2))
        for name, lists in ("platt", [(-0.7, -1.25)]), ("isotonic", [scores, shares]), ("isotonic", [scores[:1], shares[:1]]):
            line = ";".join([name, "2", *(",".join(map(repr, map(float, of))) for of in lists)])
            model.write_text(re.sub("^parameters:$", f"parameters:\n[calibration: {line}]", text, flags=re.MULTILINE))
            session = consumers.onnx_session(export(case, "onnx", folder, number_type=kind))
            got, p = (output[:, 0] for output in session.run(["score", "probability"], {"input": case.rows.astype(kind)}))
            bound = 1e-15 if name == "platt" else 0
            worst = float(np.max(np.abs(p - probabilities(got.astype(float), *lists))))
            table.row(worst <= bound, f"{name}, {len(lists[0])} numbers", f"onnx {kind}", len(p), "", worst, bound)


def probabilities(s: np.ndarray, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    """Returns the probabilities of scores, by the two numbers of Platt's calibration or by scores and their shares."""
    if y is None:
        return 1 / (1 + np.exp(x[0] * s + x[1]))
    place = np.searchsorted(x, s)
    low, high = np.maximum(place - 1, 0), np.minimum(place, len(x) - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        between = np.minimum(y[low] + (y[high] - y[low]) * ((s - x[low]) / (x[high] - x[low])), y[high])
    t = (s - x[0]) / (x[-1] - x[0] or 1)
    return 0.999999 * np.where((x[low] < s) & (s < x[high]), between, y[high]) + 1e-6 * ((1 + t / (1 + abs(t))) / 2)


def check_large(table: Table, data: sets.Set, folder: Path) -> None:
    """Checks code with more trees than fit into a Java function."""
    model = folder / "large.txt"
    ours.train(data.train, model, num_iterations=500, num_leaves=31, min_data_in_leaf=2)
    check_exact(table, "500 trees", case_of(model, sets.load(data.test)), folder)


def main() -> None:
    table = Table("model", "target", "rows", "other bits", "difference", "tolerance")
    if not JAVA:
        print("NOTICE: to=java is left out: no javac here")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for name, case, test, _ in cases(folder):
            check_exact(table, name, case, folder)
            check_treelite(table, name, case, folder)
            check_onnx(table, name, case, folder, test.sizes)
        check_others(table, sets.shipped(), folder)
        check_calibrated(table, sets.shipped(), folder)
        check_large(table, sets.shipped(), folder)
    table.exit()


if __name__ == "__main__":
    main()
