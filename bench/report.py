"""What a result says: a table in Markdown, and a plot of quality against time.

Some systems bin in their first iteration. What it takes beyond the median of the
others counts as reading and binning, for all alike.
"""

import json
import sys
from statistics import mean, median

OURS = "lambdamart"


def reading(run: dict) -> float:
    """Seconds to read and bin."""
    first, *others = run["iterations"]
    return run["load"] + max(0.0, first - median(others or [first]))


def iteration(run: dict) -> float:
    """Seconds of an iteration in the mean."""
    first, *others = run["iterations"]
    return mean([min(first, median(others or [first])), *others])


def line(run: dict) -> str:
    quality = f"  ndcg@10 {last(run['ndcg'])['10']:.4f}" if "ndcg" in run else ""
    return f"round {run['round']} {run['system']:24s} {reading(run):7.2f} s, {1000 * iteration(run):7.1f} ms, {run['peak_mib']:6.0f} MiB{quality}"


def last(quality: dict) -> dict:
    return quality[max(quality, key=int)]


def table(result: dict) -> str:
    rows = ["| system | read and bin, s | iteration, ms | over ours | nDCG@1 | @5 | @10 | peak memory, MiB (idle) |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    for system in systems(result):
        runs = runs_of(result, system)
        quality = last(next(r["ndcg"] for r in runs if "ndcg" in r))
        cells = [
            system,
            f"{median(map(reading, runs)):.2f}",
            f"{1000 * median(map(iteration, runs)):.0f}",
            ratio(result, runs),
            *(f"{quality[k]:.4f}" for k in ("1", "5", "10")),
            f"{median(r['peak_mib'] for r in runs):.0f} ({median(r['idle_mib'] for r in runs):.0f})",
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def systems(result: dict) -> list[str]:
    return list(dict.fromkeys(r["system"] for r in result["runs"]))


def runs_of(result: dict, system: str) -> list[dict]:
    return [r for r in result["runs"] if r["system"] == system]


def ratio(result: dict, runs: list[dict]) -> str:
    """Time of an iteration over ours of the same round: median, and the range over rounds."""
    ours = {r["round"]: iteration(r) for r in runs_of(result, OURS)}
    ratios = [iteration(r) / ours[r["round"]] for r in runs if r["round"] in ours]
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""


# The plot, drawn by hand: one line for each system.
WIDTH, HEIGHT, MARGIN = 760, 440, 60
COLOURS = "#d1495b", "#edae49", "#00798c", "#30638e", "#003d5b", "#6a994e", "#7b2d8b", "#888888"


def plot(result: dict) -> str:
    lines = {s: points(runs_of(result, s)) for s in systems(result)}
    everything = [p for line in lines.values() for p in line]
    longest = max(x for x, _ in everything)
    low, high = min(y for _, y in everything), max(y for _, y in everything)
    high += 0.05 * (high - low or 1)

    def place(x: float, y: float) -> str:
        across = MARGIN + (WIDTH - 2 * MARGIN) * x / longest
        down = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (y - low) / (high - low)
        return f"{across:.1f},{down:.1f}"

    parts = [axes(longest, low, high, place)]
    for number, (system, line) in enumerate(lines.items()):
        colour, y = COLOURS[number % len(COLOURS)], HEIGHT - MARGIN - 14 * (len(lines) - number)
        path = " ".join(place(*p) for p in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - MARGIN - 170}" y="{y}" fill="{colour}">{system}</text>')
    style = 'font-family="sans-serif" font-size="12"'
    background = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" {style}>\n{background}\n' + "\n".join(parts) + "\n</svg>\n"


def points(runs: list[dict]) -> list[tuple[float, float]]:
    """Seconds since the start, reading included, and nDCG@10 at each judged number of trees."""
    judged = next(r for r in runs if "ndcg" in r)
    start, step = median(map(reading, runs)), median(map(iteration, runs))
    return [(start + step * int(trees), quality["10"]) for trees, quality in judged["ndcg"].items()]


def axes(longest: float, low: float, high: float, place) -> str:
    parts = []
    for i in range(6):
        x, y = longest * i / 5, low + (high - low) * i / 5
        across, down = place(x, low).split(",")[0], place(0, y).split(",")[1]
        parts.append(f'<text x="{across}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{x:.0f}</text>')
        parts.append(f'<text x="{MARGIN - 6}" y="{down}" text-anchor="end">{y:.3f}</text>')
        parts.append(f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{down}" y2="{down}" stroke="#dddddd"/>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 18}" text-anchor="middle">seconds, reading and binning included</text>')
    parts.append(f'<text x="{MARGIN - 44}" y="{MARGIN - 16}">nDCG@10, validation</text>')
    return "\n".join(parts)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(table(json.load(file)))
