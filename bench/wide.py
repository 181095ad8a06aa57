"""CPU seconds and memory of training on wide, sparse data: this program beside LightGBM, on one thread.

    python3 bench/wide.py lambdamart [rows] [features] [share] [trees]

makes data in which each row has a share of the features (1 % of 20,000 by default), writes it to a temporary
folder, and trains on it with both programs, in turn, three times. LightGBM bundles exclusive features.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

LIGHTGBM = """
import lightgbm, sys
from sklearn.datasets import load_svmlight_file
X, y, q = load_svmlight_file(sys.argv[1], query_id=True, zero_based=True, n_features=int(sys.argv[2]) + 1)
p = dict(objective="lambdarank", verbosity=-1, num_threads=1, force_col_wise=True)
lightgbm.train(p, lightgbm.Dataset(X, y, group=[20] * (len(y) // 20), params=p), int(sys.argv[3]))
"""


def main(program: str, rows: int = 4000, features: int = 20000, share: float = 0.01, trees: int = 10) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "wide.txt"
        write(data, rows, features, share)
        commands = {
            "lambdamart": [program, "train", f"data={data}", f"num_iterations={trees}", "num_threads=1", f"output_model={folder}/m.txt"],
            "LightGBM": [sys.executable, "-c", LIGHTGBM, str(data), str(features), str(trees)],
        }
        for _ in range(3):
            print("  ".join(f"{name} {measured(command)}" for name, command in commands.items()), flush=True)


def write(path: Path, rows: int, features: int, share: float) -> None:
    rng = np.random.default_rng(1)
    with open(path, "w") as out:
        for row in range(rows):
            chosen = np.sort(rng.choice(features, int(features * share), replace=False)) + 1
            values = rng.integers(1, 4, len(chosen))
            grade = min(3, int(values[chosen < features / 10].sum() / (features * share * 0.06)) + rng.integers(0, 2))
            out.write(f"{grade} qid:{row // 20} " + " ".join(f"{f}:{v}" for f, v in zip(chosen, values)) + "\n")


def measured(command: list[str]) -> str:
    """Runs a command and returns its CPU seconds and peak memory, including reading the data."""
    done = subprocess.run(["/usr/bin/time", "-f", "%U %S %M", *command], capture_output=True, text=True, check=True)
    user, system, kilobytes = done.stderr.splitlines()[-1].split()
    return f"{float(user) + float(system):.1f} s, {int(kilobytes) / 1024:.0f} MiB"


if __name__ == "__main__":
    main(sys.argv[1], *(kind(text) for kind, text in zip((int, int, float, int), sys.argv[2:])))
