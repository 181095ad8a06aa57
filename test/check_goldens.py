"""Checks that the golden files of the Go tests still match what the other programs compute.

generate.py of each folder makes them again. Numbers may differ in the last digits, because the
exponential functions of CPUs differ.
"""

import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from report import Table
from sets import ROOT

TOLERANCE = 1e-9
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def main() -> None:
    table = Table("golden", "numbers", "difference")
    with tempfile.TemporaryDirectory() as folder:
        shipped, made = ROOT / "io/model/internal/lightgbm/testdata", Path(folder)
        shutil.copy(shipped / "generate.py", made)
        generate(made / "generate.py")
        for path in sorted(made.glob("*.txt")) + sorted(made.glob("*.json")):
            table.row(*compare(path, shipped / path.name))
    generate(ROOT / "metric" / "testdata" / "generate.py", "--check")  # has its own tolerances
    table.row(True, "metric", "", "")
    table.exit()


def generate(script: Path, *arguments: str) -> None:
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{script}: exit status {done.returncode}\n{done.stdout}{done.stderr}")


def compare(made: Path, shipped: Path) -> tuple[bool, str, int, float]:
    """Compares two files: their numbers to the tolerance, everything else exactly."""
    texts = [re.sub(r"(?m)^tree_sizes=.*$", "", path.read_text()) for path in (made, shipped)]
    numbers = [[float(n) for n in NUMBER.findall(text)] for text in texts]
    others = [NUMBER.sub("", text) for text in texts]
    if others[0] != others[1] or len(numbers[0]) != len(numbers[1]):
        return False, made.name, len(numbers[0]), math.inf
    worst = max(abs(a - b) / max(1, abs(a), abs(b)) for a, b in zip(*numbers))
    return worst <= TOLERANCE, made.name, len(numbers[0]), worst


if __name__ == "__main__":
    main()
