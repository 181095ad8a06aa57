"""Times scikit-learn's ndcg_score on one query. main.go in this folder explains the comparison."""

import timeit

import numpy as np
from sklearn.metrics import ndcg_score

print("documents  cut-off  microseconds")
for documents in [100, 1000, 10_000]:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 1_000_000, documents).reshape(1, -1)
    scores = rng.integers(0, 1_000_000, documents).reshape(1, -1)
    for k in [10, None]:
        calls = 20
        shortest = min(timeit.repeat(lambda: ndcg_score(labels, scores, k=k), number=calls, repeat=30)) / calls
        print("%9d  %7s  %12.2f" % (documents, k or "all", shortest * 1e6))
