"""LambdaRank's gradients as LightGBM defines them, in float64 throughout.

LightGBM itself accumulates them as float32 and reads the sigmoid from a table; table=True reads it there, too.
Source: rank_objective.hpp, with its defaults sigmoid=1, lambdarank_norm=true,
lambdarank_truncation_level=30.
"""

import numpy as np

from sets import Part

TRUNCATION = 30
GAP_FLOOR = float(np.float32(0.01))


def gradients(part: Part, scores: np.ndarray, table: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Returns the gradient and the Hessian of every row."""
    ends = part.sizes.cumsum()
    queries = [of_query(part.labels[e - n : e], scores[e - n : e], table) for n, e in zip(part.sizes, ends)]
    return np.concatenate([g for g, _ in queries]), np.concatenate([h for _, h in queries])


def of_query(labels: np.ndarray, scores: np.ndarray, table: bool = False) -> tuple[np.ndarray, np.ndarray]:
    gain, discount = 2.0**labels - 1, 1 / np.log2(2 + np.arange(len(labels)))
    best = np.sum(np.sort(gain)[::-1][:TRUNCATION] * discount[:TRUNCATION])
    order = np.argsort(-scores, kind="stable")
    gradient, hessian = np.zeros(len(labels)), np.zeros(len(labels))
    if best > 0:
        gradient[order], hessian[order] = of_ranked(labels[order], gain[order], scores[order], discount / best, table)
    return gradient, hessian


def of_ranked(labels, gain, scores, discount, table=False) -> tuple[np.ndarray, np.ndarray]:
    """Takes documents sorted by descending score. In pair (i, j) document i has the higher label."""
    rank = np.arange(len(labels))
    pair = (labels[:, None] > labels) & (np.minimum.outer(rank, rank) < TRUNCATION)
    gap = np.subtract.outer(scores, scores)
    delta = np.subtract.outer(gain, gain) * np.abs(np.subtract.outer(discount, discount)) * pair
    if scores[0] != scores[-1]:
        delta /= GAP_FLOOR + np.abs(gap)
    wrong = 1 / (1 + np.exp(entry(gap) if table else gap))
    force, curvature = delta * wrong, delta * wrong * (1 - wrong)
    total = 2 * force.sum()
    norm = np.log2(1 + total) / total if total > 0 else 1.0
    return norm * (force.sum(axis=0) - force.sum(axis=1)), norm * (curvature.sum(axis=0) + curvature.sum(axis=1))


def entry(gap: np.ndarray) -> np.ndarray:
    """Returns the differences of scores for which LightGBM's table has the sigmoid (GetSigmoid): 2^20 from -25 to 25."""
    steps = 2**20 / 50
    return np.clip(np.floor((gap + 25) * steps), 0, 2**20 - 1) / steps - 25
