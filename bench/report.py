"""Makes a table in Markdown and a plot of quality against time from a result.

Some systems find their bins in the first iteration. So for every system, the time by which the first iteration
exceeds the median of the others counts as reading and binning.
"""

import json
import sys
from math import log
from statistics import mean, median

OURS = "lambdamart"


def reading(run: dict) -> float:
    """Returns the seconds of reading and binning."""
    first, *others = run["iterations"]
    return run["load"] + max(0.0, first - median(others or [first]))


def iteration(run: dict) -> float:
    """Returns the mean seconds of an iteration."""
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
    """Divides the time of an iteration by ours of the same round; gives the median and the range over the rounds."""
    ours = {r["round"]: iteration(r) for r in runs_of(result, OURS)}
    ratios = [iteration(r) / ours[r["round"]] for r in runs if r["round"] in ours]
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""


# The plot is written as SVG text: one line for each system, time on a logarithmic scale.
WIDTH, HEIGHT, MARGIN = 760, 440, 60
COLORS = "#d1495b", "#edae49", "#00798c", "#30638e", "#003d5b", "#6a994e", "#7b2d8b", "#888888"


class Frame:
    """Maps times and qualities to coordinates of the picture."""

    def __init__(self, everything: list[tuple[float, float]]):
        times, qualities = zip(*everything)
        self.shortest, self.longest = min(times) / 1.2, max(times) * 1.2
        self.low, self.high = min(qualities) - 0.001, max(qualities) + 0.001

    def across(self, seconds: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * log(seconds / self.shortest) / log(self.longest / self.shortest)

    def down(self, quality: float) -> float:
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (quality - self.low) / (self.high - self.low)


def plot(result: dict) -> str:
    lines = {s: points(runs_of(result, s)) for s in systems(result)}
    frame = Frame([p for line in lines.values() for p in line])
    parts = axes(frame)
    for number, (system, line) in enumerate(lines.items()):
        color, y = COLORS[number % len(COLORS)], HEIGHT - MARGIN - 14 * (len(lines) - number)
        path = " ".join(f"{frame.across(x):.1f},{frame.down(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - MARGIN - 170}" y="{y}" fill="{color}">{system}</text>')
    style = 'font-family="sans-serif" font-size="12"'
    background = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" {style}>\n{background}\n' + "\n".join(parts) + "\n</svg>\n"


def points(runs: list[dict]) -> list[tuple[float, float]]:
    """Returns pairs of seconds since the start, reading included, and nDCG@10, one for each judged number of trees."""
    judged = next(r for r in runs if "ndcg" in r)
    start, step = median(map(reading, runs)), median(map(iteration, runs))
    return [(start + step * int(trees), quality["10"]) for trees, quality in judged["ndcg"].items()]


def axes(frame: Frame) -> list[str]:
    parts = []
    for seconds in (m * 10**e for e in range(-1, 5) for m in (1, 2, 5)):
        if frame.shortest <= seconds <= frame.longest:
            parts.append(f'<text x="{frame.across(seconds):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{seconds:g}</text>')
    for i in range(6):
        quality = frame.low + (frame.high - frame.low) * i / 5
        y = f"{frame.down(quality):.1f}"
        parts.append(f'<text x="{MARGIN - 6}" y="{y}" text-anchor="end">{quality:.3f}</text>')
        parts.append(f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y}" y2="{y}" stroke="#dddddd"/>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 18}" text-anchor="middle">seconds, reading and binning included</text>')
    parts.append(f'<text x="{MARGIN - 44}" y="{MARGIN - 16}">nDCG@10, validation</text>')
    return parts


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(table(json.load(file)))
