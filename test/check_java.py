"""Checks the Java code of a large model, and compares its speed with LightGBM's in Java.

LightGBM is lightgbm4j (io.github.metarank:lightgbm4j:4.3.0-1), which calls LightGBM 4.3. Both score the same rows
on one thread and must agree in every bit. The times are printed and decide nothing: they depend on what else the
machine does. Without Java and Maven the exit status is 77: left out. test/check_exports.py compares the scores of
models of all kinds.

    check_java.py [--leaves 255]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import consumers
import ours
import sets
from exports import case_of, export
from report import Table

TREES = 500
ROWS = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description="See the beginning of the file.")
    parser.add_argument("--leaves", type=int, default=31, help="leaves of a tree")
    leaves = parser.parse_args().leaves
    if not consumers.java_is_here():
        sys.exit(77)
    table = Table("model", "target", "rows", "other bits", "us a row", "LightGBM a row", "LightGBM's batch")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = sets.shipped()
        model = folder / "model.txt"
        ours.train(data.train, model, num_iterations=TREES, num_leaves=leaves, min_data_in_leaf=2)
        case = case_of(model, sets.load(data.test))
        path = export(case, "java", folder)
        rows = case.rows[:ROWS]
        rows.astype(">f8").tofile(folder / "rows")
        classpath = consumers.classpath_of("java", folder)
        consumers.compile_java(path, folder, "Speed", classpath)
        command = ["java", "-cp", f"{folder}:{classpath}", "Speed", model, folder / "rows"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        table.row(printed[3] == "0", f"{TREES} trees of {leaves} leaves", "java", len(rows), printed[3], *map(float, printed[:3]))
    table.exit()


if __name__ == "__main__":
    main()
