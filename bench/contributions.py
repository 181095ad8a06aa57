"""Compares the speed of contributions (SHAP values) with LightGBM's pred_contrib, shap's TreeExplainer and FastTreeSHAP.

    python3 bench/contributions.py BINARY MODEL DATA [ROWS]

Each program explains the same rows in one thread, and CPU seconds count, so that other work on the machine matters little:
those for all rows less those for one row, so that reading the model does not count. shap and FastTreeSHAP
(fasttreeshap-fixed) are left out where they are not installed. MODEL is one of LightGBM's text form, DATA is LETOR text of 136 features.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np


def main() -> None:
    binary, model, data = sys.argv[1:4]
    rows = int(sys.argv[4]) if len(sys.argv) > 4 else 60
    lines = open(data).readlines()[:rows]
    X = np.zeros((len(lines), 137))
    for i, line in enumerate(lines):
        for word in line.split("#")[0].split()[2:]:
            feature, value = word.split(":")
            X[i, int(feature)] = float(value)
    results = {"lambdamart": ours(binary, model, lines)}
    for name, make in {"LightGBM": lightgbm_of, "shap": shap_of, "FastTreeSHAP v1": fast_of("v1"), "FastTreeSHAP v2": fast_of("v2")}.items():
        try:
            explain = make(model)
        except ImportError as missing:
            print(f"{name}: left out: {missing}")
            continue
        results[name] = seconds(lambda: explain(X)) - seconds(lambda: explain(X[:1]))
    for name, used in results.items():
        print(f"{name:16} {1000 * used / (len(lines) - 1):8.2f} ms a row   {used / results['lambdamart']:6.2f}")


def seconds(work) -> float:
    before = os.times()
    work()
    after = os.times()
    return after.user + after.system - before.user - before.system


def ours(binary: str, model: str, lines: list[str]) -> float:
    def used(part: list[str]) -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.writelines(part)
            file.flush()
            before = os.times()
            command = [binary, "predict", f"data={file.name}", f"input_model={model}", "predict_contrib=true", "output_result=/dev/null", "num_threads=1"]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            after = os.times()
            return after.children_user + after.children_system - before.children_user - before.children_system

    return used(lines) - used(lines[:1])


def lightgbm_of(model: str):
    import lightgbm

    booster = lightgbm.Booster(model_file=model)
    return lambda X: booster.predict(X, pred_contrib=True, num_threads=1)


def shap_of(model: str):
    import lightgbm
    import shap

    explainer = shap.TreeExplainer(lightgbm.Booster(model_file=model))
    return lambda X: explainer.shap_values(X, check_additivity=False)


def fast_of(algorithm: str):
    def make(model: str):
        import fasttreeshap_fixed
        import lightgbm

        explainer = fasttreeshap_fixed.TreeExplainer(lightgbm.Booster(model_file=model), algorithm=algorithm, n_jobs=1)
        return lambda X: explainer.shap_values(X, check_additivity=False)

    return make


if __name__ == "__main__":
    main()
