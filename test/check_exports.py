"""Do those who load exported models score as the model does?

Models by us and by LightGBM, on data as it is, with NaN, and with values that lie on
thresholds and just above them. The oracle is LightGBM, which loads the model before it
is exported. Engines that compute in float32 get rows of float32 values; the sum that
they should have is made of LightGBM's leaves.

  lightgbm v3, v4   LightGBM          every bit
  go, c             go, cc            every bit
  solr              Solr's own class  every bit
  xgboost-raw       treelite          close: treelite adds in another type
  onnx              ONNX Runtime      within the tolerance that the test vectors state, in
                                      float32 and float64; the order of every test query
"""

import json
import subprocess
import tempfile
from pathlib import Path

import lightgbm
import numpy as np

import consumers
import models
import ours
import sets
from report import Table

ROUNDS = 50
ROWS = 1000  # of each kind


class Case:
    """A model, and rows for it."""

    def __init__(self, model: Path, matrix: np.ndarray, seed: int = 1):
        self.path = model
        self.booster = lightgbm.Booster(model_file=model)
        self.trees = models.read(model)
        rng = np.random.default_rng(seed)
        self.test = matrix
        base = matrix[rng.permutation(len(matrix))[:ROWS]]
        holes = np.where(rng.random(base.shape) < 0.1, np.nan, base)
        self.rows = np.concatenate([base, self.on_thresholds(base, rng), holes])

    def on_thresholds(self, base: np.ndarray, rng) -> np.ndarray:
        """Half of the used values become the largest float32 on a threshold, or the next.
        Thresholds of +Inf, by which LightGBM splits off NaN, have none; and tiny values stay
        away, as LightGBM takes up to 1e-35 for zero before it compares."""
        cuts: dict[int, set] = {}
        for t in self.trees:
            for s in t.splits:
                if np.isfinite(s.threshold) and (s.threshold == 0 or abs(s.threshold) > 1e-30):
                    cuts.setdefault(s.feature, set()).add(s.threshold)
        rows = base.copy()
        for feature, thresholds in cuts.items():
            chosen = rng.choice(np.array(sorted(thresholds)), len(rows))
            on = chosen.astype(np.float32)
            on = np.where(on > chosen, np.nextafter(on, np.float32(-np.inf)), on)
            above = np.nextafter(on, np.float32(np.inf))
            value = np.where(rng.random(len(rows)) < 0.5, on, above).astype(np.float64)
            rows[:, feature] = np.where(rng.random(len(rows)) < 0.5, value, rows[:, feature])
        return rows

    def scores(self, rows: np.ndarray) -> np.ndarray:
        return self.booster.predict(rows, raw_score=True)

    def sums32(self, rows: np.ndarray) -> np.ndarray:
        """The scores of an engine that adds float32 leaf values in order."""
        leaves = self.booster.predict(rows, pred_leaf=True).reshape(len(rows), -1).astype(int)
        total = np.zeros(len(rows), np.float32)
        for i, t in enumerate(self.trees):
            total += np.array(t.leaf_values, np.float32)[leaves[:, i]]
        return total


def rounded(rows: np.ndarray) -> np.ndarray:
    return rows.astype(np.float32).astype(np.float64)


def same_bits(a: np.ndarray, b: np.ndarray) -> int:
    """The number of rows whose scores differ in a bit."""
    kind = {4: np.int32, 8: np.int64}[b.dtype.itemsize]
    return int(np.sum(a.astype(b.dtype).view(kind) != b.view(kind)))


def export(case: Case, to: str, folder: Path, **parameters) -> Path:
    path = folder / f"exported-{to}.json"  # treelite goes by the ending
    ours.run("cmd/lambdamart", "export", str(case.path), *ours.arguments(to=to, output=path, vectors=50, **parameters))
    ours.run("cmd/lambdamart", "check-export", str(path))
    return path


def check_exact(table: Table, name: str, case: Case, folder: Path) -> None:
    """Targets that hold everything, in float64."""
    want = case.scores(case.rows)
    for to, parameters, consumer in (
        ("lightgbm", {"version": "v3"}, consumers.from_lightgbm),
        ("lightgbm", {"version": "v4"}, consumers.from_lightgbm),
        ("c", {}, consumers.from_c),
        ("go", {}, consumers.from_go),
    ):
        got = consumer(export(case, to, folder, **parameters), case.rows)
        other = same_bits(got, want)
        table.row(other == 0, name, " ".join([to, *parameters.values()]), len(want), other, 0, "")


def check_treelite(table: Table, name: str, case: Case, folder: Path) -> None:
    rows = rounded(case.rows)
    for to, load, kind, bound in (
        ("lightgbm", "load_lightgbm_model", np.float64, 1e-12),
        ("xgboost-raw", "load_xgboost_model", np.float32, 1e-5),
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
    """The number of test queries whose documents stand in another order."""
    rows = rounded(case.test) if kind == "float32" else case.test
    got, want = consumers.from_onnxruntime(path, rows, np.dtype(kind)), case.scores(rows)
    starts, turned = np.cumsum(sizes) - sizes, 0
    for start, size in zip(starts, sizes):
        query = slice(start, start + size)
        by_model = np.argsort(-want[query], kind="stable")
        turned += bool(np.any(np.diff(got[query][by_model]) > 0))  # a document scores more than one before it
    return turned


def check_solr(table: Table, name: str, case: Case, folder: Path, missing: bool) -> None:
    """Solr 8 fills absent values with 0: the rows have no others where the model tells
    the two apart."""
    rows = rounded(case.rows)
    rows = rows[~np.isnan(rows).any(axis=1)] if missing else np.nan_to_num(rows, nan=0.0)
    path = export(case, "solr", folder, **({"no_missing": "true"} if missing else {}))
    listed = [f["name"] for f in json.loads(path.read_text())["features"]]
    columns = [case.booster.feature_name().index(n) for n in listed]
    rows = rows[~astray(case, rows)]
    got = consumers.from_solr(path, rows, columns)
    other = same_bits(got, case.sums32(rows))
    table.row(other == 0, name, "solr", len(rows), other, float(np.max(np.abs(got - case.scores(rows)))), "")


def astray(case: Case, rows: np.ndarray) -> np.ndarray:
    """Rows with a tiny value at which Solr's slack of 1e-6 leaves no choice; see the doc
    of io/solr. LightGBM's threshold just above zero, 1e-35, is the usual one."""
    used = sorted({s.feature for t in case.trees for s in t.splits})
    return np.any((rows[:, used] != 0) & (np.abs(rows[:, used]) < 1e-9), axis=1)


def check_refused(table: Table, name: str, model: Path, folder: Path, words: str, targets: tuple[str, ...]) -> None:
    for to in targets:
        path = folder / "refused"
        command = [str(ours.built("cmd/lambdamart")), "export", str(model), f"to={to}", f"output={path}"]
        done = subprocess.run(command, capture_output=True, text=True)
        refused = done.returncode == 1 and words in done.stderr and not path.exists()
        table.row(refused, name, f"{to} refused", "", "", "", "")


def train_lightgbm(matrix: np.ndarray, part: sets.Part, model: Path, categorical=(), **parameters) -> None:
    parameters |= dict(objective="lambdarank", verbosity=-1, num_threads=int(ours.THREADS), min_data_in_leaf=5, deterministic=True)
    data = lightgbm.Dataset(matrix, part.labels, group=part.sizes, params=parameters, categorical_feature=list(categorical))
    lightgbm.train(parameters, data, ROUNDS).save_model(model)


def punched(matrix: np.ndarray, seed: int) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(matrix.shape) < 0.2, np.nan, matrix)


def main() -> None:
    table = Table("model", "target", "rows", "other bits", "difference", "tolerance")
    chosen = [s for s in sets.present() if s.name in ("shipped", "mq2008 fold 1", "mslr sample")]
    with_solr = consumers.java_is_here()
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        for data in chosen:
            train, test = sets.load(data.train), sets.load(data.test)
            model = folder / "model.txt"
            ours.train(data.train, model, num_iterations=ROUNDS)
            check_case(table, f"{data.name}, us", model, test, folder, with_solr, False)
            train_lightgbm(train.matrix, train, model)
            check_case(table, f"{data.name}, LightGBM", model, test, folder, with_solr, False)
            train_lightgbm(punched(train.matrix, 2), train, model)
            check_case(table, f"{data.name}, NaN", model, test, folder, with_solr, True)
        check_others(table, chosen[0], folder)
    table.exit()


def check_case(table: Table, name: str, model: Path, test: sets.Part, folder: Path, with_solr: bool, missing: bool) -> None:
    features = lightgbm.Booster(model_file=model).num_feature()
    case = Case(model, test.widened(features)[:, :features])
    check_exact(table, name, case, folder)
    check_treelite(table, name, case, folder)
    check_onnx(table, name, case, folder, test.sizes)
    if with_solr:
        check_solr(table, name, case, folder, missing)
    if missing:
        check_refused(table, name, model, folder, "a split that sends missing values elsewhere", ("solr",))


def check_others(table: Table, data: sets.Set, folder: Path) -> None:
    """Models that most engines cannot hold."""
    train, test = sets.load(data.train), sets.load(data.test)
    engines = ("xgboost-json", "xgboost-raw", "solr", "onnx")
    for name, words, parameters in (
        ("zero_as_missing", "takes zeros for missing", {"zero_as_missing": True}),
        ("categorical", "a categorical split", {"categorical": range(5, 15)}),
        ("linear", "linear leaves", {"linear_tree": True}),
    ):
        model = folder / "other.txt"
        train_lightgbm(train.matrix, train, model, **parameters)
        features = lightgbm.Booster(model_file=model).num_feature()
        check_exact(table, name, Case(model, test.widened(features)[:, :features]), folder)
        check_refused(table, name, model, folder, words, engines)


if __name__ == "__main__":
    main()
