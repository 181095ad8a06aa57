"""Prints LightGBM's parameters, one a line: each followed by its aliases, or with "defaults" by its default.

    pip install lightgbm==4.7.0
    python aliases.py > lightgbm_aliases.txt
    python aliases.py defaults > lightgbm_defaults.txt
"""
import sys

import lightgbm
import numpy as np
from lightgbm.basic import _ConfigAliases


def aliases() -> str:
    known = sorted(_ConfigAliases._get_all_param_aliases().items())
    return "".join(" ".join([name, *sorted(set(more) - {name})]) + "\n" for name, more in known)


def defaults() -> str:
    """Those that a model of LightGBM lists as its parameters, for its lambdarank objective."""
    data = lightgbm.Dataset(np.arange(100.0).reshape(50, 2), np.arange(50) % 3, group=[25, 25])
    text = lightgbm.train(dict(objective="lambdarank", verbosity=-1), data, 1).model_to_string()
    lines = text[text.index("\nparameters:") : text.index("end of parameters")].splitlines()[2:]
    given = ("num_iterations", "verbosity", "objective", "metric")
    pairs = (line.strip("[]").split(": ") for line in lines if line.startswith("["))
    return "".join(f"{name} {value}".strip() + "\n" for name, value in pairs if name not in given)


if __name__ == "__main__":
    sys.stdout.write(defaults() if sys.argv[1:] == ["defaults"] else aliases())
