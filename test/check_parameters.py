"""Checks that the lists of LightGBM's parameters, aliases and defaults, from which docs/from-lightgbm.md is made, are those
of the LightGBM that is installed: the list of its library (LGBM_DumpParamAliases), and what its models say.

LightGBM's own configuration file of its lambdarank example runs unchanged, where the example is present.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import lightgbm
import numpy as np

import ours
import sets
from report import Table

FOLDER = sets.ROOT / "cmd" / "lambdamart" / "testdata"
sys.path.insert(0, str(FOLDER))

import aliases  # noqa: E402


def main() -> None:
    table = Table("what", "lines")
    for name, text in ("aliases", aliases.aliases()), ("defaults", aliases.defaults()):
        stored = (FOLDER / f"lightgbm_{name}.txt").read_text()
        table.row(stored == text, f"LightGBM {lightgbm.__version__}: {name}", len(text.splitlines()))
    example = sets.DATA / "lightgbm-lambdarank"
    if example.exists():
        with tempfile.TemporaryDirectory() as name:
            configuration(table, example, Path(name))
    else:
        print(f"left out: LightGBM's train.conf: no {example} (set LAMBDAMART_DATA to the folder that has it)")
    table.exit()


def configuration(table: Table, example: Path, folder: Path) -> None:
    """Both files run as LightGBM's own program runs them, in the folder of the data. Scores go to standard output, where
    the file names no output_result."""
    for file in example.iterdir():
        shutil.copy(file, folder)
    program = ours.built("cmd/lambdamart").resolve()
    done = {}
    for task in "train", "predict":
        done[task] = subprocess.run([program, f"config={task}.conf"], cwd=folder, capture_output=True, text=True)
        table.row(done[task].returncode == 0, f"{task}.conf", len(done[task].stdout.splitlines()))
    part = sets.load(example / "rank.test")
    booster = lightgbm.Booster(model_file=str(folder / "LightGBM_model.txt"))
    scores = booster.predict(part.widened(booster.num_feature())[:, : booster.num_feature()])
    mine = np.array([float(line) for line in done["predict"].stdout.split()])
    table.row(np.array_equal(scores, mine), "its scores, LightGBM's bits", len(mine))


if __name__ == "__main__":
    main()
