"""nDCG under LightGBM's convention, the same code for all systems: gain 2^label - 1, discount
1/log2(1 + rank), ties in file order, and the value 1 for a query without a relevant document."""

import numpy as np

from data import Judged

CUTOFFS = 1, 5, 10


def ndcg(data: Judged, scores: np.ndarray) -> dict[int, float]:
    """Returns the mean over the queries at each cut-off."""
    starts = data.sizes.cumsum()[:-1]
    queries = zip(np.split(data.labels, starts), np.split(scores, starts))
    values = np.mean([of_query(labels, s) for labels, s in queries], axis=0)
    return dict(zip(CUTOFFS, map(float, values)))


def of_query(labels: np.ndarray, scores: np.ndarray) -> list[float]:
    ideal = np.sort(labels)[::-1]
    ranked = labels[np.argsort(-scores, kind="stable")]
    return [dcg(ranked[:k]) / dcg(ideal[:k]) if ideal[0] > 0 else 1.0 for k in CUTOFFS]


def dcg(labels: np.ndarray) -> float:
    return float(np.sum((2.0**labels - 1) / np.log2(np.arange(2, len(labels) + 2))))
