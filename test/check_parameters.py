"""Checks that the lists of parameters, aliases and defaults from which docs/from-lightgbm.md is generated match the installed
LightGBM: its library's list (LGBM_DumpParamAliases) and the parameters in its model files. Parameters that the page lists as
without effect must not change a model of LightGBM.

LightGBM's own configuration file of its lambdarank example runs unchanged, where the example is present.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import lightgbm
import numpy as np

import ours
import sets
from report import Table

FOLDER = sets.ROOT / "cmd" / "lambdamart" / "testdata"
sys.path.insert(0, str(FOLDER))

import aliases  # noqa: E402


def main() -> None:
    table = Table("what", "lines")
    for name, text in ("aliases", aliases.aliases()), ("defaults", aliases.defaults()):
        stored = (FOLDER / f"lightgbm_{name}.txt").read_text()
        table.row(stored == text, f"LightGBM {lightgbm.__version__}: {name}", len(text.splitlines()))
    with tempfile.TemporaryDirectory() as name:
        without_effect(table, Path(name))
    example = sets.DATA / "lightgbm-lambdarank"
    if example.exists():
        with tempfile.TemporaryDirectory() as name:
            configuration(table, example, Path(name))
    else:
        print(f"left out: LightGBM's train.conf: no {example} (set LAMBDAMART_DATA to the folder that has it)")
    table.exit()


# A value, other than LightGBM's default, of each parameter that is accepted without effect.
VALUES = {
    "alpha": 0.3, "auc_mu_weights": "3", "cegb_tradeoff": 2, "convert_model": "x.cpp", "convert_model_language": "cpp", "deterministic": True,
    "enable_bundle": False, "fair_c": 3, "force_col_wise": True, "force_row_wise": True,
    "gpu_device_id": 1, "gpu_device_id_list": "1,2", "gpu_platform_id": 1, "gpu_use_dp": True, "linear_lambda": 3,
    "local_listen_port": 12401, "machine_list_filename": "none.txt", "machines": "127.0.0.1:12402", "multi_error_top_k": 2,
    "num_gpu": 2, "num_grad_quant_bins": 16, "other_rate": 0.2, "poisson_max_delta_step": 2, "pre_partition": True, "precise_float_parser": True,
    "pred_early_stop_freq": 3, "pred_early_stop_margin": 0.1, "predict_disable_shape_check": True,
    "quant_train_renew_leaf": True, "stochastic_rounding": False, "time_out": 3, "top_k": 2, "top_rate": 0.3, "tweedie_variance_power": 1.2,
}  # fmt: skip
OBJECTIVES = {"lambdarank": 4, "regression": 4, "binary": 1}  # with the highest label
SAMPLES = 200_000, 1000  # bin_construct_sample_cnt: more rows than there are, and fewer


def without_effect(table: Table, folder: Path) -> None:
    """Sets each parameter in LightGBM, which reads a file with sparse features that it bundles."""
    page = (sets.ROOT / "docs" / "from-lightgbm.md").read_text()
    listed = re.findall(r"^\| `(\w+)` \| no effect", page, re.MULTILINE)
    table.row(sorted(listed) == sorted(VALUES), "without effect: a value for each", len(listed))
    for objective, top in OBJECTIVES.items():
        x, path = sparse(folder, objective, top)
        for sample in SAMPLES:
            plain = trained(objective, path, x, bin_construct_sample_cnt=sample)
            changed = [n for n in listed if trained(objective, path, x, bin_construct_sample_cnt=sample, **{n: VALUES[n]}) != plain]
            table.row(not changed, f"{objective}, bins of {sample} rows: {' '.join(changed) or 'none changes the model'}", len(listed))
    table.row(trained(objective, path, x, bin_construct_sample_cnt=sample, two_round=True) != plain, "a change is seen (two_round)", 1)


def sparse(folder: Path, name: str, top: int) -> tuple[np.ndarray, Path]:
    rng = np.random.default_rng(3)
    n = 3000
    group = rng.integers(0, 12, n)
    x = np.concatenate([rng.normal(size=(n, 6)), np.eye(12)[group] * rng.random((n, 1)), rng.random((n, 8)) * (rng.random((n, 8)) < 0.05), np.zeros((n, 1))], axis=1)
    x[:3, -1] = 1  # too few for a leaf
    y = np.clip(np.round(x[:, 0] + x[:, 1] * (group % 3) + 3 * x[:, 20] + rng.normal(size=n) / 2 + 1), 0, top)
    path = folder / f"{name}.txt"
    rows = (" ".join(f"{i}:{float(v)!r}" for i, v in enumerate(row) if v) for row in x)
    path.write_text("".join(f"{label:g} {row}\n" for label, row in zip(y, rows)))
    Path(f"{path}.query").write_text("20\n" * (n // 20))
    return x, path


def trained(objective: str, path: Path, x: np.ndarray, **more) -> tuple[str, bytes]:
    """Returns LightGBM's trees, and its raw scores."""
    given = dict(objective=objective, verbosity=-1, num_threads=1, min_data_in_leaf=5, feature_fraction=0.8, bagging_fraction=0.7, bagging_freq=1) | more
    booster = lightgbm.train(given, lightgbm.Dataset(path, params=given), 10)
    text = booster.model_to_string()
    return text[: text.index("\nparameters:")], booster.predict(x, raw_score=True, **more).tobytes()


def configuration(table: Table, example: Path, folder: Path) -> None:
    """Runs both files in the folder of the data, as LightGBM's own program does. Scores go to standard output, because
    the file sets no output_result."""
    for file in example.iterdir():
        shutil.copy(file, folder)
    program = ours.built("cmd/lambdamart").resolve()
    done = {}
    for task in "train", "predict":
        done[task] = subprocess.run([program, f"config={task}.conf"], cwd=folder, capture_output=True, text=True)
        table.row(done[task].returncode == 0, f"{task}.conf", len(done[task].stdout.splitlines()))
    part = sets.load(example / "rank.test")
    booster = lightgbm.Booster(model_file=str(folder / "LightGBM_model.txt"))
    scores = booster.predict(part.widened(booster.num_feature())[:, : booster.num_feature()])
    mine = np.array([float(line) for line in done["predict"].stdout.split()])
    table.row(np.array_equal(scores, mine), "its scores, LightGBM's bits", len(mine))


if __name__ == "__main__":
    main()
