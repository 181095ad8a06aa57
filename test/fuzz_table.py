"""Brings the table of fuzz targets in test/fuzz.md up to date.

    python3 test/fuzz_table.py FOLDER     the FOLDER of test/fuzz.sh

For each target: inputs tried, wall and CPU seconds in all turns, inputs kept, and the share of statements
that the kept inputs reach, in the functions that they enter of the target's package and its subpackages.
The first column, what a target reads, is kept; a new target gets a question mark there.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "test" / "fuzz.md"
HEAD = "| reads | target | inputs tried | seconds | of CPU | inputs kept | code reached |\n|---|---|---|---|---|---|---|\n"
ROW = re.compile(r"\| ([^|]*) \| `([^`]*)` (Fuzz\w+) \|.*\n")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    page = PAGE.read_text()
    table = re.search(r"\| reads \| target \|.*\n\|---.*\n(\|.*\n)*", page)
    labels = {(package, target): label for label, package, target in ROW.findall(table[0])}
    with tempfile.TemporaryDirectory() as copy:
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "-q", "--detach", copy], check=True)
        try:
            rows = [row(labels.get(key, "?"), *key, had, folder, pathlib.Path(copy)) for key, had in totals(folder).items()]
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", copy], check=True)
    rows.sort(key=lambda row: (row.startswith("| nothing"), row.lower()))
    PAGE.write_text(page.replace(table[0], HEAD + "".join(rows)))


def totals(folder):
    """Returns seconds, seconds of CPU and inputs for each package and target."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for line in (folder / "totals.tsv").read_text().splitlines():
        package, target, *numbers = line.split("\t")
        for i in range(3):
            sums[package, target][i] += int(numbers[i])
    return sums


def row(label, package, target, had, folder, copy):
    inputs = folder / "corpora" / package / target
    kept = len(list(inputs.iterdir())) if inputs.is_dir() else 0
    seconds, cpu, tried = had
    return f"| {label} | `{package}` {target} | {tried:,} | {seconds:,} | {cpu:,} | {kept:,} | {reached(package, target, inputs, copy)} |\n"


def reached(package, target, inputs, copy):
    """Runs the kept inputs and returns the share of statements."""
    if inputs.is_dir():
        shutil.copytree(inputs, copy / package / "testdata" / "fuzz" / target, dirs_exist_ok=True)
    profile = copy / "profile"
    test = ["go", "test", "-run", f"^{target}$", f"-coverpkg=./{package}/...", f"-coverprofile={profile}", f"./{package}"]
    subprocess.run(test, cwd=copy, check=True, stdout=subprocess.DEVNULL)
    entered, ran = statements(profile, functions(profile, copy))
    return f"{round(100 * ran / entered)} %" if entered else ""


def functions(profile, copy):
    """Returns the first lines of the functions of each file, in order."""
    first = collections.defaultdict(list)
    listing = subprocess.run(["go", "tool", "cover", f"-func={profile}"], cwd=copy, check=True, capture_output=True, text=True).stdout
    for file, line in re.findall(r"^(\S+?):(\d+):", listing, re.M):
        first[file].append(int(line))
    return collections.defaultdict(list, {file: sorted(lines) for file, lines in first.items()})


def statements(profile, first):
    """Returns the number of statements of functions that are entered, and how many of them ran."""
    of = collections.defaultdict(lambda: [0, 0])
    for file, line, number, count in re.findall(r"^(\S+):(\d+)\.\d+,\d+\.\d+ (\d+) (\d+)$", profile.read_text(), re.M):
        begin = max((n for n in first[file] if n <= int(line)), default=0)  # 0: literals of variables before all functions
        of[file, begin][0] += int(number)
        of[file, begin][1] += int(number) * (int(count) > 0)
    entered = [pair for pair in of.values() if pair[1]]
    return sum(n for n, _ in entered), sum(n for _, n in entered)


if __name__ == "__main__":
    main()
