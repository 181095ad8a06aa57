"""Checks that Chromium shows the pages of `lambdamart explain`, `train`, `model`, `cv`, `compare`, `select report=` and `tune` without
faults, light and dark, at the sizes of a screen and of a phone. check_report.py does the same for bench. Without Chromium the exit
status is 77: left out.

Screenshots stay in $LAMBDAMART_SCREENSHOTS, if that names a folder.
"""

import sys
import tempfile
from pathlib import Path

import browser
from check_report import FIGURES, WINDOWS, faults, keep
from ours import run
from report import Table
from sets import ROOT

DATA = ROOT / "testdata" / "mslr-small"


def main() -> None:
    if browser.program() is None:
        print("NOTICE: left out: no Chromium (Debian package chromium)")
        sys.exit(77)
    table = Table("page", "window", "figures", "texts")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = make_pages(folder)
        with browser.Browser() as page:
            for report in pages:
                for window, (width, height, scheme) in WINDOWS.items():
                    page.open(report, width, height, scheme)
                    picture = folder / f"{report.stem}-{window}.png"
                    page.screenshot(picture)
                    keep(picture)
                    figures = page.evaluate(FIGURES)
                    wrong = faults(page, report, figures, picture, width, least=1)
                    table.row(not wrong, report.stem, window, len(figures), sum(len(f["texts"]) for f in figures))
                    for fault in wrong:
                        print("   ", fault)
    table.exit()


def make_pages(folder: Path) -> list[Path]:
    """Makes the pages of a training run, a model, a query, a pair, an explained model, a cross-validation, a comparison, a search and a selection. The explained model has query context."""
    model, valid = folder / "model.txt", f"data={DATA / 'vali.txt.gz'}"
    base = "num_iterations=40", "query_context=rank", "min_data_in_leaf=5", "metric=ndcg@5,ndcg@10", "is_training_metric=true", f"output_model={model}"
    run("cmd/lambdamart", "train", f"data={DATA / 'train.txt.gz'}", f"valid={DATA / 'vali.txt.gz'}", *base, f"report={folder / 'train.html'}")
    run("cmd/lambdamart", "model", str(model), f"report={folder / 'model.html'}")
    for page, arguments in {"query": ["for_query=61"], "pair": ["for_query=61", "document=38", "against=28"], "explained": ["permutations=2"]}.items():
        run("cmd/lambdamart", "explain", valid, f"input_model={model}", f"report={folder / page}.html", *arguments)
    run("cmd/lambdamart", "cv", f"data={DATA / 'train.txt.gz'}", "folds=4", "num_iterations=20", "min_data_in_leaf=5", "metric=ndcg@10", f"output={folder / 'cv'}", f"report={folder / 'cv.html'}")
    for name, leaves in {"small": 3, "large": 15}.items():
        run("cmd/lambdamart", "train", f"data={DATA / 'train.txt.gz'}", "num_iterations=20", f"num_leaves={leaves}", "min_data_in_leaf=5", f"output_model={folder / name}.txt")
    run("cmd/lambdamart", "compare", str(folder / "small.txt"), str(folder / "large.txt"), str(model), f"data={DATA / 'vali.txt.gz'}", f"report={folder / 'compare.html'}")
    run("cmd/lambdamart", "tune", f"data={DATA / 'train.txt.gz'}", "max_trainings=4", "folds=3", "num_iterations=10", "min_data_in_leaf=5", f"output={folder / 'tuned'}")
    (folder / "tuned" / "report.html").rename(folder / "tune.html")
    run("cmd/lambdamart", "select", f"data={DATA / 'train.txt.gz'}", "folds=3", "num_iterations=5", "min_data_in_leaf=5", "num_features=10", f"output={folder / 'selected'}", f"report={folder / 'select.html'}")
    return [folder / f"{page}.html" for page in ("train", "model", "query", "pair", "explained", "cv", "compare", "tune", "select")]


if __name__ == "__main__":
    main()
