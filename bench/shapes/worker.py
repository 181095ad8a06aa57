"""Trains one system on one draw, in a process of its own.

    python -m shapes.worker TASK SYSTEM FOLDER SCORES SETTINGS

The task `fit` trains, watches the memory, and writes the scores of the test part to the file SCORES; the task
`time` measures seconds. The last line of standard output is the result as JSON.
"""

import json
import sys
from pathlib import Path

import numpy as np

import memory
from shapes.draws import load
from shapes.systems import Settings, system


def main() -> None:
    task, name, folder, scores, settings = sys.argv[1:]
    chosen, rows = system(name, Settings(**json.loads(settings))), load(Path(folder), "train")
    if task == "time":
        result = chosen.timed(rows)
    else:
        result = fit(chosen, rows)
        np.save(scores, chosen.scores(load(Path(folder), "test")))
    print(json.dumps(result))


def fit(chosen, rows) -> dict:
    """Returns the memory that training adds, that of all then, and what the system says of itself."""
    watch = memory.Watch()
    said = chosen.fit(rows)
    before, most = watch.stop()
    return dict(mib=most - before, mib_in_all=most, rows=len(rows.labels)) | said


if __name__ == "__main__":
    main()
