"""Checks that LightGBM and we read the same tables in the same way.

Both train on the same CSV or TSV file. Its label column is between the features; it has columns for the query,
the weight and one to ignore, or companion files instead; and missing values. The models must have the same
features, ranges and first split. Then each program scores the file with the other's model, with the
same result in every bit. Parquet files written by pyarrow must give the same bytes of a model as the
text, and so must those that we write, in which pyarrow must find the values of the text.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import lightgbm
import numpy as np
import pandas
import pyarrow
import pyarrow.parquet

import models
import ours
import sets
from report import Table

ROUNDS = 10
FEATURES = 12
MIDDLE = 5  # features before the label's column

NAMED = dict(label_column="name:relevance", group_column="name:query", weight_column="name:weight", ignore_column="name:junk,note")
NUMBERED = dict(label_column=MIDDLE, group_column=MIDDLE, weight_column=FEATURES + 1, ignore_column=f"{FEATURES + 2},{FEATURES + 3}")
COMPANIONS = dict(label_column=MIDDLE)


@dataclass(frozen=True)
class Case:
    """A file and the parameters with which both programs read it."""

    name: str
    path: Path
    header: bool
    columns: dict

    def parameters(self) -> dict:
        return dict(self.columns, header=str(self.header).lower())


def main() -> None:
    table = Table("set", "file", "model by", "features", "first split", "rows", "other bits")
    with tempfile.TemporaryDirectory() as folder:
        for data in sets.present()[:2]:
            frame = frame_of(data)
            for case in cases(frame, Path(folder)):
                check(table, data.name, case)
            for name, write in PARQUET.items():
                check_parquet(table, data.name, name, frame, write, Path(folder))
            for name in "zstd, small groups", "parts":  # other roles of columns, for which the form does not matter
                check_goals(table, data.name, name, frame, PARQUET[name], Path(folder))
            check_written(table, data, Path(folder))
    table.exit()


def frame_of(data: sets.Set) -> pandas.DataFrame:
    """Returns some features of a set, every third with missing values, and columns that are not features.

    Values are multiples of 1/64, which LightGBM's default parser reads exactly; its exact parser
    (precise_float_parser) rejects empty cells.
    """
    part = sets.load(data.train)
    random = np.random.default_rng(1)
    spread = np.argsort([-len(np.unique(column)) for column in part.matrix.T], kind="stable")[:FEATURES]
    columns = {f"feature_{i}": np.round(part.matrix[:, f] * 64) / 64 for i, f in enumerate(np.sort(spread))}
    for i, column in enumerate(columns.values()):
        if i % 3 == 0:
            column[random.random(len(column)) < 0.1] = np.nan
    frame = pandas.DataFrame(columns)
    frame.insert(MIDDLE, "relevance", part.labels.astype(int))
    frame.insert(MIDDLE + 1, "query", np.repeat(np.arange(len(part.sizes)) + 100, part.sizes))
    frame["weight"] = random.integers(1, 9, len(frame)) / 4
    frame["junk"] = random.random(len(frame))
    frame["note"] = 7  # so that the last cell is not empty: LightGBM reads an empty last cell as zero
    return frame


def cases(frame: pandas.DataFrame, folder: Path) -> list[Case]:
    found = []
    for ending, comma in ("csv", ","), ("tsv", "\t"):
        path = folder / f"named.{ending}"
        frame.to_csv(path, sep=comma, index=False, na_rep="" if ending == "csv" else "NaN")
        found.append(Case(f"{ending}, names", path, True, NAMED))
        found.append(Case(f"{ending}, numbers", path, True, NUMBERED))
        path = folder / f"bare.{ending}"
        frame.to_csv(path, sep=comma, index=False, header=False, na_rep="na")
        found.append(Case(f"{ending}, no header", path, False, NUMBERED))
    path = folder / "companions.csv"
    frame.drop(columns=["query", "weight", "junk"]).to_csv(path, index=False)
    sizes = frame.groupby("query", sort=False).size()
    np.savetxt(f"{path}.query", sizes, "%d")
    np.savetxt(f"{path}.weight", frame["weight"], "%.2f")
    found.append(Case(".query, .weight", path, True, COMPANIONS))
    initial = folder / "initial.csv"
    initial.write_bytes(path.read_bytes())
    np.savetxt(f"{initial}.query", sizes, "%d")
    np.savetxt(f"{initial}.init", np.random.default_rng(2).integers(0, 9, len(frame)) / 8, "%.3f")
    found.append(Case(".query, .init", initial, True, COMPANIONS))
    return found


def check(table: Table, name: str, case: Case) -> None:
    by_us, by_lightgbm = case.path.with_suffix(".ours"), case.path.with_suffix(".lightgbm")
    ours.train(case.path, by_us, num_iterations=ROUNDS, **ours.FILE_ORDER, **case.parameters())
    parameters = dict(case.parameters(), objective="lambdarank", verbosity=-1, num_threads=ours.THREADS)
    trained = lightgbm.train(parameters, lightgbm.Dataset(str(case.path), params=parameters), ROUNDS).save_model(by_lightgbm)
    same_features = heading(by_us) == heading(by_lightgbm)
    mine, theirs = first_split(by_us), first_split(by_lightgbm)
    loaded = lightgbm.Booster(model_file=by_us)  # not LightGBM's own: it cannot load it if a column was ignored by name
    for trainer, model, booster in ("us", by_us, loaded), ("LightGBM", by_lightgbm, trained):
        expected = booster.predict(str(case.path), raw_score=True, data_has_header=case.header)
        scores = predict(case, model)
        other = len(scores) if len(scores) != len(expected) else int(np.sum(scores.view(np.int64) != expected.view(np.int64)))
        passed = same_features and mine == theirs and other == 0
        table.row(passed, name, case.name, trainer, same_features, mine == theirs, len(expected), other)


def predict(case: Case, model: Path) -> np.ndarray:
    scores = case.path.with_suffix(".scores")
    ours.run("cmd/lambdamart", "predict", *ours.arguments(data=case.path, input_model=model, output_result=scores, header=str(case.header).lower()))
    return np.array([float(line) for line in scores.read_text().split()])


def heading(model: Path) -> list:
    """Returns what a model says about its columns, with numbers parsed."""
    keys = dict(line.split("=", 1) for line in model.read_text().splitlines() if "=" in line)
    ranges = [tuple(map(float, r[1:-1].split(":"))) if r != "none" else r for r in keys["feature_infos"].split()]
    return [keys["label_index"], keys["max_feature_idx"], keys["feature_names"], ranges]


def first_split(model: Path) -> tuple:
    split = models.read(model)[0].splits[0]
    return split.feature, split.threshold, split.decision


def one_file(**options):
    def write(table: pyarrow.Table, path: Path) -> None:
        pyarrow.parquet.write_table(table, path, **options)

    return write


def parts(table: pyarrow.Table, path: Path) -> None:
    path.mkdir(exist_ok=True)
    for i in range(3):
        size = -(-table.num_rows // 3)
        pyarrow.parquet.write_table(table.slice(i * size, size), path / f"part-{i}.parquet")
    (path / "_SUCCESS").touch()


PARQUET = {
    "snappy": one_file(),
    "zstd, small groups": one_file(compression="zstd", row_group_size=500),
    "plain, version 2 pages": one_file(compression="none", use_dictionary=False, data_page_version="2.0"),
    "gzip": one_file(compression="gzip", data_page_size=4096),
    "parts": parts,
}


GOALS = dict(label_columns="relevance,weight", group_column="name:query", position_column="name:place", ignore_column="name:junk,note")


def check_goals(table: Table, name: str, form: str, frame: pandas.DataFrame, write, folder: Path) -> None:
    """Checks that further labels, positions and ids of documents mean the same in Parquet and in text."""
    frame = frame.assign(query=frame["query"].astype(str), place=[f"p{row % 7}" for row in range(len(frame))])
    text, path = folder / "goals.csv", folder / f"goals {form}.parquet"
    frame.to_csv(text, index=False)
    write(pyarrow.Table.from_pandas(frame, preserve_index=False), path)
    by_text, by_parquet = folder / "text.model", folder / "parquet.model"
    for data, model in (text, by_text), (path, by_parquet):
        ours.train(data, model, num_iterations=ROUNDS, objective="lambdarank:1,query_rmse@weight:0.5", **GOALS)
    same_model = by_text.read_bytes() == by_parquet.read_bytes()
    table.row(same_model, name, f"two goals, {form}", "us", same_model, same_model, len(frame), 0)
    ids = dict(label_column="name:relevance", group_column="name:query", docid_column="name:place", output_ids="true", input_model=by_text)
    lines = [ours.run("cmd/lambdamart", "predict", f"data={data}", *(f"{key}={value}" for key, value in ids.items())).splitlines() for data in (text, path)]
    other = sum(a != b or a.split("\t")[1] != place for a, b, place in zip(*lines, frame["place"], strict=True))
    table.row(other == 0, name, f"ids of documents, {form}", "us", True, True, len(frame), other)


def check_parquet(table: Table, name: str, form: str, frame: pandas.DataFrame, write, folder: Path) -> None:
    """Checks that the frame gives the same model and scores as Parquet and as text."""
    text, path = folder / "named.csv", folder / f"{form}.parquet"
    write(pyarrow.Table.from_pandas(frame.assign(query=frame["query"].astype(str)), preserve_index=False), path)
    by_text, by_parquet = folder / "text.model", folder / "parquet.model"
    ours.train(text, by_text, num_iterations=ROUNDS, **NAMED)
    ours.train(path, by_parquet, num_iterations=ROUNDS, **NAMED)
    same_model = by_text.read_bytes() == by_parquet.read_bytes()
    mine, expected = (ours.predict(data, by_text, folder / "scores") for data in (path, text))
    other = int(np.sum(mine != expected))
    table.row(same_model and other == 0, name, f"Parquet, {form}", "us", same_model, same_model, len(mine), other)


def check_written(table: Table, data: sets.Set, folder: Path) -> None:
    """Checks the Parquet that `transform` writes: by pyarrow beside the CSV, and by training on both."""
    text, path = folder / "written.csv", folder / "written.parquet"
    for output in text, path:
        ours.run("cmd/lambdamart", "transform", *ours.arguments(data=data.test, output=output, query_context="rank,gap_to_best"))
    expected, read = pandas.read_csv(text, dtype={"qid": str}), pyarrow.parquet.read_table(path)
    assert read.schema.types == [pyarrow.float64(), pyarrow.string()] + [pyarrow.float64()] * (len(expected.columns) - 2), read.schema
    same = read.column_names == list(expected) and read.to_pandas().equals(expected.astype({c: float for c in expected if c != "qid"}))
    by_text, by_parquet = folder / "text.model", folder / "parquet.model"
    for source, model in (text, by_text), (path, by_parquet):
        ours.train(source, model, num_iterations=ROUNDS, label_column="name:label", group_column="name:qid")
    same_model = by_text.read_bytes() == by_parquet.read_bytes()
    table.row(same and same_model, data.name, "Parquet, written by us", "us", same_model, same_model, read.num_rows, 0 if same else "some")


if __name__ == "__main__":
    main()
