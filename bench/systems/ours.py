"""lambdamart, through its command. LightGBM scores its model with the same result in every bit."""

import json
import os
import time
from pathlib import Path

import memory
import systems.lightgbm
from data import Files
from systems import Costs, Settings

CONFIGURATIONS = {
    "lambdamart": {},
    "lambdamart, every row": dict(active_fraction=1),
}
# What bench/run.sh reach compares beside them.
FURTHER = {
    "lambdamart, symmetric": dict(grow_policy="symmetric", num_leaves=256),
    **{f"lambdamart, {loss}": dict(objective=loss) for loss in ("rank_xendcg", "query_rmse", "yetirank")},
    "lambdamart, preset=auto": dict(preset="auto"),
    "lambdamart, preset=fast": dict(preset="fast"),
}

scores = systems.lightgbm.scores


def train(files: Files, parameters: dict, settings: Settings, model: Path) -> Costs:
    everything = dict(
        data=files.train,
        output_model=model,
        log_json="true",
        num_iterations=settings.iterations,
        num_threads=settings.threads,
        num_leaves=settings.leaves,
        learning_rate=settings.learning_rate,
        min_sum_hessian_in_leaf=settings.min_sum_hessian,
        min_data_in_leaf=0,
        max_bin=settings.bins,
        lambdarank_truncation_level=settings.truncation,
    )
    ensemble = parameters.get("preset") == "auto"
    if "preset" in parameters:  # it chooses all others
        everything = dict(data=files.train, output_model=model, log_json="true", num_threads=settings.threads)
    if ensemble:  # early stopping ends it
        everything["valid"] = files.vali
    command = [Path(os.environ["LAMBDAMART_BIN"]) / "lambdamart", "train"]
    command += [f"{name}={value}" for name, value in (everything | parameters).items()]
    start = time.perf_counter()
    peak, messages = memory.of_command(command)
    took = time.perf_counter() - start
    events = [json.loads(line) for line in messages.splitlines()]
    load = next(e["seconds"] for e in events if e["event"] == "data")
    if ensemble:  # one step, with all that comes after reading
        return Costs(load, [took - load], 0.0, peak)
    return Costs(load, [e["seconds"] for e in events if e["event"] == "iteration"], 0.0, peak)
