"""Trains with some random parameters, here and in LightGBM: see random_parameters.py. test/long.sh draws more."""

import os
import sys
import tempfile
from pathlib import Path

import random_parameters
import sets

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as state:
        sys.exit(random_parameters.run(int(os.environ.get("LAMBDAMART_SEED", 1)), 25 if sets.ALL else 15, Path(state)))
