"""Runs docs/training-data.ipynb on the logs that test/logs.py makes, whose relevance and effects of positions are known.

The training data are compared with a join written here; the effects of positions and the attractiveness of documents with the known ones. Logs
that cannot be right must be refused.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import logs
import ours
from report import Table
from sets import ROOT

os.environ["LAMBDAMART_BINARY"] = str(ours.built("cmd/lambdamart"))
sys.path.insert(0, str(ROOT / "python"))


def main() -> None:
    table = Table("what", "figure", "allowed")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LAMBDAMART_LOGS"] = folder
        subprocess.run([sys.executable, ROOT / "test/logs.py", folder], check=True)
        os.chdir(folder)
        found = run(ROOT / "docs/training-data.ipynb")
        check_rows(table, Path(folder))
        check_clicks(table, found)
        check_refusals(table, found, Path(folder))
        text = Path("model.json").read_text()
        table.row('"split":"title"' in text, "the model has the engine's names", "", "")
        os.chdir(ROOT)
    table.exit()


def run(path: Path) -> dict:
    """Returns the names that the cells define. Cells are stored without outputs."""
    names: dict = {}
    for number, cell in enumerate(json.loads(path.read_text())["cells"]):
        if cell["cell_type"] == "code":
            assert not cell["outputs"], f"cell {number} is stored with outputs; clear them"
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
    return names


def check_rows(table: Table, folder: Path) -> None:
    """Compares train.csv with a join of the logs by dictionaries."""
    grades = dict(line.rsplit(",", 1) for line in (folder / "judged.csv").read_text().splitlines()[1:])
    want = []
    for line in (folder / "logged.jsonl").read_text().splitlines():
        search = json.loads(line)
        for hit in search["response"]["hits"]["hits"]:
            if grade := grades.get(f"{search['qid']},{hit['_id']}"):
                title, body = hit["fields"]["_ltrlog"][0]["main"]
                want.append(f"{grade},{search['qid']},{title['value']},{body.get('value', '')}")
    got = (folder / "train.csv").read_text().splitlines()
    table.row(got == ["grade,qid,title,body", *want] and len(want) > 200, "rows of train.csv", len(got) - 1, len(want))


def check_clicks(table: Table, found: dict) -> None:
    worst = float(np.max(np.abs(found["theta"].to_numpy() - logs.SEEN)))
    table.row(worst < 0.05, "error of theta", worst, 0.05)
    known = logs.documents()
    frame = found["attractive"]
    true = np.array([known[q][d] for q, d in zip(frame.qid, frame.doc)])
    error = float(np.sqrt(np.mean((frame.gamma - true) ** 2)))
    raw = found["shown"].groupby(["qid", "doc"]).click.mean().to_numpy()  # not corrected
    scaled = float(np.sqrt(np.mean((raw * (raw @ true) / (raw @ raw) - true) ** 2)))
    table.row(error < 0.06 and error < scaled / 2, "error of gamma", error, scaled / 2)
    grades = found["graded"](frame)
    table.row(set(grades.grade) == set(range(5)), "grades", grades.grade.nunique(), 5)


def check_refusals(table: Table, found: dict, folder: Path) -> None:
    apart = pd.DataFrame({"qid": "q", "doc": ["a", "b"], "position": [1, 2], "click": [1, 0]})
    line = (folder / "logged.jsonl").read_text().splitlines()[0]
    (folder / "twice.jsonl").write_text(f"{line}\n{line}\n")
    (folder / "several.jsonl").write_text(line.replace('{"main"', '{"other": [], "main"') + "\n")
    other = found["grades"].assign(qid=lambda grades: "other " + grades.qid)
    for what, call, words in (
        ("positions that nothing connects", lambda: found["click_model"](apart), "cannot be told from relevance"),
        ("a document that is logged twice", lambda: found["read_features"](folder / "twice.jsonl"), "logged twice"),
        ("several logs", lambda: found["read_features"](folder / "several.jsonl"), "choose one"),
        ("ids that do not agree", lambda: found["join"](found["features"], other), "do the ids"),
    ):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                call()
            said = "nothing"
        except ValueError as error:
            said = str(error)
        table.row(words in said, f"refused: {what}", "", "")


if __name__ == "__main__":
    main()
