"""Trains or evaluates one system. It runs in a separate process to measure the peak memory of that system.

    worker.py train|judge MODULE CONFIGURATION FOLDER MODEL SETTINGS

The last line of standard output is the result as JSON.
"""

import dataclasses
import importlib
import json
import sys
from pathlib import Path

import memory
from data import Files, judged
from quality import ndcg
from systems import Settings

STAGE = 10  # iterations between judgments
WHOLE = 1 << 30  # more trees than any model has


def configurations(system) -> dict:
    """Returns all settings that a system can be run with."""
    return system.CONFIGURATIONS | getattr(system, "FURTHER", {})


def main() -> None:
    task, module, configuration, folder, model, settings = sys.argv[1:]
    system = importlib.import_module(f"systems.{module}")
    files, model, settings = Files(Path(folder)), Path(model), Settings(**json.loads(settings))
    if task == "train":
        idle = memory.of_this_process()
        costs = system.train(files, configurations(system)[configuration], settings, model)
        if not costs.peak_mib:
            costs.idle_mib, costs.peak_mib = idle, memory.of_this_process()
        result = dataclasses.asdict(costs)
    else:
        stages = sorted({*range(STAGE, settings.iterations, STAGE), settings.iterations})
        if settings.iterations == 1:  # an ensemble is one step
            stages = [WHOLE]
        result = {stage: ndcg(judged(files), scores) for stage, scores in system.scores(files, model, stages)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
