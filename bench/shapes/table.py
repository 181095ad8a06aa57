"""Makes Markdown tables of a result of run.py.

    python -m shapes.table bench/results/FILE.json
"""

import json
import sys
from statistics import mean, median, stdev, variance

NAMES = dict(lightgbm="LightGBM", xgboost="XGBoost")


def tables(result: dict) -> list[str]:
    made = [heading(result)]
    if any(d["fits"] for d in result["draws"]):
        made += [quality(result), memory(result, "mib", "memory added, MiB"), memory(result, "mib_in_all", "in all, MiB")]
        if {"default", "every"} <= set(result["systems"]):
            made.append(share_of_rows(result))
    for threads in sorted({t["threads"] for d in result["draws"] for t in d["times"]}):
        made += [times(result, threads, "cpu"), times(result, threads, "wall"), binning(result, threads)]
        made += [phases(result, threads, s) for s in ("default", "every") if s in result["systems"]]
    return made


def heading(result: dict) -> str:
    kinds = sorted({f"{d['kind']} draw {d['draw']}" for d in result["draws"]})
    machine, chosen = result["machine"], result["settings"]
    sizes = f"{chosen['leaves']} leaves, {chosen['iterations']} iterations"
    more = " ".join(f"{n}={v}" for n, v in chosen["parameters"].items()) or "all else by default"
    where = f"{machine['cpu']}, {machine['cores']} cores, {result['date']}, {result['commit']}"
    return f"{result['size']} size, {sizes}, {more}; {', '.join(kinds)}; {where}"


def name_of(system: str) -> str:
    return NAMES.get(system, f"ours, {system}")


def reference(result: dict) -> str:
    return "lightgbm" if "lightgbm" in result["systems"] else result["systems"][0]


def others(result: dict) -> list[str]:
    return [s for s in result["systems"] if s != reference(result)]


def shapes(result: dict) -> dict[str, list[dict]]:
    """Returns the draws of each shape."""
    by_shape: dict[str, list[dict]] = {}
    for d in result["draws"]:
        by_shape.setdefault(d["shape"], []).append(d)
    return by_shape


def rendered(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head), *rows])


def quality(result: dict) -> str:
    """Compares nDCG@10 with the reference's. Errors are over draws, or over queries if there is one draw."""
    first = reference(result)
    head = ["nDCG@10", name_of(first), *(f"{name_of(s)}: difference" for s in others(result))]
    rows = []
    for shape, draws in shapes(result).items():
        values = [mean(d["fits"][first]["ndcg"]) for d in draws if "ndcg" in d["fits"][first]]
        cells = [f"{mean(values):.4f}" if values else "failed"]
        rows.append([shape, *cells, *(difference(draws, s, first) for s in others(result))])
    return rendered(head, rows)


def difference(draws: list[dict], system: str, first: str) -> str:
    each = differences(draws, system, first)
    if not each:
        return "failed"
    values = [mean(e) for e in each] if len(each) > 1 else each[0]
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{mean(values):+.4f} ± {error:.4f}"


def differences(draws: list[dict], system: str, first: str) -> list[list[float]]:
    """Returns the differences of the queries of each draw."""
    both = [(d["fits"][system], d["fits"][first]) for d in draws]
    return [[a - b for a, b in zip(s["ndcg"], r["ndcg"])] for s, r in both if "ndcg" in s and "ndcg" in r]


def share_of_rows(result: dict) -> str:
    """Compares the default, whose trees grow on as many rows as pay, with every row and with LightGBM."""
    head = ["nDCG@10 by default", "rows", "less every row, by draw", "mean", "share", "CPU time / every row's"]
    beside = ["lightgbm"] if "lightgbm" in result["systems"] else []
    rows = []
    for shape, draws in shapes(result).items():
        own = [d["fits"]["default"] for d in draws if "share" in d["fits"]["default"]]
        each = differences(draws, "default", "every")
        if not each:
            rows.append([shape, "failed"])
            continue
        cells = [f"{own[0]['rows']:,}", ", ".join(f"{mean(e):+.4f}" for e in each), pooled(each)]
        cells += [f"{mean(f['share'] for f in own):.2f}"]
        timed = [t["systems"] for d in draws for t in d["times"]]
        cells += [ratios([(t["default"], t["every"]) for t in timed], "train_cpu")]
        rows.append([shape, *cells, *(pooled(differences(draws, "default", s)) for s in beside)])
    return rendered(head + [f"less {name_of(s)}'s" for s in beside], rows)


def pooled(each: list[list[float]]) -> str:
    """Returns the mean over draws and its standard error over queries."""
    if not each:
        return "failed"
    error = sum(variance(e) / len(e) for e in each) ** 0.5 / len(each)
    return f"{mean(map(mean, each)):+.4f} ± {error:.4f}"


def memory(result: dict, kind: str, heading: str) -> str:
    """Peak memory of training: what it adds to the process, or all of it."""
    rows = []
    for shape, draws in shapes(result).items():
        cells = [[d["fits"][s][kind] for d in draws if kind in d["fits"][s]] for s in result["systems"]]
        rows.append([shape, *(f"{median(c):.0f}" if c else "failed" for c in cells)])
    return rendered([heading, *map(name_of, result["systems"])], rows)


def of_rounds(draws: list[dict], threads: int) -> list[dict]:
    return [t["systems"] for d in draws for t in d["times"] if t["threads"] == threads]


def times(result: dict, threads: int, kind: str) -> str:
    """Seconds of training without binning: of the reference, and the reference's over those of the others."""
    first, key = reference(result), f"train_{kind}"
    unit = f"{'user CPU' if kind == 'cpu' else 'wall'}, {threads} thread{'s'[: threads > 1]}"
    head = [f"training, {unit}", f"{name_of(first)}, s"]
    head += [f"{name_of(first)} / {name_of(s)}" for s in others(result)]
    rows = []
    for shape, draws in shapes(result).items():
        rounds = of_rounds(draws, threads)
        own = [r[first][key] for r in rounds if key in r[first]]
        cells = [ratios([(r[first], r[s]) for r in rounds], key) for s in others(result)]
        rows.append([shape, f"{median(own):.2f}" if own else "failed", *cells])
    return rendered(head, rows)


def ratios(rounds: list[tuple[dict, dict]], key: str) -> str:
    """Returns the median and the range."""
    found = [a[key] / max(b[key], 1e-3) for a, b in rounds if key in a and key in b]
    if not found:
        return "failed"
    return f"{median(found):.2f}" + (f" ({min(found):.2f} to {max(found):.2f})" if len(found) > 1 else "")


def binning(result: dict, threads: int) -> str:
    """CPU seconds from arrays to bins."""
    rows = []
    for shape, draws in shapes(result).items():
        rounds = of_rounds(draws, threads)
        cells = [[r[s]["bin_cpu"] for r in rounds if "bin_cpu" in r[s]] for s in result["systems"]]
        rows.append([shape, *(f"{median(c):.2f}" if c else "failed" for c in cells)])
    return rendered([f"binning, user CPU s, threads: {threads}", *map(name_of, result["systems"])], rows)


def phases(result: dict, threads: int, system: str) -> str:
    """User CPU milliseconds of an iteration of ours, and the shares of its phases in the wall time."""
    iterations, rows, head = result["settings"]["iterations"], [], []
    for shape, draws in shapes(result).items():
        found = [r[system] for r in of_rounds(draws, threads) if "phases" in r[system]]
        if found:
            head = [p for p in found[0]["phases"] if p not in ("read", "bin", "validation")]
            cpu = 1000 * median(f["train_cpu"] for f in found) / iterations
            rows.append([shape, f"{cpu:.2f}", *(f"{100 * share(found, p, head):.0f} %" for p in head)])
    return rendered([f"{name_of(system)}, threads: {threads}", "CPU ms an iteration", *head], rows)


def share(found: list[dict], phase: str, all_phases: list[str]) -> float:
    return median(f["phases"][phase] / sum(f["phases"][p] for p in all_phases) for f in found)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print("\n\n".join(tables(json.load(file))))
