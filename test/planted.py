"""Builds the command with panics in it, for tests of what remains of a run that panics.

With LAMBDAMART_TEST_PANIC=5 in the environment, the fifth round of every run panics: within a tree, or before an epoch of a network. With
5,1 it panics on the peer of rank 1 alone, and with 5,,7 only in runs with the seed 7.
"""

import json
import subprocess
from pathlib import Path

from sets import ROOT

FUNCTION = """package {package}

import (
	"fmt"
	"os"
	"slices"
)

func plantedPanic(round, rank int, seed uint64) {{
	where := []string{{fmt.Sprint(round), fmt.Sprintf("%d,%d", round, rank), fmt.Sprintf("%d,,%d", round, seed)}}
	if slices.Contains(where, os.Getenv("LAMBDAMART_TEST_PANIC")) {{
		panic("planted")
	}}
}}
"""
PLACES = {  # the line before which a package calls the function, and how
    "booster/learner.go": ("\t\tt.grower.Grow(", "plantedPanic(len(t.trees)+1, t.train.Meta.Part.Group().Rank(), t.params.Seed)"),
    "nnbaseline/learner.go": ("\treason, err := t.epoch(", "plantedPanic(r.Number, 0, t.params.Seed)"),
}


def build(folder: Path, *flags: str) -> Path:
    """Returns the program, in the folder."""
    replaced = {}
    for path, (line, call) in PLACES.items():
        package, source = path.partition("/")[0], (ROOT / path).read_text()
        if source.count(line) != 1:
            raise SystemExit(f"{path} has the line to plant a panic before {source.count(line)} times: {line!r}")
        for name, text in ((path, source.replace(line, f"\t{call}\n{line}")), (f"{package}/planted.go", FUNCTION.format(package=package))):
            file = folder / name.replace("/", "_")
            file.write_text(text)
            replaced[str(ROOT / name)] = str(file)
    overlay = folder / "overlay.json"
    overlay.write_text(json.dumps({"Replace": replaced}))
    program = folder / "lambdamart"
    subprocess.run(["go", "build", *flags, "-overlay", overlay, "-o", program, "./cmd/lambdamart"], cwd=ROOT, check=True)
    return program
