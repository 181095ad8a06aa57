"""Compares the speed of contributions (SHAP values) with LightGBM's pred_contrib, shap's TreeExplainer and FastTreeSHAP.

    python3 bench/contributions.py BINARY MODEL DATA [ROWS [THREADS [ROUNDS]]]

The programs take turns explaining the same rows. The result is the least CPU time and the least wall time of all rounds,
minus the time for one row, so that reading the model does not count. On a busy machine CPU time is more reliable.
shap and FastTreeSHAP (fasttreeshap-fixed) are left out where they are not installed; shap has one thread. MODEL is in
LightGBM's text format, DATA is LETOR text of 136 features.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def main() -> None:
    binary, model, data = sys.argv[1:4]
    rows, threads, rounds = map(int, [*sys.argv[4:], *["60", "1", "3"][len(sys.argv) - 4 :]])
    lines = open(data).readlines()[:rows]
    X = np.zeros((len(lines), 137))
    for i, line in enumerate(lines):
        for word in line.split("#")[0].split()[2:]:
            feature, value = word.split(":")
            X[i, int(feature)] = float(value)
    programs = {"lambdamart": ours(binary, model, lines, threads)}
    for name, make in {"LightGBM": lightgbm_of, "shap": shap_of, "FastTreeSHAP v1": fast_of("v1"), "FastTreeSHAP v2": fast_of("v2")}.items():
        try:
            programs[name] = make(model, threads)
        except ImportError as missing:
            print(f"{name}: left out: {missing}")
    least: dict[str, np.ndarray] = {}
    for _ in range(rounds):
        for name, explain in programs.items():
            used = seconds(lambda: explain(X)) - seconds(lambda: explain(X[:1]))
            least[name] = np.minimum(used, least.get(name, np.inf))
    print(f"{'':16} {'CPU ms a row':>12} {'times ours':>12} {'wall ms a row':>14} {'times ours':>12}")
    for name, used in least.items():
        cpu, wall = 1000 * used / (len(lines) - 1)
        print(f"{name:16} {cpu:12.2f} {used[0] / least['lambdamart'][0]:12.2f} {wall:14.2f} {used[1] / least['lambdamart'][1]:12.2f}")


def seconds(work) -> np.ndarray:
    """Returns the CPU seconds, including child processes, and the wall time."""

    def now() -> np.ndarray:
        return np.array([sum(os.times()[:4]), time.monotonic()])

    before = now()
    work()
    return now() - before


def ours(binary: str, model: str, lines: list[str], threads: int):
    def explain(X: np.ndarray) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.writelines(lines[: len(X)])
            file.flush()
            command = [binary, "predict", f"data={file.name}", f"input_model={model}", "predict_contrib=true", "output_result=/dev/null", f"num_threads={threads}"]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

    return explain


def lightgbm_of(model: str, threads: int):
    import lightgbm

    booster = lightgbm.Booster(model_file=model)
    return lambda X: booster.predict(X, pred_contrib=True, num_threads=threads)


def shap_of(model: str, threads: int):
    import lightgbm
    import shap

    explainer = shap.TreeExplainer(lightgbm.Booster(model_file=model))
    return lambda X: explainer.shap_values(X, check_additivity=False)


def fast_of(algorithm: str):
    def make(model: str, threads: int):
        import fasttreeshap_fixed
        import lightgbm

        explainer = fasttreeshap_fixed.TreeExplainer(lightgbm.Booster(model_file=model), algorithm=algorithm, n_jobs=threads)
        return lambda X: explainer.shap_values(X, check_additivity=False)

    return make


if __name__ == "__main__":
    main()
