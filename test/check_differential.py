"""Runs a few hundred random cases that compare us with other tools: see differential.py. test/long.sh runs more."""

import os
import sys
import tempfile
from pathlib import Path

import differential
import differential_checks
import sets

if __name__ == "__main__":
    differential.NAMES = differential_checks.parameter_names()
    with tempfile.TemporaryDirectory() as state:
        sys.exit(differential.run(int(os.environ.get("LAMBDAMART_SEED", 1)), 3600, Path(state), list(differential_checks.CHECKS), 100 if sets.ALL else 60))
