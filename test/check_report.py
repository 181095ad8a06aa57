"""Checks that a browser shows the report of `lambdamart bench` without faults.

Runs a small bench on the shipped data and opens its report in Chromium: light and dark, in the size of
a screen and of a phone. The console must be empty and nothing fetched; the page must be no wider than
its window; no text of a figure may be cut off or overlap another; every figure must be drawn and have a
title and description for screen readers. Without Chromium the exit status is 77: left out.

Screenshots stay in $LAMBDAMART_SCREENSHOTS, if that names a folder.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image

import browser
from ours import run
from report import Table
from sets import ROOT

EXPERIMENT = """
seeds = 2
min_data_in_leaf = 5
epochs = 12
ranker_settings = trees=lambdamart: num_leaves=7 num_iterations=20
ranker_settings = a-ranker-with-a-very-long-name-of-its-own=lambdamart: num_leaves=3 num_iterations=60 bagging_fraction=0.5 bagging_freq=1
ranker_settings = network=listnet: hidden_layers=16,8 dropout=0.1
ranker_settings = fast=lambdamart: learning_rate=0.3 num_iterations=10
"""

WINDOWS = {"screen-light": (1100, 900, "light"), "screen-dark": (1100, 900, "dark"), "phone": (390, 800, "light")}

# The bounding boxes of each figure and of its visible texts.
FIGURES = """
[...document.querySelectorAll('svg')].map(svg => {
  const box = e => { const b = e.getBoundingClientRect(); return [b.left + scrollX, b.top + scrollY, b.right + scrollX, b.bottom + scrollY] };
  const spoken = svg.getAttribute('aria-labelledby').split(' ').map(id => document.getElementById(id)?.textContent ?? '');
  return { box: box(svg), spoken, texts: [...svg.querySelectorAll('text')].map(t => ({ text: t.textContent, box: box(t) })) };
})
"""

# Scrolling areas, also in <details>, that the keyboard cannot reach or that have no role or label.
UNREACHED = """
(() => {
  const areas = [...document.querySelectorAll('*')].filter(e => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX));
  document.querySelectorAll('details').forEach(d => { d.open = true });
  const wrong = areas.filter(e => { e.focus(); return document.activeElement !== e || e.tabIndex !== 0 || !e.role || !e.ariaLabel });
  document.querySelectorAll('details').forEach(d => { d.open = false });
  document.activeElement.blur();
  return { areas: areas.length, wrong: wrong.map(e => e.textContent.trim().slice(0, 40)) };
})()
"""


def main() -> None:
    if browser.program() is None:
        print("NOTICE: left out: no Chromium (Debian package chromium)")
        sys.exit(77)
    table = Table("page", "figures", "texts")
    with tempfile.TemporaryDirectory() as name, browser.Browser() as page:
        folder = Path(name)
        report = make_report(folder)
        for window, (width, height, scheme) in WINDOWS.items():
            page.open(report, width, height, scheme)
            picture = folder / f"{window}.png"
            page.screenshot(picture)
            keep(picture)
            figures = page.evaluate(FIGURES)
            wrong = faults(page, report, figures, picture, width)
            table.row(not wrong, window, len(figures), sum(len(f["texts"]) for f in figures))
            for fault in wrong:
                print("   ", fault)
    table.exit()


def make_report(folder: Path) -> Path:
    config = folder / "bench.conf"
    config.write_text(EXPERIMENT)
    run("cmd/lambdamart", "bench", f"config={config}", f"data={ROOT / 'testdata' / 'mslr-small'}", f"output={folder / 'out'}")
    return folder / "out" / "report.html"


def keep(picture: Path) -> None:
    if folder := os.environ.get("LAMBDAMART_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, folder)


def faults(page: browser.Browser, report: Path, figures: list[dict], picture: Path, width: int, least: int = 4) -> list[str]:
    wrong = [f"console: {text}" for text in page.complaints()]
    if (asked := page.requests()) != [report.resolve().as_uri()]:
        wrong.append(f"requests: {asked}")
    if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
        wrong.append(f"the page is {wide} pixels wide")
    if len(figures) < least:
        wrong.append(f"{len(figures)} figures")
    reached = page.evaluate(UNREACHED)
    wrong += [f"the keyboard cannot scroll, or a reader not name: {area!r}" for area in reached["wrong"]]
    if not reached["areas"]:
        wrong.append("no area scrolls")
    image = Image.open(picture).convert("RGB")
    for figure in figures:
        wrong += faults_of_figure(figure, image)
    return wrong


def faults_of_figure(figure: dict, image: Image.Image) -> list[str]:
    name = figure["spoken"][0]
    wrong = [] if all(figure["spoken"]) else [f"{name!r}: no title or description"]
    # A blank figure has one color. The part of it outside of a phone's window is not in the picture.
    box = [round(v) for v in figure["box"]]
    if (colors := len(image.crop((box[0], box[1], min(box[2], image.width), box[3])).getcolors(1 << 24))) < 10:
        wrong.append(f"{name!r}: blank: {colors} colors")
    texts = figure["texts"]
    for i, text in enumerate(texts):
        if not inside(text["box"], figure["box"]):
            wrong.append(f"{name!r}: {text['text']!r} is cut off")
        wrong += [f"{name!r}: {text['text']!r} lies on {other['text']!r}" for other in texts[:i] if meet(text["box"], other["box"])]
    return wrong


def inside(box: list[float], outer: list[float], slack: float = 1) -> bool:
    return box[0] >= outer[0] - slack and box[1] >= outer[1] - slack and box[2] <= outer[2] + slack and box[3] <= outer[3] + slack


def meet(a: list[float], b: list[float], slack: float = 2) -> bool:
    return a[0] + slack < b[2] and b[0] + slack < a[2] and a[1] + slack < b[3] and b[1] + slack < a[3]


if __name__ == "__main__":
    main()
