"""Checks what tools of others read of the package and the repository: its types, by mypy as a program that uses the wheel sees
them; its metadata; the forms of issues, and the workflows, by their schemas.

.ci/run checks the workflows with actionlint too.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

import environment
from report import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import build_backend  # noqa: E402

CALLS = """
from collections.abc import Mapping
from lambdamart import Dataset, Evaluation, Iteration, LambdaMARTRanker, Model, Scored, Training, cv, evaluate, parameters, train, tune
import numpy as np

def seen(iteration: Iteration) -> None:
    print(iteration.iteration)

def squares(s: Scored) -> tuple[np.ndarray, np.ndarray]:
    return s.score - s.y, np.ones_like(s.score)

def top(y: np.ndarray, score: np.ndarray) -> tuple[str, float, bool]:
    return "top", float(y[np.argmax(score)]), True

def functions(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> list[LambdaMARTRanker]:
    rates = LambdaMARTRanker(learning_rate=lambda i: 0.1 / (1 + i), metric=top), LambdaMARTRanker(objective="binary", learning_rate=[0.2, 0.1], metric=["map", top])
    return [r.fit(X, y, qid=qid, eval_metric=[top, "ndcg@10"]) for r in (LambdaMARTRanker(objective=squares), *rates)]

def calls(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> list[Evaluation]:
    data = Dataset(X, y, qid=qid)
    training: Training = train({"num_iterations": 5}, data, [data], callbacks=[seen])
    model: Model = training.model
    scores: np.ndarray = model.predict(X)
    names: list[str] = [p.name for p in parameters()]
    print(len(model.text), model.num_trees, names, cv({}, data, folds=3).model, tune({}, data, max_trainings=5).model)
    return evaluate(y, scores, qid=qid, metrics=["ndcg@10"])
"""

# Each line has a mistake, which a type checker must see. An unused comment is an error too.
MISTAKES = """
import lambdamart
model = lambdamart.Model("model.txt")
model.text + 1  # type: ignore[operator]
model.no_such_method()  # type: ignore[attr-defined]
lambdamart.LambdaMARTRanker(n_estimators="many")  # type: ignore[arg-type]
lambdamart.train({"num_iterations": 5})  # type: ignore[call-arg]
lambdamart.evaluate([1], [2], metrics=3)  # type: ignore[arg-type]
"""


def main() -> None:
    python = environment.python_with(ROOT / "test" / "requirements-package.txt")
    if Path(sys.prefix) != Path(python).parent.parent:
        environment.run_again("requirements-package.txt", {})
    table = Table("checked", "says")
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        for name, text in ("program of the page", program_of_page()), ("calls", CALLS), ("mistakes", MISTAKES):
            said = types(text, Path(folder))
            table.row(said.startswith("Success"), name, said)
    written, p = build_backend.project(), tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]
    table.row(written == {k: v for k, v in p.items() if k != "dynamic"} | {"dynamic": ["version"]}, "pyproject.toml", "as TOML")
    from trove_classifiers import classifiers

    unknown = [c for c in p["classifiers"] if c not in classifiers]
    table.row(not unknown, "classifiers", unknown or len(p["classifiers"]))
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    for file in [*forms, *workflows]:
        schema = "workflows" if file in workflows else "issue-config" if file.name == "config.yml" else "issue-forms"
        said = run("-m", "check_jsonschema", "--builtin-schema", f"vendor.github-{schema}", file)
        table.row(said == "ok -- validation done", file.name, said)
    table.exit()


def program_of_page() -> str:
    return (ROOT / "python" / "README.md").read_text().split("```python\n")[1].split("```")[0]


def install(folder: Path) -> None:
    """Installs the wheel, without its program, in an environment in the folder."""
    venv.create(folder / "env")
    packages = next((folder / "env").glob("lib/python3.*/site-packages"))
    modules = [(f"lambdamart/{p.name}", p.read_bytes(), 0o644) for p in build_backend.sources()]
    with zipfile.ZipFile(build_backend.pack(build_backend.host(), folder, modules, {})) as z:
        z.extractall(packages)
    (packages / "others.pth").write_text(f"{next(Path(sys.prefix).glob('lib/python3.*/site-packages'))}\n")


def types(text: str, folder: Path) -> str:
    """Returns what mypy says of a program where the wheel is installed. Without py.typed in it, mypy takes no types from the package."""
    return run("-m", "mypy", "--strict", "--cache-dir", folder / "cache", "--python-executable", folder / "env" / "bin" / "python", "-c", text)


def run(*arguments: str | Path) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"})
    return (done.stdout + done.stderr).strip()


if __name__ == "__main__":
    main()
