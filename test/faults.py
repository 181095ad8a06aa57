"""Shows which tests find faults that are put into the code, and how soon.

    python3 test/faults.py                  all faults of test/faults.txt at HEAD; continues where it was stopped
    python3 test/faults.py --only 3,17      these again
    python3 test/faults.py --check          only whether each fault still applies and compiles (seconds)
    python3 test/faults.py --pick 80        prints functions to draw new faults from

Each fault is applied alone, in a work tree of its own, never in this one. Then tests run until one fails: those of the
package, test/golden.py, those of the packages that import it, and those of cmd/lambdamart and test. The table
test/faults.tsv has a line for each fault: the test that found it, or NOBODY. If code has moved, a fault is looked for in all
files; if it is nowhere, or more than once, it is reported as to be re-aimed, and the exit status is 1.
Uses only the standard library, git and go.
"""

import argparse
import collections
import datetime
import json
import os
import queue
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FAULTS, TABLE = ROOT / "test/faults.txt", ROOT / "test/faults.tsv"
HEAD = ["fault", "kind", "file", "nature", "found by", "package", "stage", "seconds", "commit", "date"]
LAST = ["cmd/lambdamart", "test"]  # tested last, because they run the whole program
LIMITS = {"own": 600, "golden": 900, "importers": 600, "program": 600}  # seconds of a stage
REAIM, NOBODY = "TO BE RE-AIMED", "NOBODY"


class Fault(NamedTuple):
    number: int
    kind: str
    file: str
    nature: str
    old: list[str]
    new: list[str]


class Found(NamedTuple):
    test: str
    package: str
    stage: str


def main() -> int:
    a = arguments()
    if a.pick:
        return pick(a.pick, a.seed)
    faults = read_faults(FAULTS.read_text())
    commit = git(ROOT, "rev-parse", "--short=10", a.commit)
    wanted = [int(n) for n in a.only.split(",")] if a.only else [f.number for f in faults]
    rows = read_table()
    if not a.only:
        wanted = [n for n in wanted if n not in rows or rows[n][HEAD.index("commit")] != commit]
    todo = queue.SimpleQueue()
    for f in faults:
        if f.number in wanted:
            todo.put(f)
    lock = threading.Lock()
    trees = [Tree(i, commit, a) for i in range(a.jobs)]
    workers = [threading.Thread(target=work, args=(t, todo, rows, lock, a)) for t in trees]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    if not a.check:
        print(summary(rows))
    return any(rows[n][4] == REAIM for n in wanted if n in rows)


def arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--only", help="numbers of faults, separated by commas")
    p.add_argument("--jobs", type=int, default=2, help="faults at a time")
    p.add_argument("--commit", default="HEAD", help="the commit to put faults into")
    p.add_argument("--check", action="store_true", help="only apply and compile")
    p.add_argument("--stages", default=",".join(LIMITS), help="some of own, golden, importers, program: the line of a fault that they do not find stays as it is")
    p.add_argument("--pick", type=int, help="print that many functions, drawn by size")
    p.add_argument("--seed", type=int, default=31)
    return p.parse_args()


def read_faults(text: str) -> list[Fault]:
    faults = []
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        number, kind, file, nature = re.fullmatch(r"(\d+) (\w+) (\S+): (.*)", lines[0]).groups()
        sides = {sign: [line[1:].strip() for line in lines[1:] if line[0] == sign] for sign in "-+"}
        faults.append(Fault(int(number), kind, file, nature, sides["-"], sides["+"]))
    assert [f.number for f in faults] == list(range(1, len(faults) + 1)), "faults are numbered from 1"
    return faults


def work(tree: "Tree", todo: queue.SimpleQueue, rows: dict, lock: threading.Lock, a: argparse.Namespace) -> None:
    while True:
        try:
            fault = todo.get_nowait()
        except queue.Empty:
            return
        start = time.monotonic()
        found = tree.run(fault)
        seconds = time.monotonic() - start
        if len(a.stages.split(",")) < len(LIMITS) and fault.number in rows:  # keep what the other stages found
            if found.test == NOBODY:
                continue
            seconds += int(rows[fault.number][HEAD.index("seconds")])
        with lock:
            print(f"{fault.number} {fault.kind} {fault.file}: {found.test} {found.package} ({found.stage}, {seconds:.0f} s)", flush=True)
            today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
            rows[fault.number] = [str(fault.number), fault.kind, tree.file or fault.file, fault.nature, found.test, found.package,
                                  found.stage, f"{seconds:.0f}", tree.commit, today]
            if not a.check:
                write_table(rows)


class Tree:
    """A work tree with at most one fault in it."""

    def __init__(self, number: int, commit: str, a: argparse.Namespace):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.folder = cache / "lambdamart" / f"faults-{number}"  # always the same, for go's build cache
        self.commit, self.options, self.file, self.broken = commit, a, "", set()
        self.stale: list[str] | None = None  # cases whose golden outputs differ without a fault
        if not self.folder.exists():
            git(ROOT, "worktree", "prune")
            git(ROOT, "worktree", "add", "--quiet", "--detach", str(self.folder), commit)
        git(self.folder, "reset", "--quiet", "--hard")
        git(self.folder, "checkout", "--quiet", "--detach", commit)
        git(self.folder, "clean", "-fdxq")
        self.packages = self.importers()

    def run(self, fault: Fault) -> Found:
        path = self.apply(fault)
        if path is None:
            return Found(REAIM, "its lines are not there, or more than once", "apply")
        try:
            return self.find(self.file.rpartition("/")[0] or ".")
        finally:
            git(self.folder, "reset", "--quiet", "--hard")

    def apply(self, fault: Fault) -> Path | None:
        """Puts the fault in, into its file or else the only other one that has its lines."""
        others = git(self.folder, "ls-files", "*.go").split()
        self.file = ""
        for files in [[fault.file], others]:
            places = [(f, at) for f in files for at in self.places(f, fault.old)]
            if len(places) == 1:
                self.file, at = places[0]
                path = self.folder / self.file
                lines = path.read_text().split("\n")
                lines[at : at + len(fault.old)] = replaced(lines[at : at + len(fault.old)], fault)
                path.write_text("\n".join(lines))
                return path
        return None

    def places(self, file: str, old: list[str]) -> list[int]:
        path = self.folder / file
        if not path.exists() or file.endswith("_test.go"):
            return []
        lines = [line.strip() for line in path.read_text().split("\n")]
        return [i for i in range(len(lines) - len(old) + 1) if matches(lines[i : i + len(old)], old)]

    def find(self, package: str) -> Found:
        built = subprocess.run(["go", "build", "-o", os.devnull, "./" + package], cwd=self.folder, capture_output=True, text=True)
        if built.returncode:
            return Found(REAIM, "it does not compile: " + built.stderr.strip().split("\n")[-1], "build")
        if self.options.check:
            return Found("applies", package, "build")
        importers, self.cut = self.packages.get(package, []), []
        packages = {"own": [package], "importers": [p for p in importers if p not in LAST], "program": [p for p in LAST if p in importers or p == "test"]}
        for stage in self.options.stages.split(","):
            tests = [p for p in packages.get(stage, []) if stage == "own" or p != package]
            found = self.golden() if stage == "golden" else tests and self.test(tests, stage)
            if found:
                return Found(*found, stage)
        return Found(NOBODY, f"cut off: {', '.join(self.cut)}" if self.cut else "-", "-")

    def test(self, packages: list[str], stage: str) -> tuple[str, str] | None:
        """Returns the first test that fails with the fault and not without it."""
        end = time.monotonic() + LIMITS[stage]
        while packages and time.monotonic() < end:
            failed = first_failure(self.folder, packages, self.broken, end)
            if not failed and time.monotonic() >= end:
                self.cut.append(stage)
            if not failed or self.sound(*failed):
                return failed
            self.broken.add(failed[0])
        return None

    def sound(self, test: str, package: str) -> bool:
        """Reports whether the test passes without the fault."""
        run = f"-run=^{test}$" if re.fullmatch(r"\w+", test) else "-run=^$"
        command = ["go", "test", "-short", "-vet=off", run, "./" + package]
        return self.without_fault(lambda: subprocess.run(command, cwd=self.folder, capture_output=True).returncode == 0)

    def golden(self) -> tuple[str, str] | None:
        changed = self.changed()
        if changed and self.stale is None:
            self.stale = self.without_fault(self.changed)
        changed = [case for case in changed if case not in self.stale]
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        return (f"golden.py: {', '.join(changed[:3])}{more}", "test") if changed else None

    def changed(self) -> list[str]:
        """Returns the cases with other golden outputs, but for those of several processes, which need a second program."""
        try:
            done = subprocess.run([sys.executable, "test/golden.py", "check", "--only=!*peers*"], cwd=self.folder, capture_output=True, text=True, timeout=LIMITS["golden"])
        except subprocess.TimeoutExpired:
            return ["it does not end"]
        changed = [line.split()[1].rstrip(":") for line in done.stdout.splitlines() if line.startswith("changed: ")]
        return changed or ["it ends with an error"] * (done.returncode != 0)

    def without_fault(self, do):
        path = self.folder / self.file
        text = path.read_bytes()
        git(self.folder, "checkout", "--quiet", "--", self.file)
        try:
            return do()
        finally:
            path.write_bytes(text)

    def importers(self) -> dict[str, list[str]]:
        """Returns for each package those that import it, nearest first, also by their tests."""
        out = subprocess.run(["go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles", "./..."], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        module = subprocess.run(["go", "list", "-m"], cwd=self.folder, capture_output=True, text=True, check=True).stdout.strip()
        listed, decoder = [], json.JSONDecoder()
        while out := out.strip():
            one, at = decoder.raw_decode(out)
            listed.append(one)
            out = out[at:]
        short = lambda path: path.removeprefix(module).removeprefix("/") or "."
        by, by_test, tested = collections.defaultdict(list), collections.defaultdict(list), set()
        for one in listed:
            for imported in one.get("Imports", []):
                by[short(imported)].append(short(one["ImportPath"]))
            for imported in one.get("TestImports", []) + one.get("XTestImports", []):
                by_test[short(imported)].append(short(one["ImportPath"]))
            if one.get("TestGoFiles") or one.get("XTestGoFiles"):
                tested.add(short(one["ImportPath"]))
        return {short(one["ImportPath"]): [p for p in nearest(short(one["ImportPath"]), by, by_test) if p in tested] for one in listed}


def replaced(lines: list[str], fault: Fault) -> list[str]:
    """Returns the new lines, indented as the first old one. A fault of one line may be a part of it."""
    if len(fault.old) == len(fault.new) == 1:
        return [lines[0].replace(fault.old[0], fault.new[0])]
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    return [indent + line for line in fault.new]


def matches(lines: list[str], old: list[str]) -> bool:
    return old[0] in lines[0] if len(old) == 1 else lines == old


def nearest(package: str, by: dict, by_test: dict) -> list[str]:
    found, frontier = [], [package]
    seen = {package}
    while frontier:
        following = []
        for p in frontier:
            found += [q for q in by_test[p] if q not in found and q != package]
            following += [q for q in by[p] if q not in seen and not seen.add(q)]
        found += [q for q in following if q not in found]
        frontier = following
    return found


def first_failure(folder: Path, packages: list[str], broken: set[str], end: float) -> tuple[str, str] | None:
    skip = [f"-skip=^({'|'.join(sorted(broken))})$"] if broken else []
    command = ["nice", "go", "test", "-json", "-short", "-failfast", "-vet=off", "-p=1", *skip, *["./" + p for p in packages]]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    timer = threading.Timer(max(1, end - time.monotonic()), stop, [process])
    timer.start()
    running = {}
    try:
        for line in process.stdout:
            event = json.loads(line) if line.startswith("{") else {}
            package, test, action = event.get("Package", ""), event.get("Test", "").split("/")[0], event.get("Action")
            if action == "run":
                running[package] = test
            if action in ("fail", "build-fail"):
                short = (package or event.get("ImportPath", "")).partition("/lambdamart/lambdamart")[2].lstrip("/").partition(" ")[0] or "."
                return test or running.get(package) or "(the package)", short
        return None
    finally:
        timer.cancel()
        stop(process)


def stop(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def read_table() -> dict[int, list[str]]:
    if not TABLE.exists():
        return {}
    lines = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]]
    return {int(line[0]): line for line in lines}


def write_table(rows: dict[int, list[str]]) -> None:
    text = "".join("\t".join(row) + "\n" for row in [HEAD] + [rows[n] for n in sorted(rows)])
    partial = TABLE.with_suffix(".part")
    partial.write_text(text)
    partial.replace(TABLE)


def summary(rows: dict[int, list[str]]) -> str:
    stages = collections.Counter(r[HEAD.index("stage")] for r in rows.values())
    nobody = [str(n) for n, r in sorted(rows.items()) if r[4] == NOBODY]
    again = [str(n) for n, r in sorted(rows.items()) if r[4] == REAIM]
    total = sum(int(r[HEAD.index("seconds")]) for r in rows.values())
    return (f"{len(rows)} faults: " + ", ".join(f"{n} by {s}" for s, n in stages.items() if s in LIMITS)
            + f"; {total} s in all; nobody finds: {', '.join(nobody) or 'none'}; to be re-aimed: {', '.join(again) or 'none'}")


def pick(n: int, seed: int) -> int:
    """Prints functions, drawn by their number of lines in the order of packages, so that each package has its share."""
    functions = []
    for file in git(ROOT, "ls-files", "*.go").split():
        text = (ROOT / file).read_text()
        if file.endswith("_test.go") or file.startswith(("bench/", "test/")) or "Code generated" in text[:300] or "//go:build ignore" in text[:300]:
            continue
        for m in re.finditer(r"^func .*\{\n(?:.*\n)*?\}\n", text, re.M):
            functions.append((file.rpartition("/")[0], file, text[: m.start()].count("\n") + 1, m.group()))
    functions.sort()
    draw, lines = random.Random(seed), [f[3].count("\n") for f in functions]
    points = [(k + draw.random()) * sum(lines) / n for k in range(n)]
    before = 0
    for (_, file, line, text), size in zip(functions, lines):
        for _ in [p for p in points if before <= p < before + size]:
            print(f"--- {file}:{line}\n{text}")
        before += size
    return 0


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
