"""Formats a result as Markdown.

Times are CPU times, so that other programs of the machine have little influence.
"""

import json
import sys
from statistics import median

OURS = "lambdamart"


def microseconds(run: dict) -> float:
    """Returns the CPU time of a document in microseconds."""
    return 1e6 * run["processor"] / run["documents"]


def line(run: dict) -> str:
    return f"round {run['round']} {run['model']:22s} {run['batch']:6d} at once  {run['system']:24s} {microseconds(run):8.2f} µs a document"


def all_of(result: dict) -> str:
    batches = list(dict.fromkeys(r["batch"] for r in result["runs"]))
    parts = [comparison(result, batch) for batch in batches]
    return "\n\n".join([*parts, small(result), equality(result)])


def comparison(result: dict, batch: int) -> str:
    runs = [r for r in result["runs"] if r["batch"] == batch]
    models, systems = distinct(runs, "model"), distinct(runs, "system")
    head = f"### {batch:,} documents at once\n\nµs a document (times ours: median, least to most of the rounds)\n\n"
    rows = ["| system | " + " | ".join(models) + " |", "|---" * (1 + len(models)) + "|"]
    for system in systems:
        cells = [cell([r for r in runs if r["model"] == model], system) for model in models]
        rows.append(f"| {system} | " + " | ".join(cells) + " |")
    return head + "\n".join(rows)


def cell(runs: list[dict], system: str) -> str:
    ours = {r["round"]: microseconds(r) for r in runs if r["system"] == OURS}
    its = {r["round"]: microseconds(r) for r in runs if r["system"] == system}
    text = f"{median(its.values()):.1f}"
    if system != OURS:
        ratios = [its[number] / ours[number] for number in its]
        text += f" ({median(ratios):.1f}: {min(ratios):.1f} to {max(ratios):.1f})"
    return text


def small(result: dict) -> str:
    models, batches = distinct(result["small"], "model"), distinct(result["small"], "batch")
    cost = {(r["model"], r["batch"]): microseconds(r) for r in result["small"]}
    rows = ["| documents at once | " + " | ".join(models) + " |", "|---" * (1 + len(models)) + "|"]
    rows += [f"| {batch} | " + " | ".join(f"{cost[model, batch]:.1f}" for model in models) + " |" for batch in batches]
    return f"### {OURS}, small batches\n\nµs a document\n\n" + "\n".join(rows)


def equality(result: dict) -> str:
    worst = {}
    for e in result["equal"]:
        worst[e["system"]] = max(worst.get(e["system"], 0.0), e["difference"])
    rows = ["| system | largest difference from LightGBM's scores, relative to the largest score |", "|---|---|"]
    rows += [f"| {system} | {'none: every bit is equal' if off == 0 else f'{off:.1e}'} |" for system, off in worst.items()]
    return "### Equality\n\n" + "\n".join(rows)


def distinct(runs: list[dict], key: str) -> list:
    return list(dict.fromkeys(r[key] for r in runs))


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(all_of(json.load(file)))
