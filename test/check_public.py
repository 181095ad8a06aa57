"""Checks bench/public.py on generated data in the layout of the archives of MSLR, Istella and Yahoo, with their quirks: folds with
a missing file, no validation part, compressed files, features missing from a part, DBL_MAX as a value, blank queries."""

import gzip
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import ours
from report import Table
from sets import ROOT

RANKERS = "rankers=preset-auto,listnet-small", "num_iterations=2", "epochs=2"


def main() -> None:
    table = Table("archive", "says")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for archive, (make, notice, title) in ARCHIVES.items():
            make(folder / archive)
            results = folder / f"{archive}-results"
            said = public("train", folder / archive, results, *RANKERS).stderr
            text = public("table", results).stdout
            rows = re.findall(r"^\| (?:preset-auto|listnet-small) \| 0\.\d+ \| 0\.\d+ \| 0\.\d+ \| measured here \|$", text, re.MULTILINE)
            published = re.search(r"^\| LightGBM, 1,000 trees", text, re.MULTILINE)
            table.row(notice in said and title in text and len(rows) == 4 and published is not None, archive, text.splitlines()[0])
    table.exit()


def public(*arguments: str | Path) -> subprocess.CompletedProcess:
    variables = os.environ | {"LAMBDAMART": str(ours.built("cmd/lambdamart"))}
    done = subprocess.run([sys.executable, ROOT / "bench" / "public.py", *arguments], env=variables, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{arguments}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def rows(queries: int, seed: int, first: int) -> str:
    generator = ours.built("bench/mslrgen")
    return subprocess.run([generator, "-queries", str(queries), "-seed", str(seed), "-first-qid", str(first)], capture_output=True, text=True, check=True).stdout


def parts(folder: Path, seed: int, names: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for (part, name), (queries, first) in zip(names.items(), ((20, 1), (8, 21), (8, 29))):
        (folder / name).write_text(rows(queries, 10 * seed + first, first))


def mslr(folder: Path) -> None:
    for fold in 1, 2, 3:
        parts(folder / f"Fold{fold}", fold, {part: f"{part}.txt" for part in ("train", "vali", "test")})
        test = folder / f"Fold{fold}" / "test.txt"
        test.write_text(re.sub(r"^\d qid:29 ", "0 qid:29 ", test.read_text(), flags=re.MULTILINE))  # a blank query
    (folder / "Fold2" / "vali.txt").unlink()


def istella_sample(folder: Path) -> None:
    parts(folder / "sample", 4, {part: f"{part}.txt" for part in ("train", "vali", "test")})


def istella(folder: Path) -> None:
    parts(folder / "full", 5, {part: f"{part}.txt" for part in ("train", "vali", "test")})
    (folder / "full" / "vali.txt").unlink()
    for path in (folder / "full").iterdir():
        path.write_text(re.sub(r" 5:\S+", " 5:1.7976931348623157E308", path.read_text()))


def yahoo(folder: Path) -> None:
    parts(folder, 6, {"train": "set1.train.txt", "vali": "set1.valid.txt", "test": "set1.test.txt"})
    test = folder / "set1.test.txt"
    test.write_text(re.sub(r" 13[0-6]:\S+", "", test.read_text()))
    train = folder / "set1.train.txt"
    with gzip.open(f"{train}.gz", "wt") as file:
        file.write(train.read_text())
    train.unlink()


ARCHIVES = {
    "MSLR-WEB10K": (mslr, "it has no vali", "MSLR-WEB10K: Fold1, Fold3; 12.5 %"),
    "istella-s": (istella_sample, "", "Istella-S: Fold1"),
    "istella": (istella, "each tenth training query", "Istella: Fold1"),
    "ltrc_yahoo": (yahoo, "", "Yahoo set 1: Fold1"),
}

if __name__ == "__main__":
    main()
