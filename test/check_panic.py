"""Checks that a panic in training costs no model: what commands write and say, what Python raises, and how both go on from it."""

import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas

import planted
from report import Table
from sets import ROOT

sys.path.insert(0, str(ROOT / "python"))
DATA = [f"data={ROOT / 'testdata/mslr-small/train.txt.gz'}", f"valid={ROOT / 'testdata/mslr-small/vali.txt.gz'}"]
TREES = ["num_leaves=7", "learning_rate=0.02", "num_iterations=12", "verbosity=0"]
EPOCHS = ["hidden_layers=8", "epochs=6", "verbosity=0"]
REPORT = ("panic after 4 rounds, in ", ": planted", "please report this message", " rows, ", "parameters: ", "stack: ", "another seed= may avoid the panic")


class Program:
    """The program with panics in it, in a folder of its own."""

    def __init__(self, folder: Path):
        self.folder, self.binary = folder, planted.build(folder)

    def run(self, *args: str, panic: str = "") -> str:
        """Returns the messages of a run that panics, or "" if the run succeeds."""
        done = subprocess.run([self.binary, *args], cwd=self.folder, env={**os.environ, "LAMBDAMART_TEST_PANIC": panic}, capture_output=True, text=True)
        if done.returncode != (1 if panic else 0):
            raise SystemExit(f"{args}: exit status {done.returncode}\n{done.stderr}")
        return done.stderr if panic else ""

    def trees(self, model: str) -> int:
        return (self.folder / model).read_text().count("\nTree=")

    def same(self, a: str, b: str) -> bool:
        return without_run(self.folder / a) == without_run(self.folder / b)


def without_run(path: Path) -> bytes:
    """Returns a model without the parameters of its run, which name what was continued."""
    return path.read_bytes().partition(b"\nparameters:")[0]


def check_commands(table: Table, p: Program) -> None:
    p.run("train", *DATA, *TREES, "output_model=whole.txt")
    text = p.run("train", *DATA, *TREES, "output_model=m.txt", "snapshot_freq=2", panic="5")
    table.row(all(t in text for t in REPORT) and p.trees("m.txt") == 4, "train")
    on = re.search(r"(input_model=m.txt) (num_iterations=8) continues", text)
    table.row(on is not None and "resume=true continues from the checkpoint m.txt.checkpoint" in text, "train says how to go on")
    p.run("train", *DATA, *TREES[:2], *on.groups(), "output_model=on.txt")
    table.row(p.trees("on.txt") == 12, "goes on by input_model=")
    p.run("train", *DATA, *TREES, "output_model=m.txt", "resume=true")
    table.row(p.same("m.txt", "whole.txt"), "goes on by resume=true")
    text = p.run("train", *DATA, *TREES, "num_models=3", "feature_fraction=0.5", "output_model=e.txt", panic="5,,1")
    table.row("model 2 of 3: " + REPORT[0] in text and p.trees("e.txt") == 12, "ensemble")
    for ranker in ("ranknet", "listnet"):
        given = [*DATA, f"ranker={ranker}", *EPOCHS, "snapshot_freq=3"]
        p.run("train", *given, "output_model=whole.nn")
        text = p.run("train", *given, "output_model=m.nn", panic="5")
        table.row(all(t in text for t in REPORT) and "m.nn has the weights of epoch 4" in text and (p.folder / "m.nn").exists(), ranker)
        p.run("predict", DATA[0], "input_model=m.nn", "output_result=scores.txt")
        p.run("train", *given, "output_model=m.nn", "resume=true")
        table.row((p.folder / "m.nn").read_bytes() == (p.folder / "whole.nn").read_bytes(), f"{ranker} goes on by resume=true")


def check_studies(table: Table, p: Program) -> None:
    text = p.run("cv", DATA[0], *TREES, "folds=3", "output=cv", panic="5")
    table.row(all(t in text for t in REPORT) and "the same command continues from there" in text, "cv")
    p.run("cv", DATA[0], *TREES, "folds=3", "output=cv", "final_model=final.txt")
    text = p.run("tune", DATA[0], *TREES, "folds=3", "max_trainings=2", "output=tune", panic="5")
    table.row(all(t in text for t in REPORT) and "the same command continues from there" in text, "tune")
    p.run("tune", DATA[0], *TREES, "folds=3", "max_trainings=2", "output=tune")
    text = p.run("cv", DATA[0], *TREES, "folds=3", "output=cv", "final_model=final.txt", panic="5")  # its folds are done
    table.row(all(t in text for t in REPORT) and "final.txt has the 4 trees before it" in text and p.trees("final.txt") == 4, "the final model of cv")


def check_python(table: Table, p: Program) -> None:
    os.environ.update(LAMBDAMART_BINARY=str(p.binary), LAMBDAMART_TEST_PANIC="5")
    import lambdamart

    rng = np.random.default_rng(1)
    x, y, group = rng.random((600, 5)), rng.integers(0, 3, 600), [20] * 30
    frame = pandas.DataFrame({"number": x[:, 0], "text": pandas.Categorical(rng.choice(list("abcd"), 600))})
    data = lambdamart.Dataset(x, y, group=group)
    params = {"num_leaves": 7, "num_iterations": 12, "verbosity": 0}

    def raised(call) -> "lambdamart.TrainingPanic":
        try:
            call()
        except lambdamart.TrainingPanic as error:
            return error
        raise SystemExit("no panic")

    error = raised(lambda: lambdamart.train(params, data))
    table.row(all(t in str(error) for t in REPORT) and error.model.num_trees == 4, "Python's train")
    table.row("init_model" in str(error) and "num_iterations=8" in str(error), "Python's train says how to go on")
    again = pickle.loads(pickle.dumps(error))
    table.row(str(again) == str(error) and again.model.num_trees == 4, "a pickled TrainingPanic")
    os.environ["LAMBDAMART_TEST_PANIC"] = ""
    table.row(lambdamart.train({**params, "num_iterations": 8}, data, init_model=error.model).model.num_trees == 12, "Python goes on by init_model")
    os.environ["LAMBDAMART_TEST_PANIC"] = "5"
    seen = []
    error = raised(lambda: lambdamart.train(params, data, callbacks=[lambda iteration: seen.append(iteration.iteration)]))
    table.row(len(seen) == 4 and error.model.num_trees == 4, "Python's callbacks before it")
    error = raised(lambda: lambdamart.LambdaMARTRanker(n_estimators=12, num_leaves=7).fit(frame, y, group=group))
    table.row(len(error.model.predict(frame)) == 600, "Python's fit on a frame with categories")
    error = raised(lambda: lambdamart.train({**params, "num_models": 2, "feature_fraction": 0.5}, data))
    table.row(error.model.num_trees == 4, "Python's ensembles")
    for name, call in {"cv": lambda: lambdamart.cv(params, data, folds=3), "tune": lambda: lambdamart.tune(params, data, max_trainings=2)}.items():
        error = raised(call)
        table.row(all(t in str(error) for t in REPORT) and error.model is None and "/tmp" not in str(error), f"Python's {name}")


def main() -> None:
    table = Table("case")
    with tempfile.TemporaryDirectory() as name:
        p = Program(Path(name))
        check_commands(table, p)
        check_studies(table, p)
        check_python(table, p)
    table.exit()


if __name__ == "__main__":
    main()
