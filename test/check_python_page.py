"""Checks that the programs of docs/python.md and docs/first-hour.md run, in the order of each page, on small data of the names that the pages use."""

import contextlib
import gzip
import io
import os
import re
import shutil
import sys
import tempfile

import matplotlib
import numpy as np

import ours
from report import Table
from sets import ROOT

os.environ["LAMBDAMART_BINARY"] = str(ours.built("cmd/lambdamart"))
sys.path.insert(0, str(ROOT / "python"))
import lambdamart  # noqa: E402

matplotlib.use("agg")
DATA = ROOT / "testdata" / "mslr-small"
FASTER = [(r"max_trainings=60", "max_trainings=3"), (r'"num_iterations": (?:1000|300)', '"num_iterations": 5'), (r'"folds": 5\}', '"folds": 3, "num_iterations": 3, "max_trainings": 3}')]


def main() -> None:
    table = Table("page", "program")
    for page in "python.md", "first-hour.md":
        text = (ROOT / "docs" / page).read_text()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            names = given()
            for number, program in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL), 1):
                for slow, fast in FASTER:
                    program = re.sub(slow, fast, program)
                fault = fault_of(lambda: exec(compile(program, f"{page}, program {number}", "exec"), names))  # noqa: B023
                table.row(not fault, page, f"{number}{fault}")
            os.chdir(ROOT)
    check_arguments((ROOT / "docs" / "python.md").read_text(), table)
    table.exit()


def fault_of(call) -> str:
    """Makes a call without its output, and returns the exception that a reader would see, or ""."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            call()
    except Exception as error:
        return f": {type(error).__name__}: {error}"
    return ""


def check_arguments(page: str, table: Table) -> None:
    """Calls fit and train, or makes a Dataset, with each argument that the table of arguments names, as it names it."""
    rows = re.search(r"\| `fit` \| `train` \| \|\n.*?\n((?:\|.*\n)+)", page)[1].splitlines()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        names = given()
        x, y, qid = names["X"], names["y"], names["qid"]
        names |= {"shown_at": np.arange(len(y)) % 12 + 1, "added": y > 2}
        few = lambda **more: lambdamart.LambdaMARTRanker(n_estimators=2, min_child_samples=5, **more)  # noqa: E731
        names["ranker"] = few().fit(x, y, qid=qid)
        data = lambdamart.Dataset(x, y, qid=qid)
        train = lambda params, **more: lambdamart.train({"num_iterations": 2, "min_data_in_leaf": 5, **params}, more.pop("data", data), **more)  # noqa: E731

        def use(code: str, of_train: str) -> None:
            if code.startswith("LambdaMARTRanker("):
                few(**eval(code.replace("LambdaMARTRanker(", "dict("), names)).fit(x, y, qid=qid)
                train(eval(re.search("`(.*?)`", of_train)[1], names))
                return
            arguments = eval(f"dict({code})", names)
            kept = {"checkpoint": "kept.checkpoint"} if "resume" in arguments else {}
            few().fit(x, y, qid=qid, **arguments, **kept)
            if of_train == "of `Dataset`":
                train({}, data=lambdamart.Dataset(x, y, qid=qid, **arguments))
            else:
                assert of_train == "the same", of_train
                train({}, **arguments, **kept)

        for row in rows:
            fit, of_train, _ = (cell.strip() for cell in row.strip("|").split("|", 2))
            for code in re.findall(r"`([^`]*=[^`]*)`", fit):
                fault = fault_of(lambda: use(code, of_train))  # noqa: B023
                table.row(not fault, "python.md", f"{code}{fault}")
        os.chdir(ROOT)


def given() -> dict:
    """Returns what the pages take as given, and puts the files that they read into the folder."""
    shutil.copytree(DATA, "testdata/mslr-small")
    lambdamart.train({"num_iterations": 3}, lambdamart.Dataset("testdata/mslr-small/train.txt.gz")).model.save("model.txt")
    rng = np.random.default_rng(0)

    def part(first: int, queries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        qid = np.repeat(np.arange(first, first + queries), 12)
        x = rng.random((len(qid), 6))
        return x, np.clip(np.round(3 * x[:, 0] + rng.normal(0, 0.5, len(qid))), 0, 4), qid

    x, y, qid = part(0, 60)
    x_valid, y_valid, qid_valid = part(100, 20)
    x_test, y_test, qid_test = part(200, 20)
    write("train.txt.gz", x, y, qid)
    write("vali.txt.gz", x_valid, y_valid, qid_valid)
    write("test.txt.gz", x_test, y_test, qid_test)
    plain = lambdamart.train({"num_iterations": 3}, lambdamart.Dataset(x, y, qid=qid)).model
    plain.save("other.txt")
    return {
        "np": np, "X": x, "y": y, "qid": qid, "X_valid": x_valid, "y_valid": y_valid, "qid_valid": qid_valid, "X_test": x_test, "y_test": y_test, "qid_test": qid_test,
        "old_scores": rng.random(len(y)), "new_scores": rng.random(len(y)), "booster": plain.to_lightgbm(),
        "test": lambdamart.Dataset(x_test, y_test, qid=qid_test), "new_data": lambdamart.Dataset(x_valid, y_valid, qid=qid_valid),
        "valid": lambdamart.Dataset(x_valid, y_valid, qid=qid_valid),
    }


def write(name: str, x: np.ndarray, y: np.ndarray, qid: np.ndarray) -> None:
    rows = (f"{grade:.0f} qid:{query} " + " ".join(f"{i}:{value}" for i, value in enumerate(row, 1)) for row, grade, query in zip(x, y, qid))
    with gzip.open(name, "wt") as file:
        file.writelines(f"{row}\n" for row in rows)


if __name__ == "__main__":
    main()
